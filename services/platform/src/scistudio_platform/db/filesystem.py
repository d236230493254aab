"""Which journal SQLite can use where a file lies.

WAL needs memory shared between the programs that use a file, which network file systems do not give: there it ends in "database is
locked" or a damaged file.
"""

from __future__ import annotations

import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "fhgfs", "orangefs", "pvfs2", "panfs", "ceph"}
    | {"wekafs", "glusterfs", "afs", "coda", "9p", "ncpfs", "ocfs2", "gfs2", "davfs"}
)
_NETWORK_FUSE = ("sshfs", "glusterfs", "s3fs", "rclone", "ceph", "beegfs", "moosefs", "davfs", "goofys", "gcsfuse", "juicefs", "cvmfs")


def file_system_of(path: Path, mounts: Path = MOUNTS) -> str | None:
    """Return the type of the file system that ``path`` lies on, as the kernel names it; None where it does not say."""
    try:
        lines = mounts.read_text().splitlines()
    except OSError:
        return None
    best, kind = -1, None
    target = str(path.resolve())
    for line in lines:
        left, _, right = line.partition(" - ")
        point = re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), left.split()[4])
        if (target == point or target.startswith(point.rstrip("/") + "/")) and len(point) >= best:
            best, kind = len(point), right.split()[0]
    return kind


def is_network(kind: str | None) -> bool:
    """Whether that file system lies behind a network."""
    if kind is None:
        return False
    return kind in _NETWORK or (kind.startswith("fuse.") and kind.removeprefix("fuse.").startswith(_NETWORK_FUSE))
