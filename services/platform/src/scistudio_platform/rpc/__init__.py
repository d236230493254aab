"""gRPC servers and clients as every service uses them."""

from scistudio_platform.rpc.client import RpcClient
from scistudio_platform.rpc.server import GrpcServer

__all__ = ["GrpcServer", "RpcClient"]
