//! TLS: protocols, deadlines, and certificates that change while connections are open.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use crate::support::frames::{
    self, DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, WINDOW_UPDATE, frame,
};
use crate::support::{
    Certificate, Gateway, Raw, Release, Request, Response, Setup, Tls, attack_encrypted, listening, only,
    run, until,
};

struct Encrypted {
    gateway: Gateway,
    certificate: Certificate,
    folder: Arc<TempDir>,
    table: String,
}

/// A gateway whose site listener speaks TLS.
fn encrypted(extra: &str) -> Encrypted {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let table = certificate.write(folder.path()).table("tls");
    let gateway = Gateway::set_up_live(Setup {
        folder: Some(Arc::clone(&folder)),
        extra: &format!("{table}{extra}"),
        ..Setup::default()
    });
    Encrypted {
        gateway,
        certificate,
        folder,
        table,
    }
}

#[test]
fn both_protocols_are_spoken_and_the_client_chooses() {
    let site = encrypted("");
    let connect = |protocols: &[&str]| site.certificate.connect(&site.gateway.site, protocols).unwrap();
    assert_eq!(connect(&[]).protocol(), None);
    assert_eq!(connect(&["http/1.1"]).protocol(), Some(&b"http/1.1"[..]));
    let answer = site.certificate.get(&site.gateway.site).unwrap();
    assert_eq!(answer.status, 200);
    let mut tls = connect(&["h2", "http/1.1"]);
    assert_eq!(tls.protocol(), Some(&b"h2"[..]));
    let request = frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get("/"));
    tls.stream()
        .write_all(&[frames::start(&[]), request].concat())
        .unwrap();
    hear_until(&mut tls, HEADERS);
}

/// Reads until a frame of this kind has come.
fn hear_until(tls: &mut Tls, kind: u8) {
    let mut said = Vec::new();
    while !frames::kinds(&said).contains(&kind) {
        let mut bytes = [0; 1024];
        let count = tls.stream().read(&mut bytes).unwrap();
        assert!(count > 0, "{said:?}");
        said.extend(&bytes[..count]);
    }
}

/// The gateway resets a connection, whatever it has said on it before.
fn is_reset(mut tls: Tls) {
    let outcome = tls.stream().read_to_end(&mut Vec::new());
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn nobody_is_waited_for_in_the_middle_of_a_greeting() {
    let site = encrypted(&only("handshake_ms = 400"));
    attack_encrypted(&site.gateway, &site.certificate, || {
        // Nothing, half a greeting (RFC 8446, 5.1), and no greeting at all.
        for said in [
            &b""[..],
            b"\x16\x03\x01\x02\x00\x01",
            b"GET / HTTP/1.1\r\nhost: site.example\r\n\r\n",
        ] {
            let mut raw = Raw::open(&site.gateway.site);
            assert!(raw.say(said));
            let said = raw.until_closed();
            assert!(!said.starts_with(b"HTTP/"), "{said:?}");
        }
        let raw = Raw::open(&site.gateway.site);
        let half = [0x16, 3, 1, 2, 0].into_iter();
        raw.drip_until_closed(half.chain(std::iter::repeat_n(1, 10_000)));
    });
    let greeting = "colonnade_connections_refused_total{listener=\"site\",cause=\"greeting\"}";
    until("they are counted", || site.gateway.count(greeting) >= 4);
    assert_eq!(site.gateway.count(greeting), 4);
}

#[test]
fn who_says_nothing_after_the_greeting_is_given_up() {
    let site = encrypted(&only("first_byte_ms = 400"));
    attack_encrypted(&site.gateway, &site.certificate, || {
        for (protocol, said) in [
            ("http/1.1", &b""[..]),
            ("h2", b""),
            ("h2", &frames::PREFACE[..10]),
        ] {
            let mut tls = site.certificate.connect(&site.gateway.site, &[protocol]).unwrap();
            tls.stream().write_all(said).unwrap();
            is_reset(tls);
        }
    });
    site.gateway.until_ended("silent", 3);
}

const LARGE: &str = "/assets/large/1.0.0/large.bin";

#[test]
fn who_does_not_read_is_given_up_as_in_the_clear() {
    let site = encrypted(&only("progress_ms = 400"));
    let release = Release::section("large", "1.0.0", &["/large"]);
    // No buffer of the system holds it.
    let release = release.bytes("client/large.bin", "application/octet-stream", vec![0; 12 << 20]);
    site.gateway.publish(&release);
    site.gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    let get = frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get(LARGE));
    let much = frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0, 0, 0]);
    attack_encrypted(&site.gateway, &site.certificate, || {
        for (number, (protocol, said)) in [
            (
                "http/1.1",
                format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n").into_bytes(),
            ),
            // Large windows, and one of nothing.
            (
                "h2",
                [frames::start(&[(4, 0x7fff_ffff)]), much, get.clone()].concat(),
            ),
            ("h2", [frames::start(&[(4, 0)]), get].concat()),
        ]
        .into_iter()
        .enumerate()
        {
            let mut tls = site.certificate.connect(&site.gateway.site, &[protocol]).unwrap();
            tls.stream().write_all(&said).unwrap();
            site.gateway.until_ended("slow_reader", number as u64 + 1);
            is_reset(tls);
        }
    });
}

/// The head of a request with a body.
const POST: &str = "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                    content-type: application/json\r\n";

#[test]
fn a_body_that_comes_slowly_is_given_up_as_in_the_clear() {
    let site = encrypted(&only("progress_ms = 400"));
    let connect = |protocol| site.certificate.connect(&site.gateway.site, &[protocol]).unwrap();
    attack_encrypted(&site.gateway, &site.certificate, || {
        let start = format!("{POST}content-length: 1000\r\n\r\n[");
        let mut tls = connect("http/1.1");
        tls.stream().write_all(start.as_bytes()).unwrap();
        is_reset(tls);
        // By the byte, each in a record of its own.
        let mut tls = connect("http/1.1");
        tls.stream().write_all(start.as_bytes()).unwrap();
        let is_heard = |_: &_| {
            std::thread::park_timeout(Duration::from_millis(20));
            tls.stream().write_all(b" ").is_ok()
        };
        assert!(
            (0..900).take_while(is_heard).count() < 900,
            "every byte is listened to"
        );
        site.gateway.until_ended("slow_body", 2);
        // Over HTTP/2 it costs its own request alone.
        let mut tls = connect("h2");
        let head = frame(HEADERS, END_HEADERS, 1, &frames::post_report());
        let said = [frames::start(&[]), head, frame(DATA, 0, 1, b"[")].concat();
        tls.stream().write_all(&said).unwrap();
        hear_until(&mut tls, RST_STREAM);
        let next = frame(HEADERS, END_STREAM | END_HEADERS, 3, &frames::get("/healthz"));
        tls.stream().write_all(&next).unwrap();
        hear_until(&mut tls, HEADERS);
        assert_eq!(site.gateway.ended("slow_body"), 2);
    });
}

#[test]
fn an_answer_arrives_whole_although_its_client_goes_on_to_send_as_in_the_clear() {
    let site = encrypted("");
    attack_encrypted(&site.gateway, &site.certificate, || {
        let mut tls = site.certificate.connect(&site.gateway.site, &[]).unwrap();
        let start = format!("{POST}content-length: 1000000\r\n\r\n");
        let request = [start.as_bytes(), &b" ".repeat(1_000_000)].concat();
        tls.stream().write_all(&request).unwrap();
        let mut said = Vec::new();
        tls.stream().read_to_end(&mut said).unwrap();
        assert_eq!(Response::parse(&said).status, 413);
        for _ in 0..10 {
            tls.stream().write_all(&[b' '; 100]).unwrap();
        }
    });
}

#[test]
fn a_connection_too_many_is_closed_before_it_is_greeted() {
    let site = encrypted("[limits]\nconnections = 3\n");
    let connect = || site.certificate.connect(&site.gateway.site, &[]);
    // Each has a request under way.
    let mut all: Vec<Tls> = (0..3)
        .map(|_| {
            let mut tls = connect().unwrap();
            let head = format!("{POST}content-length: 2\r\nexpect: 100-continue\r\n\r\n");
            tls.stream().write_all(head.as_bytes()).unwrap();
            let mut said = [0; 25];
            tls.stream().read_exact(&mut said).unwrap();
            assert_eq!(&said, b"HTTP/1.1 100 Continue\r\n\r\n");
            tls
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(Raw::open(&site.gateway.site).until_closed(), b"");
        assert!(connect().is_err());
    }
    for tls in &mut all {
        tls.stream().write_all(b"[]").unwrap();
        let mut said = [0; 9];
        tls.stream().read_exact(&mut said).unwrap();
        assert_eq!(&said, b"HTTP/1.1 ");
    }
    let refused = "colonnade_connections_refused_total{listener=\"site\",cause=\"all\"}";
    assert_eq!(site.gateway.count(refused), 40);
    drop(all);
    until("there is room again", || connect().is_ok());
}

#[test]
fn a_client_with_too_many_connections_is_not_greeted_again() {
    let site = encrypted("[limits]\nconnections_per_client = 2\n");
    let client = site.gateway.site.coming_from(Ipv4Addr::new(127, 0, 3, 1));
    let connect = || site.certificate.connect(&client, &[]);
    attack_encrypted(&site.gateway, &site.certificate, || {
        let mut all = [connect().unwrap(), connect().unwrap()];
        for _ in 0..20 {
            assert_eq!(Raw::open(&client).until_closed(), b"");
            assert!(connect().is_err());
        }
        for tls in &mut all {
            tls.exchange().unwrap();
        }
        drop(all);
        until("there is room again", || connect().is_ok());
    });
}

#[test]
fn a_new_certificate_is_shown_to_new_connections_and_the_old_ones_go_on() {
    for by_signal in [true, false] {
        let site = encrypted("");
        let mut open = site.certificate.connect(&site.gateway.site, &[]).unwrap();
        open.exchange().unwrap();
        let next = Certificate::new();
        assert!(next.get(&site.gateway.site).is_err());
        next.write(site.folder.path());
        if by_signal {
            site.gateway.signal("HUP");
        }
        site.gateway
            .wait_for(|line| line["event"] == "certificate_loaded");
        assert_eq!(next.get(&site.gateway.site).unwrap().status, 200);
        assert!(site.certificate.get(&site.gateway.site).is_err());
        open.exchange().unwrap();
    }
}

#[test]
fn a_certificate_that_cannot_be_used_leaves_the_old_one_and_the_log_says_why() {
    let site = encrypted("");
    let files = site.certificate.write(site.folder.path());
    std::fs::write(&files.certificate, "no certificate").unwrap();
    // Files that are being written may be found empty, and that is told before.
    let event = site.gateway.wait_for(|line| {
        let error = line["error"].as_str().unwrap_or_default();
        line["event"] == "certificate_failed" && error.contains("certificate.pem: there is no certificate")
    });
    assert_eq!(event["listener"], "site");
    assert_eq!(site.certificate.get(&site.gateway.site).unwrap().status, 200);
    // A key that belongs to another certificate.
    site.certificate.write(site.folder.path());
    let other = TempDir::new().unwrap();
    std::fs::copy(Certificate::new().write(other.path()).key, &files.key).unwrap();
    let event = site.gateway.wait_for(|line| {
        let error = line["error"].as_str().unwrap_or_default();
        line["event"] == "certificate_failed" && error.contains("do not go together")
    });
    assert!(!event.to_string().contains("PRIVATE"));
    assert_eq!(site.certificate.get(&site.gateway.site).unwrap().status, 200);
}

#[test]
fn files_that_never_answer_leave_the_old_certificate_and_do_not_end_reloading() {
    let site = encrypted("");
    let files = site.certificate.write(site.folder.path());
    // Whoever reads from a pipe that nobody writes to waits for ever. It takes the key's place at once: no look finds none.
    let pipe = site.folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::rename(&pipe, &files.key).unwrap();
    let event = site.gateway.wait_for(|line| {
        line["event"] == "certificate_failed" && line["error"].to_string().contains("answer")
    });
    assert_eq!(event["error"], "the files did not answer within 5 s");
    assert_eq!(site.certificate.get(&site.gateway.site).unwrap().status, 200);
    site.gateway.signal("HUP");
    let event = site.gateway.wait_for(|line| line["event"] == "reload_failed");
    assert_eq!(event["error"], "the files did not answer within 5 s");
    std::fs::remove_file(&files.key).unwrap();
    let next = Certificate::new();
    next.write(site.folder.path());
    site.gateway.signal("HUP");
    until("the next one is shown", || next.get(&site.gateway.site).is_ok());
    // While they did not answer nobody tried again without being told: each try would leave a thread waiting.
    let output = site.gateway.output();
    let tries = output
        .lines()
        .filter(|line| line.contains("\"certificate_failed\"") && line.contains("did not answer"));
    assert_eq!(tries.count(), 1, "{output}");
    // That they change is seen again.
    let last = Certificate::new();
    last.write(site.folder.path());
    until("the last one is shown", || last.get(&site.gateway.site).is_ok());
}

#[test]
fn a_configuration_with_a_certificate_that_cannot_be_used_starts_nothing() {
    let folder = TempDir::new().unwrap();
    let files = Certificate::new().write(folder.path());
    let config = folder.path().join("site.toml");
    for (path, text, said) in [
        (&files.certificate, "", "there is no certificate"),
        (&files.key, "", "no private key can be read"),
    ] {
        let sound = std::fs::read(path).unwrap();
        std::fs::write(path, text).unwrap();
        std::fs::write(&config, listening("", &files.table("tls"))).unwrap();
        let output = run(&["check", "--config", config.to_str().unwrap()]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.contains("listen.tls: ") && stderr.contains(said),
            "{stderr}"
        );
        std::fs::write(path, sound).unwrap();
    }
}

#[test]
fn the_admin_api_is_reached_from_elsewhere_only_over_tls() {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let files = certificate.write(folder.path());
    let config = folder.path().join("site.toml");
    let elsewhere = |text: String| text.replace("admin = \"127.0.0.1:0\"", "admin = \"0.0.0.0:0\"");
    std::fs::write(&config, elsewhere(listening("", ""))).unwrap();
    let output = run(&["serve", "--config", config.to_str().unwrap()]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr.contains("listen.admin: 0.0.0.0 can be reached from elsewhere"),
        "{stderr}"
    );
    std::fs::write(&config, elsewhere(listening("", &files.table("admin_tls")))).unwrap();
    let output = run(&["check", "--config", config.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let gateway = Gateway::set_up(Setup {
        folder: Some(folder),
        extra: &files.table("admin_tls"),
        ..Setup::default()
    });
    assert!(
        certificate
            .connect(&gateway.admin, &[])
            .unwrap()
            .exchange()
            .is_ok()
    );
}

#[test]
fn over_tls_the_admin_api_answers_to_any_name_of_its_certificate_unless_it_has_names_of_its_own() {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let table = certificate.write(folder.path()).table("admin_tls");
    let gateway = Gateway::set_up(Setup {
        folder: Some(folder),
        extra: &table,
        ..Setup::default()
    });
    // By the name in the certificate.
    let metrics = || {
        let request = Request::new("GET", "/metrics");
        certificate.send(&gateway.admin, request).unwrap().status
    };
    assert_eq!(metrics(), 200);
    let cases = [
        ("", 200),
        ("admin_hosts = [\"other.internal\"]", 421),
        ("admin_hosts = [\"site.example\"]", 200),
    ];
    for (before, (listen, expected)) in cases.into_iter().enumerate() {
        gateway.reload(&listening(listen, &table));
        until("it is read again", || {
            gateway.output().matches("\"reloaded\"").count() > before
        });
        assert_eq!(metrics(), expected, "{listen}");
    }
}

#[test]
fn half_a_greeting_does_not_hold_up_the_end_for_ever() {
    let Encrypted { mut gateway, .. } = encrypted(&only("stop_delay_ms = 0\ndrain_ms = 1000"));
    let mut raw = Raw::open(&gateway.site);
    assert!(raw.say([0x16, 3, 1, 2, 0, 1]));
    gateway.signal("TERM");
    assert_eq!(gateway.end().code(), Some(0));
}

#[test]
fn one_reload_takes_configuration_and_certificate() {
    let site = encrypted("");
    site.gateway
        .reload(&listening("hosts = [\"other.example\"]", &site.table));
    site.gateway.wait_for(|line| line["event"] == "reloaded");
    assert_eq!(site.certificate.get(&site.gateway.site).unwrap().status, 421);
}
