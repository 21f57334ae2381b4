"""Generates the uploads of releases, and sends each request from another client address."""

import gzip
import io
import ipaddress
import itertools
import tarfile

import schemathesis
from hypothesis import strategies as st
from urllib3.util import connection

# Many requests have no valid token, and an address may send only ten of them per minute.
CLIENTS = map(ipaddress.IPv4Address, itertools.count(int(ipaddress.IPv4Address("127.1.0.1"))))
connect = connection.create_connection


def connect_as_next_client(address, *args, **kwargs):
    """Connects from a loopback address that was not used before. Each request has its own connection."""
    return connect(address, *args, **{**kwargs, "source_address": (str(next(CLIENTS)), 0)})


connection.create_connection = connect_as_next_client


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

