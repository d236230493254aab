"""Who may connect as a worker host."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr
from scistudio_platform.testing import TOKEN, eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_runner.adapters.enrolment import Admission, issue_enrolment_token
from scistudio_runner.errors import HostRefused
from scistudio_runner.service import build
from scistudio_runner.settings import RunnerSettings
from scistudio_worker.service import build as build_worker
from scistudio_worker.settings import WorkerSettings


async def test_a_host_enrols_once_and_comes_back_by_its_credential(client: Any, settings: RunnerSettings) -> None:
    worker = WorkerSettings(run_dir=settings.run_dir, enrolment_token=issue_enrolment_token(TOKEN), slots=2)
    async with build_worker(worker):
        for _ in range(2):  # the second runner knows nothing of the first
            async with build(settings):
                await eventually(lambda: has_host(client))
                assert (await client.run("Trivial")).outcome == pb.OUTCOME_DONE


async def test_a_host_without_a_token_gets_nothing_to_do(runner: None, client: Any, settings: RunnerSettings) -> None:
    async with build_worker(WorkerSettings(run_dir=settings.run_dir, slots=2)):
        stream = aiter(client.follow(client.execution("Trivial")))
        assert (await anext(stream)).waiting == "no worker host is connected"
        assert await client.hosts() == []


def test_tokens_are_good_for_one_host_and_one_service_token() -> None:
    admission, token = Admission(TOKEN), issue_enrolment_token(TOKEN).get_secret_value()
    credential = admission.admit("h1", enrolment_token=token, credential="")
    assert Admission(TOKEN).admit("h1", enrolment_token="", credential=credential) == credential
    refused = [
        (admission, {"enrolment_token": token, "credential": ""}),
        (admission, {"enrolment_token": "", "credential": credential}),
        (admission, {"enrolment_token": credential, "credential": ""}),
        (admission, {"enrolment_token": "", "credential": token}),
        (admission, {"enrolment_token": issue_enrolment_token(TOKEN, valid_s=-5).get_secret_value(), "credential": ""}),
        (Admission(SecretStr("another")), {"enrolment_token": "", "credential": credential}),
    ]
    for who, shown in refused:
        with pytest.raises(HostRefused):
            who.admit("h2", **shown)


async def has_host(client: Any) -> bool:
    return bool(await client.hosts())
