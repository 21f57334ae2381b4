//! HTTP/1 requests that exceed a limit or are ambiguous (request smuggling).

use crate::support::{Backend, Gateway, Raw, Reply, attack, only_limits, wait_until};

/// A request that must never be answered: it is where an attacker would smuggle a second request.
const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nhost: site.example\r\n\r\n";

/// Header fields that make the end of a request ambiguous.
pub(crate) const AMBIGUOUS_FIELDS: [&str; 23] = [
    // CL.TE and TE.CL
    "content-length: 4\r\ntransfer-encoding: chunked\r\n",
    "transfer-encoding: chunked\r\ncontent-length: 4\r\n",
    // TE.TE
    "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n",
    "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
    "transfer-encoding: identity, chunked\r\n",
    "transfer-encoding: xchunked\r\n",
    "transfer-encoding : chunked\r\n",
    "transfer-encoding:\x0bchunked\r\n",
    "x: y\r\n transfer-encoding: chunked\r\n",
    "transfer-encoding\r\n: chunked\r\n",
    // Duplicate or invalid lengths
    "content-length: 4\r\ncontent-length: 5\r\n",
    "content-length: 4\r\ncontent-length: 4\r\n",
    "content-length: 4, 4\r\n",
    "content-length: +4\r\n",
    "content-length: 0x4\r\n",
    "content-length: -4\r\n",
    "content-length: 18446744073709551620\r\n",
    // Invalid line endings and names
    "x: y\n",
    "x: y\ncontent-length: 4\r\n",
    "x: y\rcontent-length: 4\r\n",
    "x: y\0z\r\n",
    "\x0b: y\r\n",
    ": y\r\n",
];

/// Heads that end differently for different parsers.
pub(crate) const AMBIGUOUS_HEADS: [&str; 4] = [
    "GET / HTTP/1.1\nhost: site.example\n\n",
    "GET / HTTP/1.1\r\nhost: site.example\r\n\n",
    "\nGET / HTTP/1.1\r\nhost: site.example\r\n\r\n",
    "POST / HTTP/1.0\r\nhost: site.example\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
];

/// Bodies with invalid chunks.
pub(crate) const INVALID_CHUNKS: [&str; 10] = [
    "x\r\n",
    "1\na\r\n0\r\n\r\n",
    "1\r\nab\r\n0\r\n\r\n",
    "0\r\n\n",
    "fffffffffffffffff\r\n",
    "-1\r\n",
    "1;a=\0\r\na\r\n0\r\n\r\n",
    "1;a=\x1b\r\na\r\n0\r\n\r\n",
    "1;\x7f\r\na\r\n0\r\n\r\n",
    "0;\0\r\n\r\n",
];

#[test]
fn request_smuggling_is_rejected() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for fields in AMBIGUOUS_FIELDS {
            let mut raw = Raw::open(&gateway.site);
            raw.send(format!(
                "POST /_report HTTP/1.1\r\nhost: site.example\r\n{fields}\r\n0\r\n\r\n{SMUGGLED}"
            ));
            assert_rejected_once(raw, fields);
        }
        for head in AMBIGUOUS_HEADS {
            let mut raw = Raw::open(&gateway.site);
            raw.send(format!("{head}{SMUGGLED}"));
            assert_rejected_once(raw, head);
        }
    });
    assert!(!gateway.output().contains("panic"));
}

/// Asserts a single 400 response and a closed connection.
fn assert_rejected_once(raw: Raw, context: &str) {
    let received = String::from_utf8(raw.read_until_closed()).unwrap();
    assert!(received.starts_with("HTTP/1.1 400 "), "{context:?}: {received:?}");
    assert_eq!(
        received.matches("HTTP/1.1 ").count(),
        1,
        "{context:?}: {received:?}"
    );
}

#[test]
fn invalid_head_in_fragments_is_rejected() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let raw = Raw::open(&gateway.site);
        let received = raw.drip_until_closed(*b"GET / HTTP/1.1\r\nhost: site.example\nx: y\r\n\r\n");
        assert!(received.starts_with(b"HTTP/1.1 400 "), "{received:?}");
    });
}

#[test]
fn invalid_chunk_closes_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        // A chunk size that some parsers truncate.
        let long = format!("{}2\r\nab\r\n0\r\n\r\n", "0".repeat(300));
        for body in INVALID_CHUNKS.into_iter().chain([&*long]) {
            let mut raw = Raw::open(&gateway.site);
            raw.send(format!(
                "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                 content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{body}{SMUGGLED}"
            ));
            let received = String::from_utf8(raw.read_until_closed()).unwrap();
            assert!(
                received.starts_with("HTTP/1.1 400 ") && received.matches("HTTP/1.1 ").count() == 1,
                "{body:?}: {received:?}"
            );
        }
    });
}

#[test]
fn pipelined_requests_are_all_answered() {
    let gateway = Gateway::start_live("", &[]);
    let mut raw = Raw::open(&gateway.site);
    let post = "POST /nowhere HTTP/1.1\r\nhost: site.example\r\n";
    assert!(raw.send(format!(
        "{post}content-length: 4\r\n\r\na\nb\n{post}transfer-encoding: chunked\r\n\r\n2\r\n\n\n\r\n0\r\nx: y\r\n\r\n\
         GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"
    )));
    let received = String::from_utf8(raw.read_until_closed()).unwrap();
    assert_eq!(received.matches("HTTP/1.1 405 ").count(), 2, "{received}");
    assert!(received.ends_with("ok\n"), "{received}");
}

/// Malformed heads and bodies, after which the connection cannot be reused.
const MALFORMED: [&str; 4] = [
    "what is this\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: site.example\nx: y\r\n\r\n",
    "POST /nowhere HTTP/1.1\r\nhost: site.example\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
     content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nx\r\n",
];

/// Asserts these statuses, at most one rejection after them, and no response to [`SMUGGLED`].
fn assert_statuses(received: Vec<u8>, expected: &[&str], context: &str) {
    let received = String::from_utf8(received).unwrap();
    let statuses: Vec<&str> = received
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|response| &response[..3])
        .collect();
    assert!(statuses.starts_with(expected), "{context:?}: {received:?}");
    let after = &statuses[expected.len()..];
    assert!(matches!(after, [] | ["400" | "405"]), "{context:?}: {received:?}");
}

#[test]
fn requests_before_malformed_one_are_answered() {
    let gateway = Gateway::start_live("", &[]);
    let valid = "GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n\
                 POST /nowhere HTTP/1.1\r\nhost: site.example\r\ntransfer-encoding: chunked\r\n\r\n\
                 2\r\nab\r\n0\r\n\r\n\
                 GET /state/Ohio HTTP/1.1\r\nhost: site.example\r\n\r\n";
    attack(&gateway, || {
        for malformed in MALFORMED {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send(format!("{valid}{malformed}{SMUGGLED}")));
            assert_statuses(raw.read_until_closed(), &["200", "405", "200"], malformed);
        }
    });
}

#[test]
fn in_flight_request_completes_when_next_is_malformed() {
    let backend = Backend::start(Reply::Hold("{}".to_owned()));
    let gateway = Gateway::start_live(&backend.signup_table(), &[("KEY", "the-key")]);
    attack(&gateway, || {
        let connections: Vec<_> = MALFORMED
            .iter()
            .enumerate()
            .map(|(number, malformed)| {
                let mut raw = Raw::sign_up(&gateway.site);
                backend.wait_for_requests(number + 1);
                assert!(raw.send(format!("{malformed}{SMUGGLED}")));
                (raw, malformed)
            })
            .collect();
        // By the time this response arrives, the gateway has usually read the malformed requests.
        gateway.get("/healthz");
        backend.release_held();
        for (raw, malformed) in connections {
            assert_statuses(raw.read_until_closed(), &["200"], malformed);
        }
    });
}

#[test]
fn default_header_field_limit_is_100() {
    let gateway = Gateway::start_live("", &[]);
    for (others, status) in [(98, "200"), (99, "431")] {
        let mut raw = Raw::open(&gateway.site);
        let others = "x: y\r\n".repeat(others);
        raw.send(format!(
            "GET / HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n{others}\r\n"
        ));
        assert_statuses(raw.read_until_closed(), &[status], "fields");
    }
}

#[test]
fn oversized_headers_return_431() {
    let gateway = Gateway::start_live("[limits]\nmax_header_kib = 8\nmax_header_fields = 20\n", &[]);
    let start = "GET / HTTP/1.1\r\nhost: site.example\r\n";
    attack(&gateway, || {
        for fields in [
            format!("x: {}\r\n", "a".repeat(9000)),
            format!("{}: x\r\n", "a".repeat(9000)),
            "x: y\r\n".repeat(20),
            "x: y\r\n".repeat(100_000),
        ] {
            let mut raw = Raw::open(&gateway.site);
            assert!(
                raw.send(format!("{start}{fields}\r\n")),
                "the gateway stopped reading the request"
            );
            assert_statuses(raw.read_until_closed(), &["431"], &fields[..10]);
        }
        // A head that never ends.
        let mut raw = Raw::open(&gateway.site);
        raw.send(start);
        raw.send_until_closed("x: y\r\n".repeat(1000));
        // The largest allowed head is accepted.
        let mut raw = Raw::open(&gateway.site);
        raw.send(format!(
            "{start}connection: close\r\n{}x: {}\r\n\r\n",
            "x: y\r\n".repeat(17),
            "a".repeat(7000)
        ));
        assert_eq!(raw.read_response().status, 200);
    });
}

/// Requests that are rejected, and the status of the response.
const REJECTED: [(&str, &str); 4] = [
    (
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: 1000000\r\n\r\n",
        "413",
    ),
    ("GET / HTTP/1.1\r\nhost: site.example\r\nx: ", "431"),
    ("what is this\r\n\r\n", "400"),
    ("\nGET / HTTP/1.1\r\nhost: site.example\r\n\r\n", "400"),
];

#[test]
fn response_completes_while_client_keeps_sending() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (start, status) in REJECTED {
            let mut raw = Raw::open(&gateway.site);
            assert!(
                raw.send([start, &"a".repeat(1_000_000)].concat()),
                "the gateway stopped reading the request"
            );
            assert_statuses(raw.read_until_lingering_close(), &[status], start);
        }
        // So does the last response of a connection, whatever requests follow.
        let mut raw = Raw::open(&gateway.site);
        let last = "GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n";
        assert!(raw.send([last, &SMUGGLED.repeat(20_000)].concat()));
        assert_statuses(
            raw.read_until_lingering_close(),
            &["200"],
            "requests after the last one",
        );
    });
}

#[test]
fn lingering_close_ends_for_endless_sender() {
    let gateway = Gateway::start_live(&only_limits(""), &[]);
    let open = "colonnade_connections_open{listener=\"site\"}";
    attack(&gateway, || {
        let all = REJECTED.map(|(start, _)| {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send(start));
            raw
        });
        std::thread::scope(|scope| {
            for mut raw in all {
                scope.spawn(move || wait_until("the connection is closed", || !raw.send([b'a'; 1000])));
            }
            // The same at full speed.
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send(REJECTED[0].0));
            raw.send_until_closed([b'a'; 10_000]);
        });
        // Only the visitor's connection is still open.
        wait_until("the connections are closed", || gateway.metric(open) <= 1);
    });
}
