//! Protocol sniffing: detects HTTP/1 or HTTP/2 from the first bytes of a cleartext connection.

use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::http2::PREFACE;
use crate::protocol::Protocol;

/// Reads until the protocol is known. Returns it with the bytes that were read. Returns `None` if
/// the client disconnects or the timeout passes first; an HTTP/2 preface must be complete by then.
pub(super) async fn sniff(
    stream: &mut (impl AsyncRead + Unpin),
    timeout: Duration,
) -> Option<(Protocol, Bytes)> {
    tokio::time::timeout(timeout, read(stream)).await.ok()?.ok()
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<(Protocol, Bytes)> {
    let mut start = BytesMut::with_capacity(1024);
    loop {
        if stream.read_buf(&mut start).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if start.starts_with(PREFACE) {
            return Ok((Protocol::Http2, start.freeze()));
        }
        if !PREFACE.starts_with(&start) {
            return Ok((Protocol::Http1, start.freeze()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncWriteExt as _;

    use super::{Protocol, sniff};

    const TIMEOUT: Duration = Duration::from_secs(10);

    #[tokio::test]
    async fn sniff_detects_protocol_and_returns_read_bytes() {
        let cases: [(&[u8], Protocol); 3] = [
            (b"GET / HTTP/1.1\r\n\r\n", Protocol::Http1),
            (b"PRI * HTTP/2.1\r\n", Protocol::Http1),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrest", Protocol::Http2),
        ];
        for (sent, expected) in cases {
            let (mut client, mut server) = tokio::io::duplex(1024);
            client.write_all(sent).await.expect("sent");
            let (protocol, start) = sniff(&mut server, TIMEOUT).await.expect("a protocol");
            assert_eq!(protocol, expected);
            assert_eq!(start, sent);
        }
    }
}
