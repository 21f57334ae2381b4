//! Frames and handshakes of WebSockets as bytes (RFC 6455), over any connection.

use std::io::{Read, Write};
use std::net::TcpStream;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{RawUpstream, Request, read_head};

/// The key of all clients.
pub(crate) const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

/// A Close frame with the code 1001, Going Away, without a mask.
pub(crate) const GOING_AWAY: &[u8] = &[0x88, 2, 0x03, 0xe9];

/// A valid handshake of the site's own page.
pub(crate) fn handshake(path: &str) -> Request {
    handshake_of(path, "https://site.example")
}

/// The same of a page with this origin.
pub(crate) fn handshake_of(path: &str, origin: &str) -> Request {
    Request::new("GET", path)
        .header("host", "site.example")
        .header("connection", "keep-alive, Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", KEY)
        .header("origin", origin)
}

/// What a server answers to a key.
pub(crate) fn accept_of(key: &str) -> String {
    let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, [key, guid].concat().as_bytes()))
}

/// The first bytes of a frame: its header with this mask.
pub(crate) fn header(opcode: u8, length: u8, mask: Option<[u8; 4]>) -> Vec<u8> {
    match mask {
        None => vec![opcode, length],
        Some(mask) => [&[opcode, 0x80 | length], &mask[..]].concat(),
    }
}

/// Reads exactly these bytes.
pub(crate) fn expect(stream: &mut impl Read, expected: &[u8]) {
    let mut bytes = vec![0; expected.len()];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(bytes, expected);
}

/// Reads a masked Close frame with the code 1001.
pub(crate) fn expect_masked_going_away(stream: &mut impl Read) {
    let mut frame = [0; 8];
    stream.read_exact(&mut frame).unwrap();
    let [0x88, 0x82, mask @ .., high, low] = frame else {
        panic!("{frame:?}");
    };
    assert_eq!([high ^ mask[0], low ^ mask[1]], [0x03, 0xe9]);
}

/// Answers the handshake of the gateway, and sends `first` with the answer. Returns the connection
/// and the head of the request.
pub(crate) fn switch(upstream: &RawUpstream, headers: &str, first: &[u8]) -> (TcpStream, String) {
    let (mut stream, head) = upstream.accept_request();
    let key = head
        .split("sec-websocket-key: ")
        .nth(1)
        .unwrap_or_else(|| panic!("{head}"));
    let accept = accept_of(key.split("\r\n").next().unwrap());
    let mut answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-accept: {accept}\r\n{headers}\r\n"
    )
    .into_bytes();
    answer.extend(first);
    stream.write_all(&answer).unwrap();
    (stream, head)
}

/// Reads the head of the gateway's answer, which switches the protocol.
pub(crate) fn expect_switch(client: &mut TcpStream) -> String {
    let head = read_head(client).unwrap();
    assert!(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n"), "{head}");
    head
}
