//! Admission control: a client with few requests in flight takes permits from clients with more.

use std::io::Write as _;
use std::net::Ipv4Addr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park_timeout;
use std::time::Duration;

use tokio::time::Instant;

use crate::support::frames::{self, DATA, END_HEADERS, END_STREAM, HEADERS, WINDOW_UPDATE, frame};
use crate::support::{Backend, Client, Gateway, Raw, Release, Reply, Setup, attack, only_limits, wait_until};

/// The identifier of `SETTINGS_INITIAL_WINDOW_SIZE` (RFC 9113, section 6.5.2).
const INITIAL_WINDOW_SIZE: u16 = 4;

const LENGTH: u32 = 200_000;
const TARGET: &str = "/assets/large/1.0.0/large.bin";

/// The size of [`DOWNLOAD`], which exceeds the socket buffers.
const DOWNLOAD_LENGTH: usize = 16_000_000;
const DOWNLOAD: &str = "/assets/download/1.0.0/large.bin";

/// Four clients can use up the request limit.
const LIMITS: &str = "[limits]\nmax_requests_in_flight = 16\nmax_requests_in_flight_per_client = 4\n";

fn gateway() -> Gateway {
    gateway_with(LIMITS)
}

fn gateway_with(extra: &str) -> Gateway {
    with_large_file(Gateway::start_live(extra, &[("KEY", "the-key")]))
}

/// Deploys the file [`TARGET`].
fn with_large_file(gateway: Gateway) -> Gateway {
    let release = Release::section("large", "1.0.0", &["/large"]);
    let bytes = vec![0; LENGTH as usize];
    gateway.publish(&release.bytes("client/large.bin", "application/octet-stream", bytes));
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    gateway
}

fn ip(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, last)
}

/// A connection with `times` requests for a file, of which each response may send one byte.
fn open_requests(client: &Client, times: u32) -> Raw {
    let mut raw = frames::open(client, &[(INITIAL_WINDOW_SIZE, 1)]);
    for number in 0..times {
        raw.send(frames::request(2 * number + 1, TARGET));
    }
    raw
}

/// Like [`open_requests`], after one byte of each response has arrived.
fn open_responses(client: &Client, times: u32) -> Raw {
    let mut raw = open_requests(client, times);
    for _ in 0..times {
        let (_, flags, _, payload) = frames::read_until(&mut raw, DATA);
        assert_eq!((flags & END_STREAM, payload.len()), (0, 1));
    }
    raw
}

/// Holds as many requests as a client may until `stop` is set. Reconnects after a preemption, and also from
/// time to time: requests that were shed while preempted permits were being returned hold nothing.
fn hold_requests(client: Client, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let mut raw = open_requests(&client, 4);
        // One byte at a time, like a slow client.
        for _ in 0..40 {
            if stop.load(Ordering::Relaxed) || !raw.send(frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1])) {
                break;
            }
            park_timeout(Duration::from_millis(5));
        }
    }
}

/// Four clients hold as many requests as they can while another one keeps sending requests, until some of the
/// held requests are preempted.
fn exhaust_request_limit(gateway: &Gateway) {
    let other = gateway.site.with_source_ip(ip(15));
    let stop = AtomicBool::new(false);
    let times = std::thread::scope(|scope| {
        for last in 11..=14 {
            let client = gateway.site.with_source_ip(ip(last));
            let stop = &stop;
            scope.spawn(move || hold_requests(client, stop));
        }
        // Stop the other threads even if an assertion fails.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            (0..10_000).find(|times| {
                assert_eq!(other.get("/").status, 200);
                times % 20 == 19 && *times >= 79 && gateway.closed_connections("preempted") >= 5
            })
        }));
        stop.store(true, Ordering::Relaxed);
        outcome
    });
    let times = times.unwrap_or_else(|panic| resume_unwind(panic));
    assert!(times.is_some(), "no request is preempted");
}

#[test]
fn slow_readers_neither_exhaust_limit_nor_fair_share() {
    let gateway = gateway();
    let fair_client = open_responses(&gateway.site.with_source_ip(ip(20)), 2);
    attack(&gateway, || exhaust_request_limit(&gateway));
    assert_completes(fair_client);
}

/// Asserts that the rest of the two responses of [`open_responses`] arrives once the windows open.
fn assert_completes(mut raw: Raw) {
    let window = LENGTH.to_be_bytes();
    for stream in [0, 1, 0, 3] {
        assert!(raw.send(frame(WINDOW_UPDATE, 0, stream, &window)));
    }
    let mut remaining = 2 * (LENGTH as usize - 1);
    while remaining > 0 {
        remaining -= frames::read_until(&mut raw, DATA).3.len();
    }
}

#[test]
fn fair_share_client_is_kept_when_others_wait_on_backend() {
    let backend = Backend::start(Reply::Hold("{}".to_owned()));
    // The fair client's responses do not stall.
    let gateway = gateway_with(&(only_limits("max_requests_in_flight = 6") + &backend.signup_table()));
    let fair_client = open_responses(&gateway.site.with_source_ip(ip(20)), 2);
    // These wait for the backend, not for their client, so they cannot be preempted.
    let others = gateway.site.with_source_ip(ip(21));
    let _others = [(); 4].map(|()| Raw::sign_up(&others));
    backend.wait_for_requests(4);
    assert_eq!(gateway.get("/").status, 503);
    backend.release_held();
    assert_completes(fair_client);
    assert_eq!(gateway.closed_connections("preempted"), 0);
}

#[test]
fn connections_of_trusted_proxy_are_not_preempted() {
    let gateway = with_large_file(Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.1.0/24\"]",
        extra: "[limits]\nmax_requests_in_flight = 8\nmax_connections_per_client = 3\n",
        ..Setup::default()
    }));
    // The limit on connections of a client does not apply to a proxy.
    let proxy = gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 1, 1));
    let connections = [(); 4].map(|()| open_responses(&proxy, 2));
    assert_eq!(gateway.get("/").status, 503);
    connections.into_iter().for_each(assert_completes);
    assert_eq!(gateway.closed_connections("preempted"), 0);
}

#[test]
fn one_slow_upload_per_client_sheds_no_visit() {
    let gateway = gateway_with("[limits]\nmax_requests_in_flight = 64\n");
    let client = |last| gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 5, last));
    attack(&gateway, || {
        let mut uploads: Vec<_> = (0..64).map(|last| client(last).pending_upload()).collect();
        wait_until("visits get permits repeatedly", || {
            // Each one is renewed when it ends.
            for (last, upload) in (0..).zip(&mut uploads) {
                if upload.write_all(b" ").is_err() {
                    *upload = client(last).pending_upload();
                }
            }
            gateway.closed_connections("preempted") >= 16
        });
    });
}

#[test]
fn one_unread_response_per_client_sheds_no_visit() {
    // A tenth of the window.
    let yields_after = Duration::from_secs(2);
    let gateway = gateway_with("[limits]\nmax_requests_in_flight = 100\nmin_rate_window_ms = 20000\n");
    let open = |last| open_responses(&gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 5, last)), 1);
    let _unread: Vec<_> = (0..100).map(open).collect();
    let opened = Instant::now();
    wait_until("every response yields", || opened.elapsed() > yields_after);
    attack(&gateway, || {
        let _new_clients: Vec<_> = (100..120).map(open).collect();
        wait_until("others have yielded", || {
            gateway.closed_connections("preempted") >= 20
        });
    });
}

#[test]
fn busy_requests_of_larger_client_leave_the_last_resort() {
    let backend = Backend::start(Reply::Hold("{}".to_owned()));
    // A response that waits for its client for half a second yields.
    let limits = "[limits]\nmax_requests_in_flight = 8\nmin_rate_window_ms = 5000\n".to_owned();
    let gateway = gateway_with(&(limits + &backend.signup_table()));
    let larger_client = gateway.site.with_source_ip(ip(21));
    let mut signups = [(); 3].map(|()| Raw::sign_up(&larger_client));
    backend.wait_for_requests(3);
    attack(&gateway, || {
        let mut unread = Vec::new();
        // A request that comes before another one has waited for long enough is shed, and holds nothing.
        wait_until("five preempted connections", || {
            let last = u8::try_from(unread.len() % 250).unwrap();
            unread.push(open_responses(
                &gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 5, last)),
                1,
            ));
            gateway.closed_connections("preempted") >= 5
        });
    });
    backend.release_held();
    for signup in &mut signups {
        assert_eq!(signup.read_exact(12), b"HTTP/1.1 200");
    }
}

/// Four clients, each with a download over HTTP/1 that has begun.
fn begin_downloads(gateway: &Gateway) -> [Raw; 4] {
    let release = Release::section("download", "1.0.0", &["/download"]);
    let bytes = vec![0; DOWNLOAD_LENGTH];
    gateway.publish(&release.bytes("client/large.bin", "application/octet-stream", bytes));
    gateway.deploy(&serde_json::json!({ "download": "1.0.0" }));
    [20, 21, 22, 23].map(|last| {
        let mut raw = Raw::open(&gateway.site.with_source_ip(ip(last)));
        assert!(raw.send(format!("GET {DOWNLOAD} HTTP/1.1\r\nhost: site.example\r\n\r\n")));
        raw.read_exact(1);
        raw
    })
}

#[cfg(target_os = "linux")]
#[test]
fn download_that_moves_steadily_is_kept() {
    // Each client reads about 400 KB per second. One that reads no step of 64 KiB for 2 s, a tenth of the window, yields:
    // two passes, so each may take a second on a busy machine.
    let gateway = gateway_with("[limits]\nmax_requests_in_flight = 4\nmin_rate_window_ms = 20000\n");
    let mut downloads = begin_downloads(&gateway);
    for _ in 0..40 {
        park_timeout(Duration::from_millis(80));
        for raw in &mut downloads {
            raw.read_exact(32 * 1024);
        }
        assert_eq!(gateway.get("/").status, 503);
    }
    assert_eq!(gateway.closed_connections("preempted"), 0);
}

#[test]
fn http1_response_unread_for_a_moment_is_kept() {
    // A tenth of this window does not pass.
    let gateway = gateway_with(&only_limits("max_requests_in_flight = 4"));
    let _downloads = begin_downloads(&gateway);
    // Meanwhile the socket buffers fill.
    for _ in 0..500 {
        assert_eq!(gateway.get("/").status, 503);
    }
    assert_eq!(gateway.closed_connections("preempted"), 0);
}

/// Like [`Client::pending_upload`] over HTTP/2, as request `number` of the connection.
fn send_pending_upload(raw: &mut Raw, number: u32) {
    let head = frames::post_report();
    raw.send(frame(HEADERS, END_HEADERS, 2 * number + 1, &head));
}

#[test]
fn slow_uploads_cannot_exhaust_request_limit() {
    for over_http2 in [false, true] {
        let gateway = gateway();
        attack(&gateway, || {
            let mut clients = [11, 12, 13, 14].map(|last| {
                let client = gateway.site.with_source_ip(ip(last));
                (client, over_http2.then(|| frames::open(&client, &[])))
            });
            let mut bodies = Vec::new();
            // More requests than the limit, as a visitor may hold a permit that one of them needs.
            for number in 0.. {
                for (client, http2) in &mut clients {
                    match http2 {
                        Some(raw) => send_pending_upload(raw, number),
                        None => bodies.push(client.pending_upload()),
                    }
                }
                if gateway.closed_connections("preempted") > 0 {
                    return;
                }
                assert!(number < 100_000, "no request is preempted");
            }
        });
    }
}
