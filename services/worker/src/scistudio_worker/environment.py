"""The environment of block processes: an allow-list, so that no token or database address of a service reaches a block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# fmt: off
NAMES = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM",
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH",
    "PYTHONPATH", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "PYTHONWARNINGS", "VIRTUAL_ENV",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    "JAVA_HOME", "R_HOME", "R_LIBS_USER", "JULIA_DEPOT_PATH",
})
# fmt: on
PREFIXES = ("LC_", "XDG_", "CONDA_", "CUDA_", "NVIDIA_", "ROCR_", "HIP_", "AWS_", "GOOGLE_APPLICATION_", "AZURE_STORAGE_", "SLURM_")
# One thread a process until a child sets its own number, and no background thread of pyarrow's allocator: the parent must have one.
FIXED = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "MPLBACKEND": "Agg",
    "PYTHONUTF8": "1",
}


def for_blocks(environment: Mapping[str, str], *, also: Iterable[str] = ()) -> dict[str, str]:
    """Return what block processes may see of ``environment``; ``also`` names what an operator adds."""
    allowed = NAMES.union(also)
    passed = {name: value for name, value in environment.items() if name in allowed or name.startswith(PREFIXES)}
    return {**passed, **FIXED}
