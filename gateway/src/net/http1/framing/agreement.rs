//! That hyper reads what is let through as it is followed here: the same requests, each with the same body. What is read in
//! two ways by two parties is how requests are smuggled (RFC 9112, 11.2).

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

use super::{At, Framing};
use crate::config::Limits;
use crate::net::http1::{Http1, builder};
use crate::net::tap::Tap;
use crate::net::watch::Watch;
use crate::testing::cases;

/// A request as somebody reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    /// Its first line.
    line: String,
    /// The length of its body; `None` if that does not come to its end.
    body: Option<usize>,
}

/// What hyper makes of a connection.
#[derive(Debug)]
struct Heard {
    requests: Vec<Seen>,
    answers: String,
    /// Whether it read to the end, and took offence at nothing.
    is_content: bool,
}

/// The requests that are followed here, and whether all bytes can be.
fn followed(bytes: &[u8]) -> (Vec<Seen>, bool) {
    let mut framing = Framing::default();
    let (mut seen, mut line, mut length) = (Vec::new(), Vec::new(), 0);
    for byte in bytes {
        let before = framing.at;
        if framing.take(&[*byte]).is_err() {
            return (seen, false);
        }
        match (before, framing.at) {
            (At::Start, At::Start) if *byte == b'\n' => line.clear(),
            (At::Start, _) => line.push(*byte),
            (At::Fields, At::Fields) => {}
            (At::Fields, next) => {
                seen.push(Seen {
                    line: target_alone(&String::from_utf8_lossy(&line)),
                    body: (next == At::Start).then_some(0),
                });
                (line, length) = (Vec::new(), 0);
            }
            (At::Length(_) | At::Chunk(_), _) => length += 1,
            _ => {}
        }
        if framing.at == At::Start
            && matches!(before, At::Length(_) | At::Trailers)
            && let Some(last) = seen.last_mut()
        {
            last.body = Some(length);
        }
    }
    (seen, true)
}

/// A request line without its end, and without a fragment, which nobody reads.
fn target_alone(line: &str) -> String {
    let words = line.trim_ascii_end().split(' ').enumerate();
    let words = words.map(|(number, word)| match number {
        1 => word.split('#').next().unwrap_or_default(),
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What hyper reads behind what follows, if the bytes come in pieces of this size.
async fn heard(bytes: &[u8], piece: usize) -> Heard {
    let (client, server) = duplex(piece);
    let (mut reader, mut writer) = split(client);
    let requests = Arc::new(Mutex::new(Vec::<Seen>::new()));
    let service = service_fn(|request: Request<Incoming>| {
        let requests = Arc::clone(&requests);
        let line = format!("{} {} {:?}", request.method(), request.uri(), request.version());
        // As the gateway answers it, which closes the connection besides: here what follows is to be read, too, and behind a
        // CONNECT that is granted hyper reads no more requests (RFC 9110, 9.3.6).
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
            let mut answer = Response::new(Empty::<Bytes>::new());
            *answer.status_mut() = status;
            Ok::<_, Infallible>(answer)
        }
    });
    let limits = Limits::default();
    let (watch, _lasting) = Watch::new(limits, Arc::default());
    let io = TokioIo::new(Tap::new(server, Http1::new(watch)));
    let mut answers = Vec::new();
    let (outcome, (), read) = tokio::join!(
        builder(&limits).serve_connection(io, service),
        async {
            // Who is refused is heard no further.
            let _ = writer.write_all(bytes).await;
            let _ = writer.shutdown().await;
        },
        reader.read_to_end(&mut answers),
    );
    read.unwrap();
    let answers = String::from_utf8(answers).unwrap();
    // It says so where it refuses something or listens no more, but to who speaks HTTP/1.0, and never listens longer.
    let ends = ["HTTP/1.1 4", "connection: close", "HTTP/1.0 "];
    let is_content = outcome.is_ok() && !ends.iter().any(|end| answers.contains(end));
    let requests = requests.lock().clone();
    Heard {
        requests,
        answers,
        is_content,
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// Fails where hyper reads anything that is not followed here, or reads it differently.
fn assert_agreement(bytes: &[u8], piece: usize) {
    let (followed, is_sound) = followed(bytes);
    let Heard {
        requests, is_content, ..
    } = block_on(heard(bytes, piece));
    let text = bytes.escape_ascii();
    assert!(
        requests.len() <= followed.len(),
        "{text}: {requests:?}, {followed:?}"
    );
    for (number, (theirs, ours)) in requests.iter().zip(&followed).enumerate() {
        assert_eq!(theirs.line, ours.line, "{text}");
        match theirs.body {
            Some(length) => assert_eq!(Some(length), ours.body, "{text}"),
            // A body that it makes nothing of, such as one with odd trailers, is the end.
            None => assert_eq!(number + 1, requests.len(), "{text}: {requests:?}"),
        }
    }
    // Of what arrives together with what is none, and of who hangs up in the middle, hyper may never hear.
    let whole = followed.iter().take_while(|seen| seen.body.is_some()).count();
    let is_all = is_content && is_sound && requests.iter().all(|seen| seen.body.is_some());
    assert!(!is_all || requests.len() >= whole, "{text}: {requests:?}");
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

/// Bodies, chunks and ends of them, sound and not, and what somebody would smuggle.
const BODIES: &[&str] = &[
    "abc",
    "3\r\nabc\r\n",
    "03\r\nabc\r\n",
    "3 \r\nabc\r\n",
    " 3\r\nabc\r\n",
    "3;x=y\r\nabc\r\n",
    "3;x=\"\n\"\r\nabc\r\n",
    "3;\r\nabc\r\n",
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

fn end() -> impl Strategy<Value = &'static str> {
    prop_oneof![40 => Just("\r\n"), 1 => Just("\n"), 1 => Just("\r\r\n"), 1 => Just("\r")]
}

/// A request made of anything, but often one whose body's length is said in two ways.
fn odd() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![3 => Just(LINES[1]), 1 => select(LINES)];
    let field = prop_oneof![
        2 => Just("host: a"),
        2 => Just("content-length: 3"),
        2 => Just("transfer-encoding: chunked"),
        3 => select(FIELDS),
    ];
    let body = prop_oneof![1 => Just("3\r\nabc\r\n0\r\n\r\n"), 3 => select(BODIES)];
    let parts = (line, end(), vec((field, end()), 0..4), end(), vec(body, 0..4));
    parts.prop_map(|(line, end, fields, last, body)| {
        let fields = fields.into_iter().flat_map(|(field, end)| [field, end]);
        let head: String = [line, end].into_iter().chain(fields).chain([last]).collect();
        (head + &body.concat()).into_bytes()
    })
}

/// A request that is sound.
fn sound() -> impl Strategy<Value = Vec<u8>> {
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

/// A byte that is put in, in place of another, or taken out.
fn changed(mut bytes: Vec<u8>, changes: Vec<(Index, u8, u8)>) -> Vec<u8> {
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
    fn what_is_let_through_is_read_by_hyper_as_it_is_followed(
        requests in vec(prop_oneof![3 => sound(), 2 => odd()], 1..4),
        changes in vec((any::<Index>(), select(&b"\r\n \t:;,+-0123abcx\0\x0b\xff"[..]), any::<u8>()), 0..3),
        piece in prop_oneof![1 => 1_usize..8, 1 => Just(8192)],
    ) {
        assert_agreement(&changed(requests.concat(), changes), piece);
    }

    #[test]
    fn sound_requests_are_all_answered_whatever_follows(
        requests in vec(sound(), 1..4),
        broken in odd(),
        piece in prop_oneof![1 => 1_usize..100, 1 => Just(8192)],
    ) {
        let bytes = [requests.concat(), broken].concat();
        let heard = block_on(heard(&bytes, piece));
        let count = requests.len();
        assert!(heard.requests.len() >= count && heard.answers.matches("HTTP/1.1 200").count() >= count,
            "{}: {heard:?}", bytes.escape_ascii());
        assert!(heard.requests[..count].iter().all(|seen| seen.body.is_some()), "{heard:?}");
    }

    #[test]
    fn sound_requests_are_all_read(requests in vec(sound(), 1..5), piece in 1_usize..100) {
        let bytes = requests.concat();
        assert_agreement(&bytes, piece);
        let (followed, is_sound) = followed(&bytes);
        assert!(is_sound && followed.len() == requests.len());
        assert!(followed.iter().all(|seen| seen.body.is_some()));
    }
}
