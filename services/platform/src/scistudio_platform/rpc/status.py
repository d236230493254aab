"""Errors to gRPC statuses and back: the one table, and the detail in ``grpc-status-details-bin``."""

from __future__ import annotations

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, status_pb2
from grpc_status import rpc_status
from scistudio_proto.common.v1.error_pb2 import ErrorDetail

from scistudio_platform.errors import Kind, RemoteError, SciStudioError, from_detail, to_detail

CODES = {
    Kind.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    Kind.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Kind.ALREADY_EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    Kind.CONFLICT: grpc.StatusCode.FAILED_PRECONDITION,
    Kind.DENIED: grpc.StatusCode.PERMISSION_DENIED,
    Kind.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    Kind.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Kind.EXHAUSTED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Kind.TIMEOUT: grpc.StatusCode.DEADLINE_EXCEEDED,
    Kind.CANCELLED: grpc.StatusCode.CANCELLED,
    Kind.INTERNAL: grpc.StatusCode.INTERNAL,
}
KINDS = {code: kind for kind, code in CODES.items()}


def to_status(error: SciStudioError) -> grpc.Status:
    """Return what ``context.abort_with_status`` takes."""
    packed = any_pb2.Any()
    packed.Pack(to_detail(error))
    number = getattr(code_pb2, CODES[error.kind].name)
    status: grpc.Status = rpc_status.to_status(status_pb2.Status(code=number, message=to_detail(error).message, details=[packed]))
    return status


def from_rpc_error(error: grpc.aio.AioRpcError, *, service: str, method: str) -> RemoteError:
    """Return the error that a call ended with, whether the service answered it or the way there failed."""
    kind = KINDS.get(error.code(), Kind.INTERNAL)
    status = rpc_status.from_call(error)
    if status is not None:
        for packed in status.details:
            detail = ErrorDetail()
            if packed.Unpack(detail):
                return from_detail(kind, detail)
    subject = f"service/{service}"
    if kind is Kind.UNAVAILABLE:
        hint = "It is being restarted, or has stopped: try again, and see `scistudio doctor` when it stays so."
        return RemoteError(kind, "service.unavailable", f"The {service} service cannot be reached.", subject=subject, hint=hint)
    if kind is Kind.TIMEOUT:
        hint = "Try again; see the service's log when it happens again."
        return RemoteError(kind, "service.timeout", f"The {service} service did not answer {method} in time.", subject=subject, hint=hint)
    return RemoteError(kind, "service.error", f"The {service} service answered {method} with: {error.details()}", subject=subject)
