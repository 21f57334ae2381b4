//! TLS: protocols, timeouts, and certificate reloads with open connections.

use std::collections::HashMap;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rustls::NamedGroup;
use rustls::crypto::{SupportedKxGroup, aws_lc_rs};
use tempfile::TempDir;

use crate::support::frames::{
    self, DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, WINDOW_UPDATE, frame,
};
use crate::support::{
    Certificate, Gateway, Raw, Release, Request, Response, Setup, Tls, attack_encrypted,
    configuration_with_listen, only_limits, run_gateway, wait_until,
};

struct TlsSite {
    gateway: Gateway,
    certificate: Certificate,
    folder: Arc<TempDir>,
    table: String,
}

/// A gateway with TLS on the site listener.
fn tls_site(extra: &str) -> TlsSite {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let table = certificate.write(folder.path()).table("tls");
    let gateway = Gateway::set_up_live(Setup {
        folder: Some(Arc::clone(&folder)),
        extra: &format!("{table}{extra}"),
        ..Setup::default()
    });
    TlsSite {
        gateway,
        certificate,
        folder,
        table,
    }
}

#[test]
fn client_selects_protocol_and_key_exchange() {
    let site = tls_site("");
    let connect = |protocols: &[&str]| site.certificate.connect(&site.gateway.site, protocols).unwrap();
    assert_eq!(connect(&[]).protocol(), None);
    assert_eq!(connect(&["http/1.1"]).protocol(), Some(&b"http/1.1"[..]));
    let response = site.certificate.get(&site.gateway.site).unwrap();
    assert_eq!(response.status, 200);
    let mut tls = connect(&["h2", "http/1.1"]);
    assert_eq!(tls.protocol(), Some(&b"h2"[..]));
    let request = frame(
        HEADERS,
        END_STREAM | END_HEADERS,
        1,
        &frames::get_with_scheme("https", "/"),
    );
    tls.stream()
        .write_all(&[frames::client_preface(&[]), request].concat())
        .unwrap();
    read_until_frame(&mut tls, HEADERS);
    let key_exchange = |groups: &[&'static dyn SupportedKxGroup]| {
        let mut provider = aws_lc_rs::default_provider();
        provider.kx_groups = groups.to_vec();
        let config = Arc::new(site.certificate.client_config_with(provider, &[]));
        Tls::connect(&site.gateway.site, &config).unwrap().key_exchange()
    };
    // Post-quantum, if the client can. Browsers send a share of both, and prefer either.
    let hybrid = aws_lc_rs::kx_group::X25519MLKEM768;
    let classical = aws_lc_rs::kx_group::X25519;
    assert_eq!(key_exchange(&[hybrid]), NamedGroup::X25519MLKEM768);
    assert_eq!(key_exchange(&[classical]), NamedGroup::X25519);
    assert_eq!(key_exchange(&[hybrid, classical]), NamedGroup::X25519MLKEM768);
}

#[test]
fn http2_scheme_over_tls_must_be_https() {
    let site = tls_site("");
    attack_encrypted(&site.gateway, &site.certificate, || {
        for (scheme, expected) in [("https", "200"), ("http", "400"), ("ftp", "400")] {
            let mut tls = site.certificate.connect(&site.gateway.site, &["h2"]).unwrap();
            let head = frames::get_with_scheme(scheme, "/healthz");
            let request = frame(HEADERS, END_STREAM | END_HEADERS, 1, &head);
            tls.stream()
                .write_all(&[frames::client_preface(&[]), request].concat())
                .unwrap();
            let block = read_until_frame(&mut tls, HEADERS);
            assert_eq!(frames::status(&block), expected, "{scheme}");
        }
    });
}

#[test]
fn http2_responses_sent_together_are_whole() {
    const STREAMS: u32 = 40;
    // Together more than TLS holds back, and than the gateway's socket buffers.
    const LENGTH: usize = 200_000;
    let site = tls_site("");
    let release = Release::section("large", "1.0.0", &["/large"]);
    let file = vec![7; LENGTH];
    site.gateway
        .publish(&release.bytes("client/large.bin", "application/octet-stream", file));
    site.gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    let mut tls = site.certificate.connect(&site.gateway.site, &["h2"]).unwrap();
    let target = frames::get_with_scheme("https", "/assets/large/1.0.0/large.bin");
    let requests =
        (0..STREAMS).map(|number| frame(HEADERS, END_STREAM | END_HEADERS, 2 * number + 1, &target));
    // Windows for whole responses: 0x1000000 bytes of the connection, and of each stream.
    let start = [
        frames::client_preface(&[(4, 0x0100_0000)]),
        frame(WINDOW_UPDATE, 0, 0, &[1, 0, 0, 0]),
    ];
    let bytes: Vec<u8> = start.into_iter().chain(requests).flatten().collect();
    tls.stream().write_all(&bytes).unwrap();
    let mut received = HashMap::new();
    while received.values().filter(|(_, is_whole)| *is_whole).count() < STREAMS as usize {
        let (head, payload) = read_frame(&mut tls);
        if head[3] == DATA {
            let (length, is_whole) = received.entry(head[8]).or_insert((0, false));
            *length += payload.len();
            *is_whole = head[4] & END_STREAM != 0;
            assert!(payload.iter().all(|byte| *byte == 7));
        }
    }
    assert!(received.values().all(|(length, _)| *length == LENGTH));
}

/// Reads a frame. Returns its head and its payload.
fn read_frame(tls: &mut Tls) -> ([u8; 9], Vec<u8>) {
    let mut head = [0; 9];
    tls.stream().read_exact(&mut head).unwrap();
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; length as usize];
    tls.stream().read_exact(&mut payload).unwrap();
    (head, payload)
}

/// Reads until a frame of this kind arrives, and returns its payload.
fn read_until_frame(tls: &mut Tls, kind: u8) -> Vec<u8> {
    loop {
        let (head, payload) = read_frame(tls);
        if head[3] == kind {
            return payload;
        }
    }
}

/// Asserts that the gateway resets the connection, whatever it has sent before.
fn assert_reset(mut tls: Tls) {
    let outcome = tls.stream().read_to_end(&mut Vec::new());
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn tls_handshake_timeout_closes_connection() {
    let site = tls_site(&only_limits("tls_handshake_timeout_ms = 1000"));
    attack_encrypted(&site.gateway, &site.certificate, || {
        // Nothing, a partial ClientHello (RFC 8446, section 5.1), and plain HTTP.
        let connections = [
            &b""[..],
            b"\x16\x03\x01\x02\x00\x01",
            b"GET / HTTP/1.1\r\nhost: site.example\r\n\r\n",
        ]
        .map(|sent| {
            let mut raw = Raw::open(&site.gateway.site);
            assert!(raw.send(sent));
            raw
        });
        let raw = Raw::open(&site.gateway.site);
        let half = [0x16, 3, 1, 2, 0].into_iter();
        raw.drip_until_closed(half.chain(std::iter::repeat_n(1, 10_000)));
        for raw in connections {
            let received = raw.read_until_closed();
            assert!(!received.starts_with(b"HTTP/"), "{received:?}");
        }
    });
    let handshake_rejections = "colonnade_connections_rejected_total{listener=\"site\",cause=\"handshake\"}";
    wait_until("the rejections are counted", || {
        site.gateway.metric(handshake_rejections) >= 4
    });
    assert_eq!(site.gateway.metric(handshake_rejections), 4);
}

#[test]
fn first_byte_timeout_applies_after_handshake() {
    let site = tls_site(&only_limits("first_byte_timeout_ms = 400"));
    attack_encrypted(&site.gateway, &site.certificate, || {
        for (protocol, sent) in [
            ("http/1.1", &b""[..]),
            ("h2", b""),
            ("h2", &frames::PREFACE[..10]),
        ] {
            let mut tls = site.certificate.connect(&site.gateway.site, &[protocol]).unwrap();
            tls.stream().write_all(sent).unwrap();
            assert_reset(tls);
        }
    });
    site.gateway.wait_for_closed_connections("first_byte_timeout", 3);
}

const LARGE: &str = "/assets/large/1.0.0/large.bin";

#[test]
fn unread_response_resets_connection() {
    let site = tls_site(&only_limits("min_rate_window_ms = 400"));
    let release = Release::section("large", "1.0.0", &["/large"]);
    // More than the socket buffers hold.
    let release = release.bytes("client/large.bin", "application/octet-stream", vec![0; 12 << 20]);
    site.gateway.publish(&release);
    site.gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    let get = frame(
        HEADERS,
        END_STREAM | END_HEADERS,
        1,
        &frames::get_with_scheme("https", LARGE),
    );
    let window = frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0, 0, 0]);
    attack_encrypted(&site.gateway, &site.certificate, || {
        for (number, (protocol, sent)) in [
            (
                "http/1.1",
                format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n").into_bytes(),
            ),
            // Large windows, and a zero window.
            (
                "h2",
                [frames::client_preface(&[(4, 0x7fff_ffff)]), window, get.clone()].concat(),
            ),
            ("h2", [frames::client_preface(&[(4, 0)]), get].concat()),
        ]
        .into_iter()
        .enumerate()
        {
            let mut tls = site.certificate.connect(&site.gateway.site, &[protocol]).unwrap();
            tls.stream().write_all(&sent).unwrap();
            site.gateway
                .wait_for_closed_connections("write_timeout", number as u64 + 1);
            assert_reset(tls);
        }
    });
}

/// The head of a request with a body.
const POST: &str = "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                    content-type: application/json\r\n";

#[test]
fn slow_body_resets_connection() {
    let site = tls_site(&only_limits("min_rate_window_ms = 400"));
    let connect = |protocol| site.certificate.connect(&site.gateway.site, &[protocol]).unwrap();
    attack_encrypted(&site.gateway, &site.certificate, || {
        let start = format!("{POST}content-length: 1000\r\n\r\n[");
        let mut tls = connect("http/1.1");
        tls.stream().write_all(start.as_bytes()).unwrap();
        assert_reset(tls);
        // One byte per TLS record.
        let mut tls = connect("http/1.1");
        tls.stream().write_all(start.as_bytes()).unwrap();
        let is_open = |_: &_| {
            std::thread::park_timeout(Duration::from_millis(20));
            tls.stream().write_all(b" ").is_ok()
        };
        assert!(
            (0..900).take_while(is_open).count() < 900,
            "the connection is never closed"
        );
        site.gateway.wait_for_closed_connections("body_timeout", 2);
        // Over HTTP/2 only the slow request is reset.
        let mut tls = connect("h2");
        let head = frame(HEADERS, END_HEADERS, 1, &frames::post_report_with_scheme("https"));
        let sent = [frames::client_preface(&[]), head, frame(DATA, 0, 1, b"[")].concat();
        tls.stream().write_all(&sent).unwrap();
        read_until_frame(&mut tls, RST_STREAM);
        let next = frame(
            HEADERS,
            END_STREAM | END_HEADERS,
            3,
            &frames::get_with_scheme("https", "/healthz"),
        );
        tls.stream().write_all(&next).unwrap();
        read_until_frame(&mut tls, HEADERS);
        assert_eq!(site.gateway.closed_connections("body_timeout"), 2);
    });
}

#[test]
fn response_completes_while_client_keeps_sending() {
    let site = tls_site("");
    attack_encrypted(&site.gateway, &site.certificate, || {
        let mut tls = site.certificate.connect(&site.gateway.site, &[]).unwrap();
        let start = format!("{POST}content-length: 1000000\r\n\r\n");
        let request = [start.as_bytes(), &b" ".repeat(1_000_000)].concat();
        tls.stream().write_all(&request).unwrap();
        let mut received = Vec::new();
        tls.stream().read_to_end(&mut received).unwrap();
        assert_eq!(Response::parse(&received).status, 413);
        for _ in 0..10 {
            tls.stream().write_all(&[b' '; 100]).unwrap();
        }
    });
}

#[test]
fn connection_limit_closes_before_handshake() {
    let site = tls_site("[limits]\nmax_connections = 3\n");
    let connect = || site.certificate.connect(&site.gateway.site, &[]);
    // Each has a request in flight.
    let mut all: Vec<Tls> = (0..3)
        .map(|_| {
            let mut tls = connect().unwrap();
            let head = format!("{POST}content-length: 2\r\nexpect: 100-continue\r\n\r\n");
            tls.stream().write_all(head.as_bytes()).unwrap();
            let mut received = [0; 25];
            tls.stream().read_exact(&mut received).unwrap();
            assert_eq!(&received, b"HTTP/1.1 100 Continue\r\n\r\n");
            tls
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(Raw::open(&site.gateway.site).read_until_closed(), b"");
        assert!(connect().is_err());
    }
    for tls in &mut all {
        tls.stream().write_all(b"[]").unwrap();
        let mut received = [0; 9];
        tls.stream().read_exact(&mut received).unwrap();
        assert_eq!(&received, b"HTTP/1.1 ");
    }
    let rejected = "colonnade_connections_rejected_total{listener=\"site\",cause=\"limit\"}";
    assert_eq!(site.gateway.metric(rejected), 40);
    drop(all);
    wait_until("a slot is free", || connect().is_ok());
}

#[test]
fn per_client_connection_limit_closes_before_handshake() {
    let site = tls_site("[limits]\nmax_connections_per_client = 2\n");
    let client = site.gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 3, 1));
    let connect = || site.certificate.connect(&client, &[]);
    attack_encrypted(&site.gateway, &site.certificate, || {
        let mut all = [connect().unwrap(), connect().unwrap()];
        for _ in 0..20 {
            assert_eq!(Raw::open(&client).read_until_closed(), b"");
            assert!(connect().is_err());
        }
        for tls in &mut all {
            tls.exchange().unwrap();
        }
        drop(all);
        wait_until("a slot is free", || connect().is_ok());
    });
}

#[test]
fn reloaded_certificate_applies_to_new_connections() {
    for by_signal in [true, false] {
        let site = tls_site("");
        let mut open = site.certificate.connect(&site.gateway.site, &[]).unwrap();
        open.exchange().unwrap();
        let next = Certificate::new();
        assert!(next.get(&site.gateway.site).is_err());
        next.write(site.folder.path());
        if by_signal {
            site.gateway.signal("HUP");
        }
        site.gateway
            .wait_for_event(|line| line["event"] == "certificate_reloaded");
        assert_eq!(next.get(&site.gateway.site).unwrap().status, 200);
        assert!(site.certificate.get(&site.gateway.site).is_err());
        open.exchange().unwrap();
        if by_signal {
            // Allowed hosts are reloaded, too.
            let listen = "allowed_hosts = [\"other.example\"]";
            let reloads = || site.gateway.output().matches("\"config_reloaded\"").count();
            wait_until("the first reload has ended", || reloads() == 1);
            site.gateway
                .reload(&configuration_with_listen(listen, &site.table));
            wait_until("the configuration is reloaded", || reloads() == 2);
            assert_eq!(next.get(&site.gateway.site).unwrap().status, 421);
        }
    }
}

#[test]
fn invalid_certificate_is_logged_and_old_one_stays() {
    let site = tls_site("");
    let files = site.certificate.write(site.folder.path());
    std::fs::write(&files.certificate, "no certificate").unwrap();
    // A file that is being written may be read empty, which logs another error first.
    let event = site.gateway.wait_for_event(|line| {
        let error = line["error"].as_str().unwrap_or_default();
        line["event"] == "certificate_reload_failed"
            && error.contains("certificate.pem: contains no certificate")
    });
    assert_eq!(event["listener"], "site");
    assert_eq!(site.certificate.get(&site.gateway.site).unwrap().status, 200);
    // A key that belongs to another certificate.
    site.certificate.write(site.folder.path());
    let other = TempDir::new().unwrap();
    std::fs::copy(Certificate::new().write(other.path()).key, &files.key).unwrap();
    let event = site.gateway.wait_for_event(|line| {
        let error = line["error"].as_str().unwrap_or_default();
        line["event"] == "certificate_reload_failed" && error.contains("do not match")
    });
    assert!(!event.to_string().contains("PRIVATE"));
    assert_eq!(site.certificate.get(&site.gateway.site).unwrap().status, 200);
}

#[test]
fn hanging_certificate_read_keeps_old_certificate() {
    let site = tls_site("");
    let files = site.certificate.write(site.folder.path());
    // Reading a FIFO without a writer blocks forever. The rename replaces the key atomically, so the key is
    // never missing.
    let pipe = site.folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::rename(&pipe, &files.key).unwrap();
    let event = site.gateway.wait_for_event(|line| {
        line["event"] == "certificate_reload_failed" && line["error"].to_string().contains("timed out")
    });
    assert_eq!(event["error"], "reading the files timed out after 5 s");
    assert_eq!(site.certificate.get(&site.gateway.site).unwrap().status, 200);
    site.gateway.signal("HUP");
    let event = site
        .gateway
        .wait_for_event(|line| line["event"] == "config_reload_failed");
    assert_eq!(event["error"], "reading the files timed out after 5 s");
    std::fs::remove_file(&files.key).unwrap();
    let next = Certificate::new();
    next.write(site.folder.path());
    site.gateway.signal("HUP");
    wait_until("the next certificate is served", || {
        next.get(&site.gateway.site).is_ok()
    });
    // The gateway does not retry by itself while a read hangs: each try would block another thread.
    let output = site.gateway.output();
    let tries = output
        .lines()
        .filter(|line| line.contains("\"certificate_reload_failed\"") && line.contains("timed out"));
    assert_eq!(tries.count(), 1, "{output}");
    // File changes are detected again.
    let last = Certificate::new();
    last.write(site.folder.path());
    wait_until("the last certificate is served", || {
        last.get(&site.gateway.site).is_ok()
    });
}

#[test]
fn invalid_certificate_fails_config_check() {
    let folder = TempDir::new().unwrap();
    let files = Certificate::new().write(folder.path());
    let config = folder.path().join("site.toml");
    for (path, text, expected) in [
        (&files.certificate, "", "contains no certificate"),
        (&files.key, "", "cannot read the private key"),
    ] {
        let valid = std::fs::read(path).unwrap();
        std::fs::write(path, text).unwrap();
        std::fs::write(&config, configuration_with_listen("", &files.table("tls"))).unwrap();
        let output = run_gateway(&["check", "--config", config.to_str().unwrap()]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.contains("listen.tls: ") && stderr.contains(expected),
            "{stderr}"
        );
        std::fs::write(path, valid).unwrap();
    }
}

#[test]
fn non_loopback_admin_listener_requires_tls() {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let files = certificate.write(folder.path());
    let config = folder.path().join("site.toml");
    let expose_admin = |text: String| text.replace("admin = \"127.0.0.1:0\"", "admin = \"0.0.0.0:0\"");
    std::fs::write(&config, expose_admin(configuration_with_listen("", ""))).unwrap();
    let output = run_gateway(&["serve", "--config", config.to_str().unwrap()]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr.contains("listen.admin: 0.0.0.0 is not a loopback address"),
        "{stderr}"
    );
    std::fs::write(
        &config,
        expose_admin(configuration_with_listen("", &files.table("admin_tls"))),
    )
    .unwrap();
    let output = run_gateway(&["check", "--config", config.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let gateway = Gateway::start_in(folder, &files.table("admin_tls"));
    assert!(
        certificate
            .connect(&gateway.admin, &[])
            .unwrap()
            .exchange()
            .is_ok()
    );
}

#[test]
fn tls_admin_accepts_certificate_or_configured_hosts() {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let table = certificate.write(folder.path()).table("admin_tls");
    let gateway = Gateway::start_in(folder, &table);
    // With the host name of the certificate.
    let metrics = || {
        let request = Request::new("GET", "/metrics");
        certificate.send(&gateway.admin, request).unwrap().status
    };
    assert_eq!(metrics(), 200);
    let cases = [
        ("", 200),
        ("admin_allowed_hosts = [\"other.internal\"]", 421),
        ("admin_allowed_hosts = [\"site.example\"]", 200),
    ];
    for (before, (listen, expected)) in cases.into_iter().enumerate() {
        gateway.reload(&configuration_with_listen(listen, &table));
        wait_until("the configuration is reloaded", || {
            gateway.output().matches("\"config_reloaded\"").count() > before
        });
        assert_eq!(metrics(), expected, "{listen}");
    }
}

#[test]
fn partial_tls_handshake_does_not_block_shutdown() {
    let TlsSite { mut gateway, .. } =
        tls_site(&only_limits("shutdown_delay_ms = 0\ndrain_timeout_ms = 1000"));
    let mut raw = Raw::open(&gateway.site);
    assert!(raw.send([0x16, 3, 1, 2, 0, 1]));
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}
