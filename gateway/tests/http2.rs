//! HTTP/2 over cleartext, frame by frame.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::support::Gateway;

const HEADERS: u8 = 1;
const DATA: u8 = 0;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
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

/// Asks for `/` and returns the frames of the answer.
fn ask(gateway: &Gateway, method: &str) -> Vec<Frame> {
    let mut stream = gateway.site.connect();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    write_frame(&mut stream, 4, 0, 0, b"");
    // HPACK (RFC 7541): `:method` and `:authority` as literals, `:scheme: http` and `:path: /` from the static table.
    let mut block = vec![0x02, u8::try_from(method.len()).unwrap()];
    block.extend(method.as_bytes());
    block.extend([0x86, 0x84, 0x01, 4]);
    block.extend(b"site");
    write_frame(&mut stream, HEADERS, END_STREAM | END_HEADERS, 1, &block);
    let mut frames = Vec::new();
    loop {
        let frame = read_frame(&mut stream);
        if frame.stream != 1 {
            continue;
        }
        let last = frame.flags & END_STREAM != 0;
        frames.push(frame);
        if last {
            return frames;
        }
    }
}

/// `:status: 200` in the static table.
const STATUS_200: u8 = 0x88;

#[test]
fn a_document_is_served_over_http2() {
    let gateway = Gateway::start_live("", &[]);
    let frames = ask(&gateway, "GET");
    assert_eq!((frames[0].kind, frames[0].payload[0]), (HEADERS, STATUS_200));
    let body: Vec<u8> = frames
        .iter()
        .filter(|frame| frame.kind == DATA)
        .flat_map(|frame| frame.payload.clone())
        .collect();
    assert_eq!(body, gateway.get("/").body);
}

#[test]
fn head_over_http2_has_no_body() {
    let gateway = Gateway::start_live("", &[]);
    let frames = ask(&gateway, "HEAD");
    assert_eq!((frames[0].kind, frames[0].payload[0]), (HEADERS, STATUS_200));
    let bytes: usize = frames
        .iter()
        .filter(|frame| frame.kind == DATA)
        .map(|frame| frame.payload.len())
        .sum();
    assert_eq!(bytes, 0);
}
