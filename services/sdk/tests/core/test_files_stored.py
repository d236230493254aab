from __future__ import annotations

from pathlib import Path

import pytest
from scistudio.core.storage.backend_router import get_router
from scistudio.core.storage.base import StorageBackend
from scistudio.core.storage.errors import StorageMissingError, StorageReferenceInvalidError
from scistudio.core.storage.filesystem import FilesystemBackend
from scistudio.core.storage.persistence import flush
from scistudio.core.types import Artifact, DataObject, StorageReference, Text

backend = FilesystemBackend()


def test_files_are_texts_where_the_format_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    ref = backend.write("ä", StorageReference("filesystem", path, "plain"))
    assert ref.metadata == {"size": 2, "content_hash": ref.content_hash}
    assert backend.read(ref) == "ä"
    assert backend.read(StorageReference("filesystem", path)) == "ä".encode()
    assert backend.slice(ref, 1, 5) == b"\xa4"
    assert b"".join(backend.iter_chunks(ref, 1)) == "ä".encode()
    assert backend.get_metadata(ref)["suffix"] == ".txt"


def test_texts_keep_their_encoding(output_dir: Path) -> None:
    text = flush(Text(content="Größe", encoding="latin-1"))
    assert text.storage_ref is not None
    assert backend.read_bytes(text.storage_ref) == "Größe".encode("latin-1")
    assert backend.read(text.storage_ref) == "Größe"
    assert Text(storage_ref=text.storage_ref, encoding="latin-1").to_memory() == "Größe"
    with pytest.raises(StorageReferenceInvalidError, match="damaged"):
        Text(storage_ref=text.storage_ref).to_memory()
    with pytest.raises(RuntimeError, match="auto_flush failed for Text"):
        flush(Text(content="Ω", encoding="latin-1"))


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    with pytest.raises(StorageMissingError) as caught:
        backend.read(StorageReference("filesystem", str(tmp_path / "a")))
    payload = caught.value.to_payload(port_name="in")
    assert (payload["error_kind"], payload["reason"], payload["port_name"]) == ("storage_missing", "missing", "in")
    with pytest.raises(StorageReferenceInvalidError, match="unreadable"):
        backend.read(StorageReference("filesystem", str(tmp_path)))
    with pytest.raises(TypeError, match="expects str or bytes, got int"):
        backend.write(1, StorageReference("filesystem", str(tmp_path / "a")))  # type: ignore[arg-type]


def test_artifacts_in_place_are_never_copied(output_dir: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(b"x")
    artifact = flush(Artifact(file_path=file))
    assert artifact.storage_ref is None
    assert not output_dir.exists()
    stored = Artifact()
    stored._data = b"y"
    assert flush(stored).to_memory() == b"y"


def test_types_find_their_backend_through_their_ancestors() -> None:
    router = get_router()
    assert (router.name_for(type("Note", (Text,), {})), router.suffix_for(Text)) == ("filesystem", ".txt")
    assert isinstance(router.backend_for(Text), StorageBackend)
    with pytest.raises(KeyError, match="No storage backend is registered for DataObject"):
        router.name_for(DataObject)
    with pytest.raises(StorageReferenceInvalidError, match="unknown backend"):
        DataObject(storage_ref=StorageReference("tape", "/a")).to_memory()


def test_saving_names_the_place_and_happens_once(tmp_path: Path) -> None:
    text = Text(content="a")
    ref = text.save(tmp_path / "a.txt")
    assert text.save(tmp_path / "b.txt") is ref
    assert (tmp_path / "a.txt").read_text() == "a"
