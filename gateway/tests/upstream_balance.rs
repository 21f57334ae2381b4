//! Several endpoints: balancing, retries, ejection and health checks.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::Response;

use crate::support::{
    Gateway, RawUpstream, Received, Request, Upstream, read_head, upstream_table, wait_until,
};

/// The value of the endpoints gauge.
fn endpoints(gateway: &Gateway, state: &str) -> u64 {
    gateway.metric(&format!(
        "colonnade_upstream_endpoints{{upstream=\"events\",state=\"{state}\"}}"
    ))
}

fn ok(_: &Received) -> Response<Vec<u8>> {
    Response::new(b"ok".to_vec())
}

#[test]
fn request_goes_to_endpoint_with_fewest_requests() {
    let (busy, idle) = (RawUpstream::start(), Upstream::start(ok));
    let gateway = Gateway::start_with(&upstream_table(&[&busy.origin(), &idle.origin()], ""), &[]);
    let held = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&held);
    busy.serve(move |mut stream| {
        count.fetch_add(1, Ordering::SeqCst);
        // Until the gateway closes the connection.
        let _ = stream.read(&mut [0]);
    });
    // Ties are broken at random, until the busy endpoint has a request.
    let mut visitors = Vec::new();
    while held.load(Ordering::SeqCst) == 0 {
        let mut visitor = gateway.site.connect();
        // Requests for the same URL would wait for the same response.
        let number = visitors.len();
        write!(visitor, "GET /api/events?{number} HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
        visitors.push(visitor);
        wait_until("the request arrives", || {
            held.load(Ordering::SeqCst) == 1 || idle.received().len() == visitors.len()
        });
    }
    for _ in 0..20 {
        assert_eq!(gateway.get("/api/events?other").text(), "ok");
    }
    assert_eq!(held.load(Ordering::SeqCst), 1);
}

#[test]
fn only_idempotent_request_without_body_is_sent_again() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"GET\", \"POST\", \"PUT\", \"DELETE\", \"PATCH\"]\nmax_retries = 2\nejection_failure_threshold = 1000\nbreaker_failure_threshold = 1000";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let received = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&received);
    upstream.serve(move |stream| {
        count.fetch_add(1, Ordering::SeqCst);
        drop(stream);
    });
    for (method, body, attempts) in [
        ("GET", "", 3),
        ("DELETE", "", 3),
        ("PUT", "", 3),
        ("PUT", "body", 1),
        ("DELETE", "body", 1),
        ("POST", "", 1),
        ("POST", "body", 1),
        ("PATCH", "body", 1),
    ] {
        received.store(0, Ordering::SeqCst);
        let request = Request::new(method, "/api/events").header("sec-fetch-site", "same-origin");
        let request = if body.is_empty() {
            request
        } else {
            request.body(body)
        };
        assert_eq!(gateway.site.send(request).status, 502, "{method}");
        assert_eq!(received.load(Ordering::SeqCst), attempts, "{method} {body:?}");
    }
    assert_eq!(
        gateway.metric("colonnade_upstream_retries_total{upstream=\"events\"}"),
        6
    );
}

#[test]
fn request_is_not_sent_again_after_part_of_head() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"GET\", \"DELETE\"]\nmax_retries = 5";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    upstream.respond_always("HTTP/1.1 200 OK\r\ncontent-");
    for method in ["GET", "DELETE"] {
        let request = Request::new(method, "/api/events").header("sec-fetch-site", "same-origin");
        assert_eq!(gateway.site.send(request).status, 502, "{method}");
    }
    assert_eq!(
        gateway.metric("colonnade_upstream_retries_total{upstream=\"events\"}"),
        0
    );
}

#[test]
fn idle_connections_that_close_are_no_failures() {
    let upstream = RawUpstream::start();
    // A failure would eject the endpoint.
    let keys = "max_retries = 1\nejection_failure_threshold = 1";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let respond = |stream: &mut TcpStream| {
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        stream.write_all(response).unwrap();
    };
    let get = |path| {
        let mut visitor = gateway.site.connect();
        write!(visitor, "GET {path} HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
        visitor
    };
    let read = |mut visitor: TcpStream| {
        let head = read_head(&mut visitor).unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        visitor.read_exact(&mut [0; 2]).unwrap();
    };
    let visitors = ["/api/events?1", "/api/events?2"].map(get);
    let mut idle = [0, 1].map(|_| upstream.accept_request().0);
    idle.iter_mut().for_each(respond);
    visitors.into_iter().for_each(read);
    let visitor = get("/api/events?3");
    // One of them gets the request. Both close, as after a restart.
    let threads = idle.map(|mut stream| std::thread::spawn(move || read_head(&mut stream)));
    respond(&mut upstream.accept_request().0);
    read(visitor);
    assert_eq!(endpoints(&gateway, "available"), 1);
    drop(gateway);
    let heads = threads.map(|thread| thread.join().unwrap());
    assert_eq!(heads.iter().flatten().count(), 1, "{heads:?}");
}

#[test]
fn failed_connects_try_every_endpoint() {
    let upstream = Upstream::start(ok);
    let closed: Vec<String> = (1..5).map(|port| format!("http://127.0.0.1:{port}")).collect();
    let origin = upstream.origin();
    let urls: Vec<&str> = closed.iter().chain([&origin]).map(String::as_str).collect();
    let keys = "max_retries = 0\nejection_failure_threshold = 1000";
    let gateway = Gateway::start_with(&upstream_table(&urls, keys), &[]);
    for _ in 0..10 {
        assert_eq!(gateway.get("/api/events").text(), "ok");
    }
    assert!(gateway.metric("colonnade_upstream_retries_total{upstream=\"events\"}") > 0);
}

#[test]
fn response_that_has_begun_is_not_requested_again() {
    let upstream = RawUpstream::start();
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], "max_retries = 5"), &[]);
    let mut visitor = gateway.site.connect();
    write!(visitor, "GET /api/events HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let (mut backend, _) = upstream.accept_request();
    write!(backend, "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nha").unwrap();
    drop(backend);
    let mut received = Vec::new();
    assert!(visitor.read_to_end(&mut received).is_err(), "{received:?}");
    assert_eq!(
        gateway.metric("colonnade_upstream_retries_total{upstream=\"events\"}"),
        0
    );
}

#[test]
fn no_get_fails_and_no_post_repeats_while_endpoints_die() {
    let mut upstreams: Vec<_> = (0..5).map(|_| Upstream::start(ok)).collect();
    let origins: Vec<String> = upstreams.iter().map(Upstream::origin).collect();
    let urls: Vec<&str> = origins.iter().map(String::as_str).collect();
    let keys = "methods = [\"GET\", \"POST\"]\nmax_retries = 4\nretry_budget_percent = 100\nrate_limit_per_client_per_minute = 1000000\n\
                breaker_failure_threshold = 1000\nejection_failure_threshold = 2\nejection_seconds = 1";
    let gateway = Gateway::start_with(&upstream_table(&urls, keys), &[]);
    let (done, gets, posts) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let received = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let response = gateway.get("/api/events");
                    assert_eq!(response.status, 200, "{response:?}");
                    gets.fetch_add(1, Ordering::Relaxed);
                    let id = posts.fetch_add(1, Ordering::Relaxed).to_string();
                    let post = Request::new("POST", "/api/events").header("sec-fetch-site", "same-origin");
                    let response = gateway.site.send(post.body(id));
                    assert!([200, 502].contains(&response.status), "{response:?}");
                }
            });
        }
        let wait = |more: usize| {
            let goal = gets.load(Ordering::Relaxed) + more;
            wait_until("requests are served", || gets.load(Ordering::Relaxed) >= goal);
        };
        wait(50);
        let dead: Vec<_> = upstreams.drain(..3).collect();
        let addresses: Vec<_> = dead.iter().map(Upstream::address).collect();
        let mut received: Vec<Vec<Received>> = Vec::new();
        for upstream in dead {
            received.push(upstream.stop());
            wait(20);
        }
        // They come back, and get requests again.
        let revived: Vec<_> = addresses
            .into_iter()
            .map(|address| Upstream::start_on(address, ok))
            .collect();
        wait_until("revived endpoints get requests", || {
            revived.iter().all(|upstream| !upstream.received().is_empty())
        });
        done.store(true, Ordering::Relaxed);
        upstreams.extend(revived);
        received
    });
    let mut times = BTreeMap::<Vec<u8>, u32>::new();
    let all = received
        .into_iter()
        .chain(upstreams.iter().map(Upstream::received));
    for request in all.flatten().filter(|request| request.method == "POST") {
        *times.entry(request.body).or_default() += 1;
    }
    let repeated: BTreeSet<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(repeated.is_empty(), "{repeated:?}");
    gateway.wait_for_event(|line| line["event"] == "upstream_endpoint_ejected");
    gateway.wait_for_event(|line| line["event"] == "upstream_endpoint_restored");
}

#[test]
fn unhealthy_endpoint_gets_no_requests_until_it_recovers() {
    let is_healthy = Arc::new(AtomicBool::new(true));
    let health = Arc::clone(&is_healthy);
    let sick = Upstream::start(move |request| {
        let is_ok = request.target != "/health?deep" || health.load(Ordering::Relaxed);
        Response::builder()
            .status(if is_ok { 200 } else { 500 })
            .body(Vec::new())
            .unwrap()
    });
    let well = Upstream::start(ok);
    let keys = "health_path = \"/health?deep\"\nhealth_interval_ms = 100";
    let gateway = Gateway::start_with(&upstream_table(&[&sick.origin(), &well.origin()], keys), &[]);
    let requests = |upstream: &Upstream| {
        let received = upstream.received();
        received.iter().filter(|request| request.target == "/").count()
    };
    is_healthy.store(false, Ordering::Relaxed);
    wait_until("the endpoint is unhealthy", || {
        endpoints(&gateway, "unhealthy") == 1
    });
    gateway.wait_for_event(|line| line["event"] == "upstream_endpoint_unhealthy");
    let before = requests(&sick);
    for _ in 0..20 {
        assert_eq!(gateway.get("/api/events").status, 200);
    }
    assert_eq!((requests(&sick), requests(&well)), (before, 20));
    is_healthy.store(true, Ordering::Relaxed);
    wait_until("the endpoint gets requests again", || {
        gateway.get("/api/events");
        requests(&sick) > before
    });
    assert_eq!(endpoints(&gateway, "available"), 2);
}

#[test]
fn one_client_opens_circuit_while_health_checks_fail() {
    // In the second case the checks hang from the start, also when requests are served again.
    for checks_work in [true, false] {
        let upstream = RawUpstream::start();
        let origin = upstream.origin();
        let (works, checks) = (
            Arc::new(AtomicBool::new(checks_work)),
            Arc::new(AtomicUsize::new(0)),
        );
        let (is_up, count) = (Arc::clone(&works), Arc::clone(&checks));
        upstream.serve_bytes(move |mut stream| {
            let is_check = read_head(&mut stream).is_some_and(|head| head.contains("/health"));
            if is_up.load(Ordering::SeqCst) && (checks_work || !is_check) {
                let _ =
                    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            } else {
                // It hangs until the gateway gives up.
                let _ = stream.read(&mut [0]);
            }
            count.fetch_add(is_check.into(), Ordering::SeqCst);
        });
        let keys = "health_path = \"/health\"\nhealth_interval_ms = 100\ntotal_timeout_ms = 200\nbreaker_open_seconds = 1\n\
                    breaker_failure_threshold = 8";
        let gateway = Gateway::start_with(&upstream_table(&[&origin], keys), &[]);
        wait_until("a check has ended", || checks.load(Ordering::SeqCst) >= 2);
        works.store(false, Ordering::SeqCst);
        wait_until("the endpoint is unhealthy", || {
            endpoints(&gateway, "unhealthy") == 1
        });
        let statuses: Vec<u16> = (0..10).map(|_| gateway.get("/api/events").status).collect();
        assert_eq!(statuses, [[504; 8].as_slice(), &[503; 2]].concat());
        works.store(true, Ordering::SeqCst);
        wait_until("the circuit is closed", || {
            gateway.get("/api/events").status == 200
        });
    }
}
