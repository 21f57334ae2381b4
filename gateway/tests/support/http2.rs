//! A minimal HTTP/2 client over cleartext.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::{Client, Response};

const HEADERS: u8 = 1;
const DATA: u8 = 0;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `:status: 200` in HPACK's static table.
const STATUS_200: u8 = 0x88;

/// A response to a request for `/`.
pub(crate) struct Exchange {
    /// Whether the response begins with `:status: 200`.
    pub(crate) is_ok: bool,
    pub(crate) body: Vec<u8>,
}

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Exchange {
    /// Requests `/`, with each header in a field of its own.
    pub(crate) fn new(client: Client, method: &str, headers: &[(&str, &str)]) -> Self {
        let mut stream = send_request(client, method, "/", headers);
        let mut exchange = Self {
            is_ok: false,
            body: Vec::new(),
        };
        loop {
            let frame = read_frame(&mut stream);
            if frame.stream != 1 {
                continue;
            }
            match frame.kind {
                HEADERS => exchange.is_ok = frame.payload[0] == STATUS_200,
                DATA => exchange.body.extend(frame.payload),
                _ => {}
            }
            if frame.flags & END_STREAM != 0 {
                return exchange;
            }
        }
    }

    /// The response without its headers.
    pub(crate) fn response(self) -> Response {
        assert!(self.is_ok);
        Response {
            status: 200,
            headers: Vec::new(),
            body: self.body,
        }
    }
}

/// Requests a path, with each header in a field of its own. Returns the connection.
fn send_request(client: Client, method: &str, path: &str, headers: &[(&str, &str)]) -> TcpStream {
    let mut stream = client.connect();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    write_frame(&mut stream, SETTINGS, 0, 0, b"");
    // HPACK (RFC 7541): `:method`, `:path` and `:authority` as literals, `:scheme: http` from the static table.
    let mut block = vec![0x02];
    text(&mut block, method);
    block.extend([0x86, 0x04]);
    text(&mut block, path);
    block.push(0x01);
    text(&mut block, "localhost");
    for (name, value) in headers {
        block.push(0);
        text(&mut block, name);
        text(&mut block, value);
    }
    write_frame(&mut stream, HEADERS, END_STREAM | END_HEADERS, 1, &block);
    stream
}

/// Requests a path, and returns the first `count` data frames of the response. Panics if it ends before.
pub(crate) fn data_frames(
    client: Client,
    path: &str,
    headers: &[(&str, &str)],
    count: usize,
) -> Vec<Vec<u8>> {
    let mut stream = send_request(client, "GET", path, headers);
    let mut data = Vec::new();
    while data.len() < count {
        let frame = read_frame(&mut stream);
        if frame.stream == 1 && frame.kind == DATA {
            data.push(frame.payload);
        }
        assert!(
            frame.stream != 1 || frame.flags & END_STREAM == 0,
            "the response ends"
        );
    }
    data
}

/// Appends an uncompressed string with a one-byte length.
fn text(block: &mut Vec<u8>, text: &str) {
    assert!(text.len() < 127);
    block.push(u8::try_from(text.len()).unwrap());
    block.extend(text.as_bytes());
}

fn write_frame(stream: &mut TcpStream, kind: u8, flags: u8, id: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    stream.write_all(&length[1..]).unwrap();
    stream.write_all(&[kind, flags]).unwrap();
    stream.write_all(&id.to_be_bytes()).unwrap();
    stream.write_all(payload).unwrap();
}

fn read_frame(stream: &mut TcpStream) -> Frame {
    let mut head = [0; 9];
    stream.read_exact(&mut head).unwrap();
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; length as usize];
    stream.read_exact(&mut payload).unwrap();
    Frame {
        kind: head[3],
        flags: head[4],
        stream: u32::from_be_bytes([head[5], head[6], head[7], head[8]]),
        payload,
    }
}
