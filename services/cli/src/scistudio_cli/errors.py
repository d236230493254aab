"""Errors of the command and the launcher."""

from __future__ import annotations

from pathlib import Path

from scistudio_platform.errors import Kind, SciStudioError


class NoProject(SciStudioError):
    """No project was named and none was found."""

    kind, code = Kind.INVALID, "project.none_given"

    def __init__(self, start: Path) -> None:
        hint = "Make one with `scistudio init NAME`, or name its folder."
        if not start.exists():
            super().__init__(f"{start} does not exist.", subject=str(start), hint=hint)
            return
        super().__init__(f"Neither {start} nor a folder above it has a project.yaml.", subject=str(start), hint=hint)


class PathIsNoText(SciStudioError):
    """A path holds bytes that are no UTF-8."""

    kind, code = Kind.INVALID, "project.path_not_text"

    def __init__(self, path: Path) -> None:
        shown = str(path).encode(errors="backslashreplace").decode()
        hint = "Rename the folder or file, as old archives and drives of other systems need."
        super().__init__(f"The path {shown} holds bytes that are no UTF-8 text.", subject=shown, hint=hint)


class AlreadyRunning(SciStudioError):
    """Another launcher holds the run directory."""

    kind, code = Kind.ALREADY_EXISTS, "launcher.already_running"

    def __init__(self, url: str, pid: int) -> None:
        where = f"at {url} (process {pid})" if url else f"(process {pid}); it is still starting"
        super().__init__(f"SciStudio already runs here {where}.", hint=f"Open that address, or stop it with `kill {pid}`.")
        self.url, self.pid = url, pid


class RunDirectoryUnsafe(SciStudioError):
    """The run directory is not ours alone."""

    kind, code = Kind.DENIED, "launcher.run_dir_unsafe"


class RunDirectoryGone(SciStudioError):
    """Somebody has deleted the sockets of the services."""

    kind, code = Kind.UNAVAILABLE, "launcher.run_dir_gone"

    def __init__(self, folder: Path) -> None:
        hint = "Logging out may delete it, and so may a job that clears /tmp: start again, with XDG_RUNTIME_DIR set to a folder that stays."
        super().__init__(f"The run directory {folder} was deleted: the services cannot be reached.", subject=str(folder), hint=hint)


class PortInUse(SciStudioError):
    """The port belongs to another program."""

    kind, code = Kind.CONFLICT, "launcher.port_in_use"

    def __init__(self, host: str, port: int) -> None:
        hint = "Choose another with `--port N`, or `--port 0` for any free one."
        super().__init__(f"Port {port} on {host} is in use by another program.", subject=f"{host}:{port}", hint=hint)


class AddressNotAllowed(SciStudioError):
    """The host cannot be listened on."""

    kind, code = Kind.INVALID, "launcher.address_not_usable"


class ServiceDidNotStart(SciStudioError):
    """A service ended again and again before it served."""

    kind, code = Kind.UNAVAILABLE, "launcher.service_did_not_start"

    def __init__(self, name: str, reason: str, log: Path) -> None:
        super().__init__(f"The {name} service did not start: {reason}", subject=f"service/{name}", hint=f"Its log is {log}.")


class StartTimedOut(SciStudioError):
    """Not all services answered in time."""

    kind, code = Kind.TIMEOUT, "launcher.start_timed_out"
