//! Queries of pages, against an upstream on a real socket.

// A failed `unwrap` fails the test.
#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use colonnade_config::Config;
use colonnade_upstream::Upstreams;
use colonnade_upstream::metrics::UpstreamMetrics;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

const SITE: &str = r#"[site]
brand = "Brand"
origin = "https://site.example"
contact = "contact@site.example"
[listen]
site = "127.0.0.1:0"
admin = "127.0.0.1:0"
[store]
folder = "store"
"#;

/// Starts a server that responds to the path `/{n}` with the n-th of these messages, and then
/// waits. The receiver gets the heads of the requests.
fn serve(responses: Vec<Vec<u8>>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (heads, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = read_head(&mut stream);
            let number = head[5..].split([' ', '?']).next().unwrap();
            let response = responses[number.parse::<usize>().unwrap()].clone();
            heads.send(head).unwrap();
            std::thread::spawn(move || {
                stream.write_all(&response).unwrap();
                let _ = stream.read(&mut [0]);
            });
        }
    });
    (url, received)
}

fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

fn response(status: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{fields}content-length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn upstreams(url: &str, metrics: &UpstreamMetrics) -> Upstreams {
    let text = format!(
        "{SITE}[upstreams.events]\npath = \"/api/events\"\nurls = [\"{url}/\"]\ntotal_timeout_ms = 300\n\
         [upstreams.writes]\npath = \"/api/writes\"\nurls = [\"{url}/\"]\nmethods = [\"POST\"]\n"
    );
    let config = Config::parse("site.toml", &text, Path::new("")).unwrap();
    Upstreams::new(
        config.upstreams,
        config.upstream_cache,
        &config.site.origin,
        metrics,
    )
    .unwrap()
}

#[tokio::test]
async fn query_returns_json_or_status() {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let large = format!("\"{}\"", "x".repeat(256 * 1024));
    let cases = [
        (
            response("200", "", b" {\"a\": 1e9, \"b\":[]} "),
            Ok("{\"a\": 1e9, \"b\":[]}"),
        ),
        (
            response("200", "content-type: text/html\r\n", b"<h1>Events</h1>"),
            Err(502),
        ),
        (response("200", "", b"\"\xff\""), Err(502)),
        (response("200", "", b""), Err(502)),
        (response("200", "", b"{} {}"), Err(502)),
        (response("200", "", large.as_bytes()), Err(502)),
        (response("404", "", b"{}"), Err(404)),
        (response("503", "", b"{}"), Err(503)),
        (response("204", "", b""), Err(502)),
        (response("302", "location: /events\r\n", b""), Err(502)),
        (
            response("302", "location: https://evil.example/\r\n", b""),
            Err(502),
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\"".to_vec(),
            Err(504),
        ),
        (Vec::new(), Err(504)),
        (b"rubbish\r\n\r\n".to_vec(), Err(502)),
    ];
    let (url, received) = serve(cases.iter().map(|(response, _)| response.clone()).collect());
    let (metrics, mut registry) = (UpstreamMetrics::default(), Registry::default());
    metrics.register(&mut registry);
    let upstreams = upstreams(&url, &metrics);
    for (number, (_, expected)) in cases.iter().enumerate() {
        let result = upstreams
            .query(&format!("/api/events/{number}?x=%20"), None)
            .await;
        let outcome = result
            .outcome
            .as_ref()
            .map(|value| value.get())
            .map_err(|status| *status);
        assert_eq!(outcome, *expected, "{number}");
        let head = received.recv().unwrap();
        assert!(
            head.starts_with(&format!("GET /{number}?x=%20 HTTP/1.1\r\n")),
            "{head}"
        );
        assert!(head.contains("accept: application/json\r\n"), "{head}");
        assert!(
            !head.contains("cookie") && !head.contains("authorization"),
            "{head}"
        );
        while received.try_recv().is_ok() {}
    }
    for (path, status) in [
        ("/api/other", 503),
        ("/other", 503),
        ("https://evil.example/api/events", 503),
        ("//evil.example/api/events", 503),
        ("/api/events/../other", 503),
        ("/api/events/a b", 503),
        ("", 503),
        ("/api/writes", 405),
    ] {
        assert_eq!(
            upstreams.query(path, None).await.outcome.unwrap_err(),
            status,
            "{path}"
        );
    }
    let mut samples = String::new();
    text::encode(&mut samples, &registry).unwrap();
    for (outcome, count) in [("ok", 1), ("invalid_json", 4), ("failed", 9)] {
        let sample = format!("upstream_queries_total{{upstream=\"events\",outcome=\"{outcome}\"}} {count}\n");
        assert!(samples.contains(&sample), "{sample}{samples}");
    }
}
