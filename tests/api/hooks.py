"""Generates the uploads of releases: gzipped tars, and bytes that are none."""

import gzip
import io
import tarfile

import schemathesis
from hypothesis import strategies as st


def archive(files: dict[str, bytes]) -> bytes:
    """A gzipped tar of these files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(buffer.getvalue(), mtime=0)


names = st.sampled_from(["release.json", "client/entry.js", "server/section.js", "other.txt"])
uploads = st.dictionaries(names, st.binary(max_size=100), max_size=4).map(archive)
schemathesis.openapi.media_type("application/gzip", uploads)

