//! Request smuggling through the proxy: an upstream gets exactly the well-formed requests.

use crate::edge_http1::{AMBIGUOUS_FIELDS, AMBIGUOUS_HEADS, INVALID_CHUNKS};
use crate::edge_validation::{HOSTS, INVALID_LINES};
use crate::support::frames::{self, DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, frame};
use crate::support::{Gateway, Raw, RawUpstream, Request, attack, upstream_table};

/// A request that must never reach the upstream.
const SMUGGLED: &str = "GET /api/events/smuggled HTTP/1.1\r\nhost: site.example\r\n\r\n";

/// What precedes the fields of a request whose framing is invalid.
const POST: &str =
    "POST /api/events/invalid HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n";

/// The status of the only response.
fn status(raw: Raw, context: &str) -> String {
    let received = String::from_utf8(raw.read_until_closed()).unwrap();
    assert_eq!(
        received.matches("HTTP/1.1 ").count(),
        1,
        "{context:?}: {received:?}"
    );
    received[9..12].to_owned()
}

#[test]
fn upstream_gets_only_well_formed_requests_over_http1() {
    let upstream = RawUpstream::start();
    let table = upstream_table(
        &[&upstream.origin()],
        "methods = [\"GET\", \"POST\"]\nmax_retries = 0",
    );
    let recording = upstream.record();
    let gateway = Gateway::start_live(&table, &[]);
    attack(&gateway, || {
        let send = |bytes: String| {
            let mut raw = Raw::open(&gateway.site);
            raw.send(bytes);
            raw
        };
        for fields in AMBIGUOUS_FIELDS {
            let raw = send(format!("{POST}{fields}\r\n0\r\n\r\n{SMUGGLED}"));
            assert_eq!(status(raw, fields), "400", "{fields:?}");
        }
        for head in AMBIGUOUS_HEADS {
            let head = head.replacen(" / ", " /api/events/invalid ", 1);
            assert_eq!(
                status(send(format!("{head}{SMUGGLED}")), &head),
                "400",
                "{head:?}"
            );
        }
        for body in INVALID_CHUNKS {
            let raw = send(format!(
                "{POST}transfer-encoding: chunked\r\n\r\n{body}{SMUGGLED}"
            ));
            assert_eq!(status(raw, body), "400", "{body:?}");
        }
        for (fields, expected) in HOSTS.into_iter().filter(|(_, expected)| *expected != 200) {
            let raw = send(format!(
                "GET /api/events/invalid HTTP/1.1\r\n{fields}connection: close\r\n\r\n"
            ));
            assert_eq!(status(raw, fields), expected.to_string(), "{fields:?}");
        }
        for (line, _) in INVALID_LINES {
            let line = line
                .replacen("site.example/", "site.example/api/events/invalid/", 1)
                .replacen(" /", " /api/events/invalid/", 1);
            let raw = send(format!(
                "{line}\r\nhost: site.example\r\nconnection: close\r\n\r\n"
            ));
            assert!(
                ["400", "404", "405", "501"].contains(&&*status(raw, &line)),
                "{line:?}"
            );
        }
        // A server that ignores the body of a GET request would take it for the next request.
        let get = format!(
            "GET /api/events/invalid HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            SMUGGLED.len()
        );
        assert_eq!(status(send(format!("{get}{SMUGGLED}")), "GET with a body"), "400");
    });
    let mut raw = Raw::open(&gateway.site);
    let post = POST.replace("invalid", "valid");
    assert!(raw.send(format!(
        "{post}content-length: 10\r\n\r\na\r\nGET / b{post}transfer-encoding: chunked\r\nconnection: x-hop\r\nx-hop: 1\r\n\r\n\
         5;a=b\r\n0\r\n\r\n\r\n1\r\n!\r\n0\r\nx: y\r\n\r\n{post}content-length: 0\r\n\r\n\
         GET /api/events/valid?last HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"
    )));
    let received = String::from_utf8(raw.read_until_closed()).unwrap();
    assert_eq!(received.matches("HTTP/1.1 200 OK").count(), 4, "{received}");
    let line = |line: &str, body: &str| (line.to_owned(), body.to_owned());
    let mut requests = recording.requests();
    requests.sort();
    assert_eq!(
        requests,
        [
            line("GET /valid?last HTTP/1.1", ""),
            line("POST /valid HTTP/1.1", ""),
            line("POST /valid HTTP/1.1", "0\r\n\r\n!"),
            line("POST /valid HTTP/1.1", "a\r\nGET / b"),
        ],
        "{}",
        recording.text()
    );
    // Of a request with an invalid body arrives a part at most.
    for rest in recording.incomplete().iter().filter(|rest| !rest.is_empty()) {
        assert!(rest.starts_with("POST /invalid HTTP/1.1\r\n"), "{rest:?}");
        assert!(!rest.ends_with("0\r\n\r\n"), "{rest:?}");
    }
    for text in ["smuggled", "x-hop", "x: y"] {
        assert!(!recording.text().contains(text), "{text}: {}", recording.text());
    }
}

#[test]
fn upstream_gets_only_well_formed_requests_over_http2() {
    let upstream = RawUpstream::start();
    let table = upstream_table(
        &[&upstream.origin()],
        "methods = [\"GET\", \"POST\"]\nmax_retries = 0",
    );
    let recording = upstream.record();
    let gateway = Gateway::start_live(&table, &[]);
    let request = |path: &str, fields: &[(&str, &str)], body: &str| {
        let head = [
            (":method", "POST"),
            (":scheme", "http"),
            (":authority", "site.example"),
            (":path", path),
            ("sec-fetch-site", "same-origin"),
        ];
        let block = frames::block(&[&head, fields].concat());
        let head = frame(HEADERS, END_HEADERS, 1, &block);
        [head, frame(DATA, END_STREAM, 1, body.as_bytes())].concat()
    };
    attack(&gateway, || {
        for (path, fields, body) in [
            ("/api/events/a", ("transfer-encoding", "chunked"), "0\r\n\r\n"),
            ("/api/events/a", ("content-length", "4"), "longer"),
            ("/api/events/a", ("content-length", "9"), "shorter"),
            ("/api/events/a", ("content-length", "4, 4"), "four"),
            ("/api/events/a", ("connection", "x-hop"), ""),
            ("/api/events/a", ("x", "y\r\ncontent-length: 0"), ""),
            ("/api/events/a", ("x: y\r\nz", "1"), ""),
            ("/api/events/a", ("host", "other.example"), ""),
            ("/api/events/a HTTP/1.1\r\nx: y", ("x", "1"), ""),
            ("/api/events/a\r\n\r\nGET /smuggled HTTP/1.1", ("x", "1"), ""),
        ] {
            let mut raw = frames::open(&gateway.site, &[]);
            assert!(raw.send(request(path, &[fields], body)));
            let (kind, _, _, block) = loop {
                let found = frames::read(&mut raw);
                // GOAWAY
                if [HEADERS, RST_STREAM, 7].contains(&found.0) {
                    break found;
                }
            };
            let is_rejected = kind != HEADERS || frames::status(&block).starts_with('4');
            // A body that turns out too short is known only when the head has been forwarded.
            assert!(is_rejected || fields.1 == "9", "{path:?} {fields:?}");
        }
        let mut raw = frames::open(&gateway.site, &[]);
        assert!(raw.send(request("/api/events/valid", &[("cookie", "a=1")], "the body")));
        let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
        assert_eq!(frames::status(&block), "200");
    });
    assert_eq!(
        gateway.site.send(Request::new("GET", "/api/events/last")).status,
        200
    );
    let mut requests = recording.requests();
    requests.sort();
    let expected = [("GET /last HTTP/1.1", ""), ("POST /valid HTTP/1.1", "the body")];
    assert_eq!(
        requests,
        expected.map(|(line, body)| (line.to_owned(), body.to_owned())),
        "{}",
        recording.text()
    );
    assert!(!recording.text().contains("smuggled"), "{}", recording.text());
}
