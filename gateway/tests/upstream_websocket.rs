//! WebSockets to an upstream.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};

use crate::support::frames::{self, ReceivedFrame, WINDOW_UPDATE, read};
use crate::support::websocket::{
    GOING_AWAY, KEY, accept_of, expect, expect_masked_going_away, expect_switch, handshake, handshake_of,
    header, switch,
};
use crate::support::{Client, Gateway, Raw, RawUpstream, Request, read_head};

const MASK: Option<[u8; 4]> = Some([1, 2, 3, 4]);

const KIND: &str = "websocket";

fn gateway(upstream: &RawUpstream, keys: &str) -> Gateway {
    upstream.gateway(&format!("websocket = true\n{keys}"))
}

/// Opens a WebSocket. Returns both ends.
fn open(gateway: &Gateway, upstream: &RawUpstream) -> (TcpStream, TcpStream) {
    let mut client = gateway.site.start(handshake("/api/events/live"));
    let (backend, _) = switch(upstream, "", b"");
    expect_switch(&mut client);
    (client, backend)
}

#[test]
fn frames_pass_as_they_are_in_both_directions() {
    let upstream = RawUpstream::start();
    let gateway = gateway(&upstream, "");
    let request = handshake("/api/events/live?room=1")
        .header("sec-websocket-protocol", "chat, superchat")
        .header("sec-websocket-extensions", "permessage-deflate")
        .header("cookie", "a=b")
        .header("x-own", "1");
    let mut client = gateway.site.start(request);
    // A frame may come with the answer.
    let headers =
        "sec-websocket-protocol: chat\r\nsec-websocket-extensions: permessage-deflate\r\nx-own: 1\r\n";
    let (mut backend, head) = switch(&upstream, headers, b"\x81\x02hi");
    assert!(head.starts_with("GET /live?room=1 HTTP/1.1\r\n"), "{head}");
    for line in [
        "connection: Upgrade",
        "upgrade: websocket",
        "origin: https://site.example",
        "sec-websocket-version: 13",
        "sec-websocket-protocol: chat, superchat",
        "sec-websocket-extensions: permessage-deflate",
        "x-forwarded-for: 127.0.0.1",
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {head}");
    }
    assert!(
        !head.contains("cookie") && !head.contains("x-own") && !head.contains(KEY),
        "{head}"
    );
    let answer = expect_switch(&mut client);
    for line in [
        "connection: Upgrade",
        "upgrade: websocket",
        "sec-websocket-protocol: chat",
        "sec-websocket-extensions: permessage-deflate",
        &format!("sec-websocket-accept: {}", accept_of(KEY)),
    ] {
        assert!(answer.contains(&format!("\r\n{line}\r\n")), "{line}: {answer}");
    }
    assert!(!answer.contains("x-own"), "{answer}");
    expect(&mut client, b"\x81\x02hi");
    // A compressed frame, whose first half arrives before the second is sent.
    client.write_all(&header(0xc1, 4, MASK)).unwrap();
    client.write_all(b"ab").unwrap();
    expect(&mut backend, b"\xc1\x84\x01\x02\x03\x04ab");
    client.write_all(b"cd").unwrap();
    expect(&mut backend, b"cd");
    // A message that is larger than what the gateway buffers.
    let large = [&[0x82, 127, 0, 0, 0, 0, 0, 16, 0, 0][..], &vec![7; 1 << 20]].concat();
    let sent = large.clone();
    let sender = std::thread::spawn(move || {
        backend.write_all(&sent).unwrap();
        backend
    });
    expect(&mut client, &large);
    assert_eq!(gateway.open_streams(KIND), 1);
    drop(sender.join().unwrap());
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
    drop(client);
    gateway.wait_for_closed_streams(KIND, "upstream_closed", 1);
    assert_eq!(gateway.open_streams(KIND), 0);
    let log = gateway.output();
    assert!(!log.contains("room") && !log.contains("127.0.0.1\""), "{log}");
}

#[test]
fn handshake_that_is_refused_opens_nothing() {
    let upstream = RawUpstream::start();
    let other = "rate_limit_per_client_per_minute = 1000\nbreaker_failure_threshold = 1000\n\
                 [upstreams.other]\npath = \"/api/other\"\nurls = [\"http://127.0.0.1:1\"]\n";
    let gateway = gateway(&upstream, other);
    let replaced = |text: &str, by: &str| {
        let request = handshake("/api/events/live").into_bytes(gateway.site.address());
        String::from_utf8(request)
            .unwrap()
            .replacen(text, by, 1)
            .into_bytes()
    };
    let with = |request: Request| request.into_bytes(gateway.site.address());
    for (request, status) in [
        (with(handshake("/api/other")), "501"),
        (
            with(handshake_of("/api/events/live", "https://evil.example")),
            "403",
        ),
        (
            with(handshake_of(
                "/api/events/live",
                "https://site.example.evil.example",
            )),
            "403",
        ),
        (replaced("origin: ", "x-origin: "), "403"),
        (replaced("sec-websocket-key: ", "x-key: "), "400"),
        (replaced("sec-websocket-version: ", "x-version: "), "400"),
        (replaced("-version: 13", "-version: 8"), "426"),
        (with(handshake("/api/events/live").body("x")), "400"),
        // Of no page that may open a WebSocket.
        (
            with(
                handshake_of("/api/events/live", "https://evil.example")
                    .header("sec-fetch-site", "same-origin"),
            ),
            "403",
        ),
    ] {
        let mut client = gateway.site.connect();
        client.write_all(&request).unwrap();
        let head = read_head(&mut client).unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        let has = |line: &str| head.contains(&format!("\r\n{line}\r\n"));
        assert_eq!(
            matches!(status, "400" | "426"),
            has("sec-websocket-version: 13"),
            "{head}"
        );
        assert_eq!(status == "426", has("upgrade: websocket"), "{head}");
    }
    // Answers of the upstream, and what the visitor gets.
    let wrong =
        "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x";
    for (answer, status) in [
        ("404 Not Found\r\ncontent-length: 0", "404"),
        ("200 OK\r\ncontent-length: 0", "502"),
        (wrong, "502"),
    ] {
        let mut client = gateway.site.start(handshake("/api/events/live"));
        let (mut backend, _) = upstream.accept_request();
        write!(backend, "HTTP/1.1 {answer}\r\n\r\n").unwrap();
        let head = read_head(&mut client).unwrap();
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answer}: {head}"
        );
    }
    assert_eq!(gateway.open_streams(KIND), 0);
}

#[test]
fn idle_and_old_websockets_are_closed_with_1001() {
    for (keys, cause) in [
        ("stream_idle_timeout_ms = 300\n", "idle_timeout"),
        ("stream_total_timeout_ms = 300\n", "total_timeout"),
    ] {
        let upstream = RawUpstream::start();
        let gateway = gateway(&upstream, keys);
        let (mut client, mut backend) = open(&gateway, &upstream);
        expect(&mut client, GOING_AWAY);
        expect_masked_going_away(&mut backend);
        // Both answer, and close.
        client.write_all(&header(0x88, 0, MASK)).unwrap();
        backend.write_all(&header(0x88, 0, None)).unwrap();
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
        assert_eq!(backend.read(&mut [0]).unwrap(), 0);
        drop((client, backend));
        gateway.wait_for_closed_streams(KIND, cause, 1);
    }
}

#[test]
fn shutdown_completes_frames_and_closes_with_1001() {
    let upstream = RawUpstream::start();
    let mut gateway = gateway(
        &upstream,
        "[limits]\nshutdown_delay_ms = 0\ndrain_timeout_ms = 60000\n",
    );
    let (mut client, mut backend) = open(&gateway, &upstream);
    // Both ends are in the middle of a frame.
    backend.write_all(b"\x81\x04on").unwrap();
    expect(&mut client, b"\x81\x04on");
    client.write_all(&header(0x81, 4, MASK)).unwrap();
    expect(&mut backend, &header(0x81, 4, MASK));
    gateway.signal("TERM");
    gateway.wait_for_event(|line| line["event"] == "shutdown_started");
    backend.write_all(b"ce").unwrap();
    client.write_all(b"twic").unwrap();
    expect(&mut client, b"ce");
    expect(&mut client, GOING_AWAY);
    expect(&mut backend, b"twic");
    expect_masked_going_away(&mut backend);
    drop((client, backend));
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    assert!(
        !gateway.output().contains("drain_timeout"),
        "{}",
        gateway.output()
    );
}

#[test]
fn client_and_upstream_have_limited_websockets() {
    let upstream = RawUpstream::start();
    let keys = "max_concurrent = 1\nkeepalive_timeout_ms = 0\nmax_streams = 2\nmax_streams_per_client = 1\n";
    let gateway = gateway(&upstream, keys);
    let (client, mut first) = open(&gateway, &upstream);
    let refused = |site: &Client, status| {
        let response = site.send(handshake("/api/events/live"));
        assert_eq!((response.status, response.header("retry-after")), (status, "1"));
    };
    refused(&gateway.site, 429);
    // Another client takes the last one of all.
    let [second, third] = [2, 3].map(|last| gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 0, last)));
    let mut other = second.start(handshake("/api/events/live"));
    let (_other_backend, _) = switch(&upstream, "", b"");
    expect_switch(&mut other);
    refused(&third, 503);
    // A WebSocket takes no permit of requests.
    let mut visitor = gateway.site.start(Request::new("GET", "/api/events/list"));
    let (mut backend, _) = upstream.accept_request();
    write!(backend, "HTTP/1.1 204 No Content\r\n\r\n").unwrap();
    assert!(read_head(&mut visitor).unwrap().starts_with("HTTP/1.1 204 "));
    drop(client);
    assert_eq!(first.read(&mut [0]).unwrap(), 0);
    drop(first);
    gateway.wait_for_closed_streams(KIND, "client_closed", 1);
    let (_client, _backend) = open(&gateway, &upstream);
    assert_eq!(gateway.open_streams(KIND), 2);
}

/// The next frame of the first stream.
fn next_frame(raw: &mut Raw) -> ReceivedFrame {
    loop {
        let frame = read(raw);
        if frame.2 == 1 && frame.0 != WINDOW_UPDATE {
            return frame;
        }
    }
}

#[test]
fn http2_stream_carries_a_websocket() {
    let upstream = RawUpstream::start();
    // The gateway has nothing to send for longer than a client may read nothing.
    let keys = "stream_idle_timeout_ms = 1000\n[limits]\nmin_rate_window_ms = 300\n";
    let gateway = gateway(&upstream, keys);
    let mut client = frames::open(&gateway.site, &[]);
    let (_, _, _, settings) = frames::read_until(&mut client, frames::SETTINGS);
    // SETTINGS_ENABLE_CONNECT_PROTOCOL.
    assert!(
        settings.chunks(6).any(|setting| setting == [0, 8, 0, 0, 0, 1]),
        "{settings:?}"
    );
    let fields = |origin| {
        frames::block(&[
            (":method", "CONNECT"),
            (":protocol", "websocket"),
            (":scheme", "http"),
            (":authority", "site.example"),
            (":path", "/api/events/live"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-protocol", "chat"),
            ("origin", origin),
        ])
    };
    let request = fields("https://site.example");
    assert!(client.send(frames::frame(frames::HEADERS, frames::END_HEADERS, 1, &request)));
    let (mut backend, head) = switch(&upstream, "sec-websocket-protocol: chat\r\n", b"");
    assert!(head.starts_with("GET /live HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nsec-websocket-protocol: chat\r\n"), "{head}");
    let (kind, flags, _, block) = next_frame(&mut client);
    assert_eq!((kind, flags & frames::END_STREAM), (frames::HEADERS, 0));
    assert_eq!(frames::status(&block), "200");
    let message = [&header(0x81, 2, MASK)[..], b"hi"].concat();
    assert!(client.send(frames::frame(frames::DATA, 0, 1, &message)));
    expect(&mut backend, &message);
    backend.write_all(b"\x81\x03you").unwrap();
    assert_eq!(
        next_frame(&mut client),
        (frames::DATA, 0, 1, b"\x81\x03you".to_vec())
    );
    // Another origin, in another stream of the connection.
    let request = fields("https://evil.example");
    assert!(client.send(frames::frame(frames::HEADERS, frames::END_HEADERS, 3, &request)));
    let (_, _, stream, block) = frames::read_until(&mut client, frames::HEADERS);
    assert_eq!((stream, frames::status(&block)), (3, "403".to_owned()));
    assert_eq!(next_frame(&mut client), (frames::DATA, 0, 1, GOING_AWAY.to_vec()));
    expect_masked_going_away(&mut backend);
    // Both answer, and close.
    assert!(client.send(frames::frame(
        frames::DATA,
        frames::END_STREAM,
        1,
        &header(0x88, 0, MASK)
    )));
    drop(backend);
    let (kind, flags, ..) = next_frame(&mut client);
    assert_eq!((kind, flags), (frames::DATA, frames::END_STREAM));
    gateway.wait_for_closed_streams(KIND, "idle_timeout", 1);
}
