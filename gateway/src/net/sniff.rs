//! Telling HTTP/1 from HTTP/2 by a connection's first bytes.

use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::Protocol;
use super::http2::PREFACE;

/// Reads until the protocol is clear. `None` if the client leaves or takes longer than it may for its first byte, and
/// for the whole preface if it begins one. What was read comes back, for the protocol to read again.
pub(super) async fn sniff(
    stream: &mut (impl AsyncRead + Unpin),
    deadline: Duration,
) -> Option<(Protocol, Bytes)> {
    tokio::time::timeout(deadline, read(stream)).await.ok()?.ok()
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

    use super::{PREFACE, Protocol, sniff};

    const DEADLINE: Duration = Duration::from_secs(10);

    #[tokio::test]
    async fn protocols_are_told_apart_and_nothing_is_lost() {
        let cases: [(&[u8], Protocol); 3] = [
            (b"GET / HTTP/1.1\r\n\r\n", Protocol::Http1),
            (b"PRI * HTTP/2.1\r\n", Protocol::Http1),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrest", Protocol::Http2),
        ];
        for (sent, expected) in cases {
            let (mut client, mut server) = tokio::io::duplex(1024);
            client.write_all(sent).await.expect("sent");
            let (protocol, start) = sniff(&mut server, DEADLINE).await.expect("clear");
            assert_eq!(protocol, expected);
            assert_eq!(start, sent);
        }
    }

    #[tokio::test]
    async fn a_preface_may_come_in_pieces() {
        let (mut client, mut server) = tokio::io::duplex(1);
        let sending = tokio::spawn(async move { client.write_all(PREFACE).await.map(|()| client) });
        let (protocol, start) = sniff(&mut server, DEADLINE).await.expect("clear");
        assert_eq!((protocol, &start[..]), (Protocol::Http2, PREFACE));
        assert!(sending.await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_or_half_a_preface_is_given_up() {
        for sent in [&b""[..], &PREFACE[..10]] {
            let (mut client, mut server) = tokio::io::duplex(1024);
            client.write_all(sent).await.expect("sent");
            assert!(sniff(&mut server, DEADLINE).await.is_none());
        }
    }
}
