//! Tests that hyper reads the same requests, with the same bodies, as [`Framing`] finds. A
//! difference would allow request smuggling (RFC 9112, section 11.2).

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::{Index, select};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex, split};

use crate::Limits;
use crate::http1::framing::{Framing, Position};
use crate::http1::{Http1Inspector, builder};
use crate::io::InspectedStream;
use crate::state::ConnectionState;
use colonnade_testing::cases;

/// A request as a parser reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    /// Its request line.
    line: String,
    /// The length of its body; `None` if the body is incomplete.
    body: Option<usize>,
}

/// What hyper reads from a connection.
#[derive(Debug)]
struct HyperOutcome {
    requests: Vec<Seen>,
    responses: String,
    /// Whether it read everything and rejected nothing.
    is_accepted: bool,
}

/// Returns the requests that [`Framing`] finds, and whether the framing of all bytes is valid.
fn parsed(bytes: &[u8]) -> (Vec<Seen>, bool) {
    let mut framing = Framing::default();
    let (mut seen, mut line, mut length) = (Vec::new(), Vec::new(), 0);
    for byte in bytes {
        let before = framing.at;
        if framing.feed(&[*byte]).is_err() {
            return (seen, false);
        }
        match (before, framing.at) {
            (Position::Start, Position::Start) if *byte == b'\n' => line.clear(),
            (Position::Start, _) => line.push(*byte),
            (Position::Fields, Position::Fields) => {}
            (Position::Fields, next) => {
                seen.push(Seen {
                    line: String::from_utf8_lossy(&line).trim_ascii_end().to_owned(),
                    body: (next == Position::Start).then_some(0),
                });
                (line, length) = (Vec::new(), 0);
            }
            (Position::Length(_) | Position::Chunk(_), _) => length += 1,
            _ => {}
        }
        if framing.at == Position::Start
            && matches!(before, Position::Length(_) | Position::Trailers)
            && let Some(last) = seen.last_mut()
        {
            last.body = Some(length);
        }
    }
    (seen, true)
}

/// Returns what hyper reads through the inspector if the bytes come in pieces of this size.
async fn read_by_hyper(bytes: &[u8], piece: usize) -> HyperOutcome {
    let (client, server) = duplex(piece);
    let (mut reader, mut writer) = split(client);
    let requests = Arc::new(Mutex::new(Vec::<Seen>::new()));
    let service = service_fn(|request: Request<Incoming>| {
        let requests = Arc::clone(&requests);
        let line = format!("{} {} {:?}", request.method(), request.uri(), request.version());
        // As in the gateway, but without closing the connection. After a successful CONNECT hyper
        // would read no more requests (RFC 9110, section 9.3.6).
        let status = match *request.method() {
            Method::CONNECT => StatusCode::NOT_IMPLEMENTED,
            _ => StatusCode::OK,
        };
        async move {
            requests.lock().push(Seen { line, body: None });
            if let Ok(body) = request.into_body().collect().await {
                let length = body.to_bytes().len();
                requests.lock().last_mut().unwrap().body = Some(length);
            }
            let mut response = Response::new(Empty::<Bytes>::new());
            *response.status_mut() = status;
            Ok::<_, Infallible>(response)
        }
    });
    let limits = Limits::default();
    let state = ConnectionState::new(limits);
    let io = TokioIo::new(InspectedStream::new(server, Http1Inspector::new(state)));
    let mut responses = Vec::new();
    let (outcome, (), read) = tokio::join!(
        builder(&limits).serve_connection(io, service),
        async {
            // Fails once hyper has closed the connection.
            let _ = writer.write_all(bytes).await;
            let _ = writer.shutdown().await;
        },
        reader.read_to_end(&mut responses),
    );
    read.unwrap();
    let responses = String::from_utf8(responses).unwrap();
    // hyper sends one of these when it rejects a request or closes the connection, which it always
    // does over HTTP/1.0.
    let ends = ["HTTP/1.1 4", "connection: close", "HTTP/1.0 "];
    let is_accepted = outcome.is_ok() && !ends.iter().any(|end| responses.contains(end));
    let requests = requests.lock().clone();
    HyperOutcome {
        requests,
        responses,
        is_accepted,
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// Checks that hyper reads only requests that [`Framing`] finds, with the same bodies.
fn assert_agreement(bytes: &[u8], piece: usize) {
    let (parsed, is_valid) = parsed(bytes);
    let HyperOutcome {
        requests,
        is_accepted,
        ..
    } = block_on(read_by_hyper(bytes, piece));
    let text = bytes.escape_ascii();
    assert!(requests.len() <= parsed.len(), "{text}: {requests:?}, {parsed:?}");
    for (number, (theirs, ours)) in requests.iter().zip(&parsed).enumerate() {
        assert_eq!(theirs.line, ours.line, "{text}");
        match theirs.body {
            Some(length) => assert_eq!(Some(length), ours.body, "{text}"),
            // A body that hyper rejects, such as one with invalid trailers, ends the connection.
            None => assert_eq!(number + 1, requests.len(), "{text}: {requests:?}"),
        }
    }
    // hyper may not read requests that arrive together with invalid bytes or the end of the stream.
    let complete = parsed.iter().take_while(|seen| seen.body.is_some()).count();
    let is_all = is_accepted && is_valid && requests.iter().all(|seen| seen.body.is_some());
    assert!(!is_all || requests.len() >= complete, "{text}: {requests:?}");
}

const LINES: &[&str] = &[
    "GET /1 HTTP/1.1",
    "POST /2 HTTP/1.1",
    "POST /3 HTTP/1.1",
    "POST /4 HTTP/1.0",
    "GET  /5 HTTP/1.1",
    " GET /6 HTTP/1.1",
    "GET /7 HTTP/1.1 ",
    "GET /8",
    "\r\nGET /9 HTTP/1.1",
    "CONNECT a:1 HTTP/1.1",
    "CONNECT /10 HTTP/1.1",
    "GET /11#x HTTP/1.1",
];

const FIELDS: &[&str] = &[
    "host: a",
    "content-length: 3",
    "Content-Length:3",
    "content-length : 3",
    " content-length: 3",
    "content-length: 3\t",
    "content-length: +3",
    "content-length: 03",
    "content-length: 3, 3",
    "content-length: 3 3",
    "content-length:\r\n 3",
    "content-length: 0x3",
    "content-length:",
    "content-length: 0",
    "content-length: 30",
    "content-length: 18446744073709551615",
    "content-length: 18446744073709551617",
    "transfer-encoding: chunked",
    "Transfer-Encoding:Chunked",
    "transfer-encoding : chunked",
    "transfer-encoding:\tchunked \t",
    "transfer-encoding: \x0bchunked",
    "transfer-encoding: xchunked",
    "transfer-encoding: chunked, identity",
    "transfer-encoding: gzip, chunked",
    "transfer-encoding: chunked,",
    "transfer-encoding: chunked;a=b",
    "transfer-encoding: identity",
    "transfer-encoding:\r\n chunked",
    "transfer-encoding",
    "transfer_encoding: chunked",
    "x: y\r\n z: chunked",
    "x: y\rcontent-length: 3",
    "x: y\ncontent-length: 3",
    "trailer: content-length",
    "expect: 100-continue",
    "connection: keep-alive",
    "connection: upgrade",
    "upgrade: x",
];

/// Bodies, chunks and their ends, valid and invalid, and a smuggled request.
const BODIES: &[&str] = &[
    "abc",
    "3\r\nabc\r\n",
    "03\r\nabc\r\n",
    "3 \r\nabc\r\n",
    " 3\r\nabc\r\n",
    "3;x=y\r\nabc\r\n",
    "3;x=\"\n\"\r\nabc\r\n",
    "3;\r\nabc\r\n",
    "3;x=\0\r\nabc\r\n",
    "3;x=\ry\r\nabc\r\n",
    "3\nabc\r\n",
    "3\r\nabc\n",
    "3\r\nabcd\r\n",
    "3\rabc\r\n",
    "0x3\r\nabc\r\n",
    "+3\r\nabc\r\n",
    "-1\r\n",
    "3_0\r\nabc\r\n",
    "10000000000000003\r\nabc\r\n",
    "ffffffffffffffff\r\nabc\r\n",
    "fffffffffffffffe\r\nabc\r\n",
    "1b\r\nGET /within HTTP/1.1\r\nx: y\r\n\r\n",
    "0\r\n\r\n",
    "00\r\n\r\n",
    "0;x\r\n\r\n",
    "0\r\nx: y\r\n\r\n",
    "0\r\ncontent-length: 3\r\n\r\n",
    "0\r\n\n",
    "0\n\r\n",
    "0\r\n\r",
    "\r\n",
    "\n",
    "GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n",
];

fn line_end() -> impl Strategy<Value = &'static str> {
    prop_oneof![40 => Just("\r\n"), 1 => Just("\n"), 1 => Just("\r\r\n"), 1 => Just("\r")]
}

/// An invalid request, often with ambiguous framing.
fn invalid() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![3 => Just(LINES[1]), 1 => select(LINES)];
    let field = prop_oneof![
        2 => Just("host: a"),
        2 => Just("content-length: 3"),
        2 => Just("transfer-encoding: chunked"),
        3 => select(FIELDS),
    ];
    let body = prop_oneof![1 => Just("3\r\nabc\r\n0\r\n\r\n"), 3 => select(BODIES)];
    let parts = (
        line,
        line_end(),
        vec((field, line_end()), 0..4),
        line_end(),
        vec(body, 0..4),
    );
    parts.prop_map(|(line, end, fields, last, body)| {
        let fields = fields.into_iter().flat_map(|(field, end)| [field, end]);
        let head: String = [line, end].into_iter().chain(fields).chain([last]).collect();
        (head + &body.concat()).into_bytes()
    })
}

/// A valid request.
fn valid() -> impl Strategy<Value = Vec<u8>> {
    let body = vec(any::<u8>(), 0..40);
    prop_oneof![
        Just(b"GET /get HTTP/1.1\r\nhost: a\r\n\r\n".to_vec()),
        body.clone().prop_map(|body| {
            let head = format!(
                "POST /long HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body].concat()
        }),
        (body, 1..20_usize).prop_map(|(body, size)| {
            let mut bytes =
                b"POST /chunked HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
            for chunk in body.chunks(size) {
                bytes.extend(format!("{:X};x=y\r\n", chunk.len()).bytes());
                bytes.extend([chunk, b"\r\n"].concat());
            }
            bytes.extend(b"0\r\nx: y\r\n\r\n");
            bytes
        }),
    ]
}

/// Inserts, replaces and removes bytes.
fn mutate(mut bytes: Vec<u8>, changes: Vec<(Index, u8, u8)>) -> Vec<u8> {
    for (index, byte, how) in changes {
        if bytes.is_empty() {
            return bytes;
        }
        let at = index.index(bytes.len());
        match how % 3 {
            0 => bytes.insert(at, byte),
            1 => bytes[at] = byte,
            _ => drop(bytes.remove(at)),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn hyper_reads_requests_as_framing_finds_them(
        requests in vec(prop_oneof![3 => valid(), 2 => invalid()], 1..4),
        changes in vec((any::<Index>(), select(&b"\r\n \t:;,+-#0123abcx\0\x0b\xff"[..]), any::<u8>()), 0..3),
        piece in prop_oneof![1 => 1_usize..8, 1 => Just(8192)],
    ) {
        assert_agreement(&mutate(requests.concat(), changes), piece);
    }

    #[test]
    fn valid_requests_before_invalid_get_responses(
        requests in vec(valid(), 1..4),
        last in invalid(),
        piece in prop_oneof![1 => 1_usize..100, 1 => Just(8192)],
    ) {
        let bytes = [requests.concat(), last].concat();
        let outcome = block_on(read_by_hyper(&bytes, piece));
        let count = requests.len();
        assert!(outcome.requests.len() >= count && outcome.responses.matches("HTTP/1.1 200").count() >= count,
            "{}: {outcome:?}", bytes.escape_ascii());
        assert!(outcome.requests[..count].iter().all(|seen| seen.body.is_some()), "{outcome:?}");
    }

    #[test]
    fn valid_requests_are_all_read(requests in vec(valid(), 1..5), piece in 1_usize..100) {
        let bytes = requests.concat();
        assert_agreement(&bytes, piece);
        let (parsed, is_valid) = parsed(&bytes);
        assert!(is_valid && parsed.len() == requests.len());
        assert!(parsed.iter().all(|seen| seen.body.is_some()));
    }
}
