//! HTTP/2 frames as bytes (RFC 9113), valid or not, over any connection.

use super::{Client, Raw};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const ACK: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A field block of uncompressed HPACK literals without indexing (RFC 7541, 6.2.2).
pub(crate) fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for text in fields
        .iter()
        .flat_map(|(name, value)| [("\0", name), ("", value)])
    {
        let (start, text) = text;
        block.extend(start.as_bytes());
        length(&mut block, text.len());
        block.extend(text.as_bytes());
    }
    block
}

/// A GET request without TLS.
pub(crate) fn request(stream: u32, path: &str) -> Vec<u8> {
    frame(HEADERS, END_STREAM | END_HEADERS, stream, &get(path))
}

/// The field block of a GET request without TLS.
pub(crate) fn get(path: &str) -> Vec<u8> {
    get_with_scheme("http", path)
}

/// The field block of a GET request.
pub(crate) fn get_with_scheme(scheme: &str, path: &str) -> Vec<u8> {
    block(&[
        (":method", "GET"),
        (":scheme", scheme),
        (":authority", "site.example"),
        (":path", path),
    ])
}

/// The field block of a request without TLS whose body the gateway waits for.
pub(crate) fn post_report() -> Vec<u8> {
    post_report_with_scheme("http")
}

/// The field block of a request whose body the gateway waits for.
pub(crate) fn post_report_with_scheme(scheme: &str) -> Vec<u8> {
    post_json(scheme, "/_report")
}

/// The field block of a sign-up without TLS, whose body is [`SIGN_UP`](super::SIGN_UP).
pub(crate) fn post_signup() -> Vec<u8> {
    post_json("http", "/functions/v1/signup")
}

fn post_json(scheme: &str, path: &str) -> Vec<u8> {
    block(&[
        (":method", "POST"),
        (":scheme", scheme),
        (":authority", "site.example"),
        (":path", path),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
    ])
}

/// The field block of a request without TLS that the gateway answers before the body, because the path does not take one.
pub(crate) fn refused_upload() -> Vec<u8> {
    block(&[
        (":method", "DELETE"),
        (":scheme", "http"),
        (":authority", "site.example"),
        (":path", "/"),
    ])
}

/// A request whose window update overflows the flow-control window. That is a stream error (RFC 9113, 6.9.1): the gateway
/// must reset the stream.
pub(crate) fn request_forcing_reset(stream: u32) -> Vec<u8> {
    [
        frame(HEADERS, END_HEADERS, stream, &post_report()),
        frame(WINDOW_UPDATE, 0, stream, &[0x7f, 0xff, 0xff, 0xff]),
    ]
    .concat()
}

/// Appends a length as an integer with a 7-bit prefix (RFC 7541, 5.1).
fn length(block: &mut Vec<u8>, length: usize) {
    if length < 127 {
        block.push(u8::try_from(length).unwrap());
        return;
    }
    block.push(127);
    let mut rest = length - 127;
    while rest >= 128 {
        block.push(u8::try_from(rest % 128 + 128).unwrap());
        rest /= 128;
    }
    block.push(u8::try_from(rest).unwrap());
}

/// The client connection preface with these settings (RFC 9113, 3.4 and 6.5.1).
pub(crate) fn client_preface(settings: &[(u16, u32)]) -> Vec<u8> {
    let mut payload = Vec::new();
    for (name, value) in settings {
        payload.extend(name.to_be_bytes());
        payload.extend(value.to_be_bytes());
    }
    [PREFACE, &frame(SETTINGS, 0, 0, &payload)].concat()
}

/// A cleartext HTTP/2 connection that has sent the preface.
pub(crate) fn open(client: &Client, settings: &[(u16, u32)]) -> Raw {
    let mut raw = Raw::open(client);
    assert!(raw.send(client_preface(settings)));
    raw
}

/// The kind, flags, stream and payload of a frame.
pub(crate) type ReceivedFrame = (u8, u8, u32, Vec<u8>);

/// The next frame.
pub(crate) fn read(raw: &mut Raw) -> ReceivedFrame {
    let head = raw.read_exact(9);
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
    (head[3], head[4], stream, raw.read_exact(length as usize))
}

/// Reads until a frame of this kind arrives.
pub(crate) fn read_until(raw: &mut Raw, kind: u8) -> ReceivedFrame {
    loop {
        let frame = read(raw);
        if frame.0 == kind {
            return frame;
        }
    }
}

/// The kinds of the frames in these bytes.
pub(crate) fn kinds(mut bytes: &[u8]) -> Vec<u8> {
    let mut kinds = Vec::new();
    while let [a, b, c, kind, ..] = *bytes {
        kinds.push(kind);
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        bytes = bytes.get(9 + length..).unwrap_or_default();
    }
    kinds
}

/// The status at the start of a field block: indexed (RFC 7541, appendix A) or literal.
pub(crate) fn status(block: &[u8]) -> String {
    match *block {
        [0x88, ..] => "200".to_owned(),
        [0x89, ..] => "204".to_owned(),
        [0x8c, ..] => "400".to_owned(),
        [0x8d, ..] => "404".to_owned(),
        [0x8e, ..] => "500".to_owned(),
        [_, length, ref rest @ ..] if length < 0x80 => {
            String::from_utf8_lossy(&rest[..usize::from(length)]).into_owned()
        }
        // Huffman-coded digits: 0 to 2 have five bits, the others six (RFC 7541, appendix B).
        [_, length, ref rest @ ..] => digits(&rest[..usize::from(length & 0x7f)]),
        _ => String::new(),
    }
}

fn digits(bytes: &[u8]) -> String {
    let mut bits = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1));
    let mut text = String::new();
    while text.len() < 3 {
        let mut code = |count: usize| {
            bits.by_ref()
                .take(count)
                .fold(0, |code, bit| code << 1 | u32::from(bit))
        };
        let five = code(5);
        let digit = if five < 3 {
            five
        } else {
            (five << 1 | code(1)) - 0x19 + 3
        };
        text.push(char::from_digit(digit, 10).unwrap());
    }
    text
}
