//! Memory does not grow with the number of requests: a million with `SOAK=1`, and 4,400 otherwise.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::frames::{self, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, SETTINGS, WINDOW_UPDATE};
use crate::support::{
    Backend, Client, Connection, Gateway, HEALTHY_MODULE, Heap, Release, Reply, Request, Setup, is_soak,
    render_count, rendered_section, rendering_shell, wait_until,
};

/// Requests per connection, all of them different. A fifth of the connections use HTTP/2, and a fifth send
/// POST requests.
const BATCH: usize = 100;

/// Concurrent requests over HTTP/2.
const STREAMS: usize = 50;

/// Concurrent clients.
const CLIENTS: usize = 4;

/// The requests are split into rounds. The first rounds fill the caches.
const ROUNDS: usize = 11;
const WARM_UP: usize = 4;

/// Requests per round of a soak run.
const SOAK_ROUND: usize = 92_000;

/// Requests per round of other runs. Fewer would not fill the caches in time.
const ROUND: usize = 400;

/// Allowed growth of the heap in use, as the set of cached documents varies by one or two. A table with an entry per
/// visitor exceeds it, and so does a leak of 260 bytes per request, or of 2 bytes in a soak run.
const HEAP_SLACK_KIB: u64 = 300;

/// Padding of a path, so that caches with paths as keys fill up soon.
const PADDING: usize = 7000;

/// Padding of each document, so that the document cache fills up soon.
const DOCUMENT_PADDING: usize = 75_000;

/// The trusted proxy, which forwards the visitor's address. Half of the connections come directly from
/// visitors.
const PROXY: &str = "127.0.0.1";

/// Sends `count` requests, all of them different.
fn send_requests(gateway: &Gateway, from: usize, count: usize) {
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let share = count / CLIENTS;
            scope.spawn(move || send_batches(gateway, from + client * share, share));
        }
    });
}

fn send_batches(gateway: &Gateway, from: usize, count: usize) {
    for start in (from..from + count).step_by(BATCH) {
        let batch = start / BATCH;
        let site = if batch.is_multiple_of(2) {
            gateway.site
        } else {
            gateway.site.with_source_ip(address(127, batch))
        };
        match batch % 5 {
            0 => get_over_http2(&site, start),
            1 => post(&gateway.site, start),
            _ => get(&site, start),
        }
    }
}

/// A distinct address for each number.
fn address(network: u8, number: usize) -> Ipv4Addr {
    let [_, a, b, c] = u32::try_from(number).unwrap().to_be_bytes();
    Ipv4Addr::new(network, 64 + a, b, c)
}

/// The visitor address that the proxy forwards.
fn visitor_address(number: usize) -> String {
    address(10, number).to_string()
}

/// A target to GET, and a header field.
fn request_for(number: usize) -> (String, (&'static str, String)) {
    let nothing = ("x-visitor", number.to_string());
    let compressed = ("accept-encoding", "br".to_owned());
    match number % 9 {
        0 => (format!("/?visit={number}"), nothing),
        1 => (format!("/state/{}", number % 50), compressed),
        2 => (format!("/_report?{number}"), nothing),
        3 => (
            format!("/assets/shell/1.0.0/main.js?{number}"),
            ("if-none-match", format!("\"{number}\"")),
        ),
        4 => (format!("/_page/1?path=/state/{number}"), nothing),
        5 => (format!("/nowhere/{number}"), compressed),
        6 => (format!("/robots.txt?{number}"), nothing),
        // Uncached pages: their documents are composed and cached for a while. One in eight is rendered.
        _ if (number / 9).is_multiple_of(8) => {
            (format!("/healthy/{number}-{}", "x".repeat(PADDING)), compressed)
        }
        _ => (format!("/state/{number}-{}", "x".repeat(PADDING)), compressed),
    }
}

fn get(site: &Client, start: usize) {
    let mut requests = String::new();
    for number in start..start + BATCH {
        let (target, (name, value)) = request_for(number);
        let visitor_address = visitor_address(number);
        let end = if number == start + BATCH - 1 {
            "connection: close\r\n"
        } else {
            ""
        };
        write!(
            requests,
            "GET {target} HTTP/1.1\r\nhost: site.example\r\nx-forwarded-for: {visitor_address}\r\n{name}: {value}\r\n{end}\r\n"
        )
        .unwrap();
    }
    let mut stream = site.connect();
    let mut writer = stream.try_clone().unwrap();
    let writing = std::thread::spawn(move || writer.write_all(requests.as_bytes()));
    let mut responses = Vec::new();
    stream.read_to_end(&mut responses).unwrap();
    writing.join().unwrap().unwrap();
    // Much faster than a byte-by-byte search in a debug build.
    let responses = String::from_utf8_lossy(&responses);
    let expected = ["200", "304", "404", "405"];
    let answered = expected.map(|status| responses.matches(&format!("HTTP/1.1 {status} ")).count());
    assert_eq!(answered.iter().sum::<usize>(), BATCH, "{answered:?}");
}

fn get_over_http2(site: &Client, start: usize) {
    let largest = 0x7fff_ffff_u32;
    let mut raw = frames::open(site, &[(4, largest)]);
    let more = largest - 65_535;
    assert!(raw.send(frames::frame(WINDOW_UPDATE, 0, 0, &more.to_be_bytes())));
    let mut stream = 1;
    for first in (start..start + BATCH).step_by(STREAMS) {
        let mut requests = Vec::new();
        for number in first..first + STREAMS {
            let (target, (name, value)) = request_for(number);
            let mut block = frames::get(&target);
            block.extend(frames::block(&[
                (name, &value),
                ("x-forwarded-for", &visitor_address(number)),
            ]));
            requests.extend(frames::frame(HEADERS, END_STREAM | END_HEADERS, stream, &block));
            stream += 2;
        }
        assert!(raw.send(requests));
        let mut answered = 0;
        while answered < STREAMS {
            let (kind, flags, id, _) = frames::read(&mut raw);
            assert!(
                kind != RST_STREAM && (id > 0 || kind == SETTINGS || kind == WINDOW_UPDATE),
                "{kind}"
            );
            answered += usize::from(id > 0 && flags & END_STREAM != 0);
        }
    }
}

/// Sign-ups that are forwarded, rejected or rate limited, as JSON and as forms, and error reports.
fn post(site: &Client, start: usize) {
    let mut connection = Connection::open(site).unwrap();
    for number in start..start + BATCH {
        // Sign-ups with a valid age are forwarded, within the rate limit.
        let age = if number.is_multiple_of(8) { 30 } else { 17 };
        let signup =
            json!({ "email": format!("{number}@visitor.example"), "password": "123456", "age": age });
        let failure = json!({
            "deployment": "1", "release": "directory@1.0.0", "phase": "load", "error": format!("Error{number}"),
        });
        let (target, content_type, body) = match number % 3 {
            0 => ("/functions/v1/signup", "application/json", signup.to_string()),
            1 => (
                "/functions/v1/signup",
                "application/x-www-form-urlencoded",
                format!("email={number}%40visitor.example&password=1"),
            ),
            _ => ("/_report", "application/json", failure.to_string()),
        };
        let request = Request::new("POST", target)
            .header("sec-fetch-site", "same-origin")
            .header("x-forwarded-for", &visitor_address(number))
            .header("content-type", content_type)
            .body(body);
        let response = connection.exchange(request).unwrap();
        assert!(
            response.status < 500 || response.status == 503,
            "{}",
            response.status
        );
        if response.header_values("connection").contains(&"close") {
            connection = Connection::open(site).unwrap();
        }
    }
}

/// A gateway that renders the pages at `/healthy/:x` and has a small render cache.
fn gateway(backend: &Backend, heap: &Heap) -> Gateway {
    let [preload, count] = heap.variables();
    // Half of it is a fact, half the configuration of the page's section.
    let padding = "x".repeat(DOCUMENT_PADDING / 2);
    let gateway = Gateway::set_up(Setup {
        listen: &format!("trusted_proxies = [\"{PROXY}\"]"),
        extra: &format!(
            "[assets]\ncache_mib = 64\n\
             [render]\ncache_mib = 1\ncpu_limit_ms = 5000\ndeadline_ms = 20000\nbreaker_failure_threshold = 1000\n\
             [sections.directory.config]\npadding = \"{padding}\"\n[sections.healthy.config]\npadding = \"{padding}\"\n\
             [signup]\nbackend = \"{}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n",
            backend.origin()
        ),
        variables: &[
            ("KEY", "the-key"),
            ("COLONNADE_SITE__FACTS__CITY", &padding),
            (preload.0, &preload.1),
            (count.0, &count.1),
        ],
        ..Setup::default()
    });
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&Release::section(
        "directory",
        "1.0.0",
        &["/", "/state/:state", "/signup"],
    ));
    gateway.publish(&rendered_section(
        "healthy",
        "1.0.0",
        "/healthy/:x",
        HEALTHY_MODULE,
    ));
    gateway.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0", "healthy": "1.0.0" }));
    gateway
}

/// The heap in use, in KiB, once no connection to the site is open.
fn heap_kib(gateway: &Gateway, heap: &Heap) -> u64 {
    wait_until("all connections are closed", || {
        gateway.metric("colonnade_connections_open{listener=\"site\"}") == 0
    });
    heap.kib()
}

#[test]
fn memory_stays_flat_over_many_requests() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let heap = Heap::new();
    let gateway = gateway(&backend, &heap);
    let requests = if is_soak() { SOAK_ROUND } else { ROUND };
    let mut rendered = Vec::new();
    let kib: Vec<u64> = (0..ROUNDS)
        .map(|round| {
            send_requests(&gateway, round * requests, requests);
            rendered.push(render_count(&gateway, "healthy", "rendered"));
            heap_kib(&gateway, &heap)
        })
        .collect();
    assert!(!backend.received().is_empty());
    assert!(rendered[WARM_UP] < rendered[ROUNDS - 1], "{rendered:?}");
    // Only persistent growth counts: the minimum of the last rounds against the maximum of the rounds after the warm-up.
    let before = kib[WARM_UP..WARM_UP + 2].iter().max().unwrap();
    let after = kib[ROUNDS - 3..].iter().min().unwrap();
    assert!(after.saturating_sub(*before) <= HEAP_SLACK_KIB, "{kib:?} KiB");
}
