//! Server-sent events of an upstream.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::support::frames::{self, DATA, END_STREAM, WINDOW_UPDATE, read};
use crate::support::websocket::expect;
use crate::support::{Gateway, RawUpstream, Request, read_head, wait_until};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

const KIND: &str = "event_stream";

/// Opens a stream. Returns both ends.
fn open(gateway: &Gateway, upstream: &RawUpstream) -> (TcpStream, TcpStream) {
    let request = Request::new("GET", "/api/events/live")
        .header("accept", "text/event-stream")
        .header("accept-encoding", "gzip, br, zstd");
    let mut client = gateway.site.start(request);
    let (mut backend, _) = upstream.accept_request();
    write!(backend, "{HEAD}").unwrap();
    let head = read_head(&mut client).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(
        !head.contains("content-encoding") && head.contains("chunked"),
        "{head}"
    );
    (client, backend)
}

/// Reads chunks until exactly this data has arrived. How it is divided depends on the sockets.
fn expect_data(client: &mut TcpStream, expected: &str) {
    let mut data = Vec::new();
    while data.len() < expected.len() {
        let mut size = String::new();
        while !size.ends_with("\r\n") {
            let mut byte = [0];
            client.read_exact(&mut byte).unwrap();
            size.push(byte[0].into());
        }
        let mut chunk = vec![0; usize::from_str_radix(size.trim_end(), 16).unwrap()];
        client.read_exact(&mut chunk).unwrap();
        data.extend(chunk);
        expect(client, b"\r\n");
    }
    assert_eq!(String::from_utf8(data).unwrap(), expected);
}

#[test]
fn events_arrive_one_by_one_and_hold_no_permit_of_requests() {
    let upstream = RawUpstream::start();
    // A stream may be longer than a request, and larger than a response.
    let keys = "max_concurrent = 1\nmax_streams = 4\nmax_streams_per_client = 1\nmax_response_kib = 1\n\
                total_timeout_ms = 500\nkeepalive_timeout_ms = 0\n[limits]\nmax_requests_in_flight = 1\n";
    let gateway = upstream.gateway(keys);
    let (mut client, mut backend) = open(&gateway, &upstream);
    for number in 0..3 {
        let event = format!("data: {number}\n\n");
        backend.write_all(event.as_bytes()).unwrap();
        expect_data(&mut client, &event);
    }
    let large = "x".repeat(2048);
    backend.write_all(large.as_bytes()).unwrap();
    expect_data(&mut client, &large);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let request = Request::new("GET", "/api/events/live").header("accept", "text/event-stream");
            gateway.site.send(request)
        });
        let (mut second, _) = upstream.accept_request();
        write!(second, "{HEAD}").unwrap();
        assert_eq!(other.join().unwrap().status, 429);
    });
    assert_eq!(gateway.open_streams(KIND), 1);
    drop(backend);
    expect(&mut client, b"0\r\n\r\n");
    gateway.wait_for_closed_streams(KIND, "upstream_closed", 1);
    // The same connection serves the next request, and a client that leaves ends its stream.
    let (client, mut backend) = open(&gateway, &upstream);
    drop(client);
    wait_until("the stream ends", || write!(backend, ": \n\n").is_err());
    gateway.wait_for_closed_streams(KIND, "client_closed", 1);
}

#[test]
fn idle_and_old_event_streams_end_completely() {
    for (keys, cause) in [
        ("stream_idle_timeout_ms = 300\n", "idle_timeout"),
        ("stream_total_timeout_ms = 300\n", "total_timeout"),
    ] {
        let upstream = RawUpstream::start();
        let gateway = upstream.gateway(keys);
        let (mut client, mut backend) = open(&gateway, &upstream);
        expect(&mut client, b"0\r\n\r\n");
        assert_eq!(backend.read(&mut [0]).unwrap(), 0);
        gateway.wait_for_closed_streams(KIND, cause, 1);
    }
}

#[test]
fn shutdown_ends_event_streams_completely() {
    let upstream = RawUpstream::start();
    let mut gateway = upstream.gateway("[limits]\nshutdown_delay_ms = 0\ndrain_timeout_ms = 60000\n");
    let (mut client, mut backend) = open(&gateway, &upstream);
    write!(backend, "data: 1\n\n").unwrap();
    expect_data(&mut client, "data: 1\n\n");
    gateway.signal("TERM");
    expect(&mut client, b"0\r\n\r\n");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    assert!(
        !gateway.output().contains("\"drain_timeout\""),
        "{}",
        gateway.output()
    );
}

#[test]
fn quiet_event_stream_over_http2_is_not_a_slow_read() {
    let upstream = RawUpstream::start();
    let gateway = upstream.gateway("stream_idle_timeout_ms = 1500\n[limits]\nmin_rate_window_ms = 300\n");
    let mut client = frames::open(&gateway.site, &[]);
    let request = frames::block(&[
        (":method", "GET"),
        (":scheme", "http"),
        (":authority", "site.example"),
        (":path", "/api/events/live"),
        ("accept", "text/event-stream"),
    ]);
    let flags = END_STREAM | frames::END_HEADERS;
    assert!(client.send(frames::frame(frames::HEADERS, flags, 1, &request)));
    let (mut backend, _) = upstream.accept_request();
    write!(backend, "{HEAD}data: 1\n\n").unwrap();
    let mut data = Vec::new();
    loop {
        let (kind, flags, stream, payload) = read(&mut client);
        if stream == 1 && kind == DATA {
            data.extend(payload);
        }
        assert_ne!(kind, frames::GOAWAY);
        if kind != WINDOW_UPDATE && stream == 1 && flags & END_STREAM != 0 {
            break;
        }
    }
    assert_eq!(data, b"data: 1\n\n");
    gateway.wait_for_closed_streams(KIND, "idle_timeout", 1);
}
