//! Limits on connections and requests, per client and in total.

use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::json;
use tokio::time::Instant;

use crate::support::frames::{self, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, frame};
use crate::support::{
    Backend, Client, Connection, Gateway, Raw, Release, Reply, Request, Response, Setup, attack, only_limits,
    wait_until,
};

/// A keep-alive connection whose request was answered.
pub(crate) fn idle_connection(client: &Client) -> Raw {
    let mut raw = Raw::open(client);
    assert!(raw.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n"));
    assert_eq!(raw.read_exact(12), b"HTTP/1.1 200");
    raw
}

fn ip(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 3, last)
}

/// Waits until a new connection gets a permit and a response.
fn wait_for_slot(client: &Client, target: &str) {
    wait_until("a slot is free", || {
        let mut raw = Raw::open(client);
        raw.send(format!(
            "GET {target} HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"
        ));
        raw.read_until_closed().starts_with(b"HTTP/1.1 200")
    });
}

#[test]
fn per_client_connection_limit_returns_503() {
    let gateway = Gateway::start_live("[limits]\nmax_connections_per_client = 3\n", &[]);
    let client = gateway.site.with_source_ip(ip(1));
    attack(&gateway, || {
        let mut all: Vec<Raw> = (0..3).map(|_| idle_connection(&client)).collect();
        for _ in 0..20 {
            let response = Raw::open(&client).read_response();
            assert_eq!((response.status, response.header("retry-after")), (503, "10"));
        }
        // Other clients are not affected, and closing a connection frees a slot.
        idle_connection(&gateway.site.with_source_ip(ip(2)));
        // The admin listener counts separately.
        let admin = gateway.admin.with_source_ip(ip(1));
        let admin_connections: Vec<Raw> = (0..3).map(|_| idle_connection(&admin)).collect();
        assert_eq!(Raw::open(&admin).read_response().status, 503);
        drop(all.pop());
        wait_for_slot(&client, "/healthz");
        drop(admin_connections);
    });
}

/// A connection with a request in flight that waits for its body.
fn active_connection(client: &Client) -> Raw {
    let mut raw = Raw::open(client);
    assert!(raw.send(
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n"
    ));
    assert_eq!(raw.read_exact(25), b"HTTP/1.1 100 Continue\r\n\r\n");
    raw
}

#[test]
fn connection_limit_returns_503_and_spares_admin() {
    let gateway = Gateway::start_live("[limits]\nmax_connections = 5\n", &[]);
    let mut all: Vec<Raw> = (0..5)
        .map(|last| active_connection(&gateway.site.with_source_ip(ip(last))))
        .collect();
    for _ in 0..20 {
        assert_eq!(Raw::open(&gateway.site).read_response().status, 503);
    }
    assert_eq!(gateway.admin.get("/readyz").status, 200);
    for raw in &mut all {
        assert!(raw.send("[]"));
        assert_eq!(raw.read_exact(9), b"HTTP/1.1 ");
    }
    drop(all);
    wait_for_slot(&gateway.site, "/");
}

/// A request that exceeds the socket buffers.
fn long_request() -> Vec<u8> {
    let mut request =
        b"POST /_report HTTP/1.1\r\nhost: site.example\r\ncontent-length: 1000000\r\n\r\n".to_vec();
    request.resize(1_000_000, b' ');
    request
}

#[test]
fn rejected_client_gets_503_while_still_sending() {
    let assert_rejected = |client: &Client| {
        for request in [
            long_request(),
            b"GET / HTTP/1.1\r\nhost: site.example\r\n\r\n".to_vec(),
        ] {
            let mut raw = Raw::open(client);
            assert!(raw.send(request), "the gateway stopped reading the request");
            let response = Response::parse(&raw.read_until_lingering_close());
            assert_eq!((response.status, response.header("retry-after")), (503, "10"));
        }
    };
    let gateway = Gateway::start_live("[limits]\nmax_connections_per_client = 3\n", &[]);
    let _own: Vec<Raw> = (0..3).map(|_| active_connection(&gateway.site)).collect();
    assert_rejected(&gateway.site);
    // The others hold no more than a waiter.
    let gateway = Gateway::start_live("[limits]\nmax_connections = 2\n", &[]);
    let _others = [1, 2].map(|last| active_connection(&gateway.site.with_source_ip(ip(last))));
    assert_rejected(&gateway.site);
}

#[test]
fn rejected_connections_use_bounded_descriptors() {
    let gateway = Gateway::start_live("[limits]\nmax_connections_per_client = 3\n", &[]);
    let client = gateway.site.with_source_ip(ip(1));
    let descriptors = || {
        let folder = format!("/proc/{}/fd", gateway.pid());
        std::fs::read_dir(folder).unwrap().count()
    };
    attack(&gateway, || {
        let _connections: Vec<Raw> = (0..3).map(|_| idle_connection(&client)).collect();
        let before = descriptors();
        let rejected: Vec<Raw> = (0..200)
            .map(|_| {
                let mut raw = Raw::open(&client);
                assert!(raw.read_exact(30).starts_with(b"HTTP/1.1 503 "));
                raw
            })
            .collect();
        // Connections in lingering close, and a few of the visitor and of the gateway itself.
        let more = descriptors().saturating_sub(before);
        assert!(more < 64 + 20, "{more} of {}", rejected.len());
        assert_eq!(gateway.get("/").status, 200);
    });
}

#[test]
fn connection_limit_evicts_oldest_idle() {
    let gateway = Gateway::start_live(&only_limits("max_connections = 4"), &[]);
    for client in [&gateway.site, &gateway.admin] {
        let first = idle_connection(&client.with_source_ip(ip(1)));
        let mut second = frames::open(&client.with_source_ip(ip(2)), &[]);
        let request = frames::request(1, "/healthz");
        assert!(second.send(request));
        while frames::read_until(&mut second, DATA).1 & END_STREAM == 0 {}
        let mut others = [
            idle_connection(&client.with_source_ip(ip(3))),
            idle_connection(&client.with_source_ip(ip(4))),
        ];
        let mut waiters: Vec<Raw> = (5..7)
            .map(|last| idle_connection(&client.with_source_ip(ip(last))))
            .collect();
        assert!(first.read_until_closed().ends_with(b"ok\n"));
        assert!(frames::kinds(&second.read_until_closed()).contains(&GOAWAY));
        for raw in others.iter_mut().chain(&mut waiters) {
            assert!(raw.send("GET /nothing HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"));
        }
        for raw in others.into_iter().chain(waiters) {
            assert!(
                String::from_utf8(raw.read_until_closed())
                    .unwrap()
                    .contains("HTTP/1.1 404")
            );
        }
    }
    gateway.wait_for_closed_connections("evicted", 2);
}

#[test]
fn new_connection_yields_only_to_smaller_clients() {
    let gateway = Gateway::start_live(&only_limits("max_connections = 2"), &[]);
    let [first, second, third] = [1, 2, 3].map(|last| gateway.site.with_source_ip(ip(last)));
    // Neither has sent a byte. The second client holds less, so one of them yields to it.
    let evicted = Raw::open(&first);
    let mut kept = Raw::open(&first);
    let mut preface = frames::open(&second, &[]);
    frames::read_until(&mut preface, frames::SETTINGS);
    assert_eq!(evicted.read_until_closed(), b"");
    for client in [first, second, third] {
        assert_eq!(Raw::open(&client).read_response().status, 503);
    }
    assert!(kept.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n"));
    assert_eq!(kept.read_exact(12), b"HTTP/1.1 200");
    let request = frames::request(1, "/healthz");
    assert!(preface.send(request));
    assert_eq!(
        frames::status(&frames::read_until(&mut preface, HEADERS).3),
        "200"
    );
}

#[test]
fn connection_with_active_request_is_not_evicted() {
    let backend = Backend::start(Reply::Hold(json!({ "redirectUrl": "/welcome" }).to_string()));
    let extra = backend.signup_table() + &only_limits("max_connections = 3");
    let gateway = Gateway::start_live(&extra, &[("KEY", "k")]);
    // One waits for its body, the other for the backend.
    let mut uploading = active_connection(&gateway.site.with_source_ip(ip(1)));
    let mut waiting = Raw::sign_up(&gateway.site.with_source_ip(ip(2)));
    backend.wait_for_request();
    let idle = idle_connection(&gateway.site.with_source_ip(ip(3)));
    for _ in 0..20 {
        assert_eq!(gateway.get("/").status, 200);
    }
    assert!(idle.read_until_closed().ends_with(b"ok\n"));
    gateway.wait_for_closed_connections("evicted", 1);
    let mut last = active_connection(&gateway.site);
    assert_eq!(Raw::open(&gateway.site).read_response().status, 503);
    backend.release_held();
    assert_eq!(waiting.read_exact(12), b"HTTP/1.1 200");
    for raw in [&mut uploading, &mut last] {
        assert!(raw.send("[]"));
        assert_eq!(raw.read_exact(9), b"HTTP/1.1 ");
    }
}

/// A connection that has received a part of a head.
fn unfinished_head(client: &Client) -> Raw {
    let mut raw = Raw::open(client);
    raw.send("GET / HTTP/1.1\r\nhost: site.");
    raw
}

#[test]
fn unfinished_heads_do_not_block_visitors() {
    const CONNECTIONS: usize = 64;
    let gateway = Gateway::start_live(&only_limits(&format!("max_connections = {CONNECTIONS}")), &[]);
    let client = |number: usize| {
        let last = u8::try_from(number % 8).unwrap();
        gateway.site.with_source_ip(ip(last))
    };
    attack(&gateway, || {
        let mut heads: Vec<_> = (0..CONNECTIONS)
            .map(|number| unfinished_head(&client(number)))
            .collect();
        wait_until("visitors get connections repeatedly", || {
            // Each one is renewed when it ends.
            for (number, raw) in heads.iter_mut().enumerate() {
                if !raw.send(".") {
                    *raw = unfinished_head(&client(number));
                }
            }
            gateway.closed_connections("evicted") >= 16
        });
    });
}

/// A connection with a response that the client does not read. It needs no permit of a request.
fn unread_health_check(client: &Client) -> Raw {
    // SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113, section 6.5.2).
    let mut raw = frames::open(client, &[(4, 0)]);
    let head = frames::get("/healthz");
    raw.send(frame(HEADERS, END_STREAM | END_HEADERS, 1, &head));
    raw
}

#[test]
fn unread_responses_without_permit_do_not_block_visitors() {
    const CONNECTIONS: usize = 64;
    let gateway = Gateway::start_live(&only_limits(&format!("max_connections = {CONNECTIONS}")), &[]);
    let unread = |number: usize| {
        unread_health_check(&gateway.site.with_source_ip(ip(u8::try_from(number % 8).unwrap())))
    };
    attack(&gateway, || {
        let mut connections: Vec<_> = (0..CONNECTIONS).map(unread).collect();
        wait_until("visitors get connections repeatedly", || {
            for (number, raw) in connections.iter_mut().enumerate() {
                if !raw.send(frame(PING, 0, 0, &[0; 8])) {
                    *raw = unread(number);
                }
            }
            gateway.closed_connections("preempted") >= 8
        });
    });
}

/// Each client holds one connection, as a visitor does.
fn hold_one_connection_per_client(cause: &str, open: impl Fn(&Client) -> Raw) {
    // A tenth of each timeout.
    let yields_after = Duration::from_secs(2);
    let limits = [
        "max_connections = 100",
        "first_byte_timeout_ms = 20000",
        "request_header_timeout_ms = 20000",
        "min_rate_window_ms = 20000",
    ];
    let gateway = Gateway::start_live(&only_limits(&limits.join("\n")), &[]);
    let open = |last| open(&gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 5, last)));
    let _held: Vec<_> = (0..100).map(open).collect();
    // The gateway may accept a connection later than its client opens it.
    wait_until("the gateway has accepted all connections", || {
        gateway.metric("colonnade_connections_open{listener=\"site\"}") == 100
    });
    let opened = Instant::now();
    wait_until("every connection yields", || opened.elapsed() > yields_after);
    attack(&gateway, || {
        let mut last = (100..200).cycle();
        let mut new_clients = Vec::new();
        wait_until("others have yielded", || {
            new_clients.extend(last.next().map(&open));
            gateway.closed_connections(cause) >= 20
        });
    });
}

#[test]
fn one_new_connection_per_client_blocks_no_visitor() {
    hold_one_connection_per_client("evicted", |client| frames::open(client, &[]));
}

#[test]
fn one_unfinished_head_per_client_blocks_no_visitor() {
    hold_one_connection_per_client("evicted", unfinished_head);
}

#[test]
fn one_unread_connection_per_client_blocks_no_visitor() {
    hold_one_connection_per_client("preempted", unread_health_check);
}

#[test]
fn client_with_as_many_connections_keeps_unfinished_heads() {
    let gateway = Gateway::start_live(&only_limits("max_connections = 4"), &[]);
    let heads =
        [1, 2, 3, 4].map(|last| {
            let mut raw = Raw::open(&gateway.site.with_source_ip(ip(last)));
            assert!(raw.send(
                "GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\nGET /nothing HTTP/1.1\r\nhost: site."
            ));
            // The gateway has read the unfinished head as well.
            assert_eq!(raw.read_exact(12), b"HTTP/1.1 200");
            raw
        });
    for _ in 0..20 {
        assert_eq!(Raw::open(&gateway.site).read_response().status, 503);
    }
    for mut raw in heads {
        assert!(raw.send("example\r\nconnection: close\r\n\r\n"));
        let received = String::from_utf8(raw.read_until_closed()).unwrap();
        assert!(received.contains("HTTP/1.1 404"), "{received}");
    }
}

#[test]
fn client_at_its_limit_evicts_no_other_client() {
    let gateway = Gateway::start_live(
        &only_limits("max_connections = 3\nmax_connections_per_client = 2"),
        &[],
    );
    let mut other = idle_connection(&gateway.site.with_source_ip(ip(1)));
    let client_at_limit = gateway.site.with_source_ip(ip(2));
    let _connections = [
        idle_connection(&client_at_limit),
        idle_connection(&client_at_limit),
    ];
    for _ in 0..20 {
        assert_eq!(Raw::open(&client_at_limit).read_response().status, 503);
    }
    assert!(other.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"));
    let received = String::from_utf8(other.read_until_closed()).unwrap();
    assert!(received.contains("HTTP/1.1 200"), "{received}");
}

#[test]
fn connections_leave_file_descriptors_for_the_store() {
    let gateway = Gateway::set_up_live(Setup {
        descriptors: Some(128),
        ..Setup::default()
    });
    let mut all: Vec<Raw> = Vec::new();
    for number in 0..200 {
        all.push(Raw::open(&gateway.site.with_source_ip(ip(number))));
        all.push(Raw::open(&gateway.admin.with_source_ip(ip(number))));
    }
    // New connections yield to the operator after a second.
    wait_for_slot(&gateway.admin, "/healthz");
    // Half of the descriptors is reserved. The admin listener has a quarter of the rest.
    let open = |listener| gateway.metric(&format!("colonnade_connections_open{{listener=\"{listener}\"}}"));
    let open = ["site", "admin"].map(open);
    assert!(
        (1..=48).contains(&open[0]) && (1..=16).contains(&open[1]),
        "{open:?}"
    );
    // The store can still be written and read.
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    drop(all);
    wait_for_slot(&gateway.site, "/other");
    assert!(!gateway.output().contains("accept_failed"));
}

/// The gateway's pause after an accept error.
const BACKOFF: Duration = Duration::from_millis(100);

#[test]
fn accept_error_backs_off_and_keeps_open_connections() {
    let gateway = Gateway::start_live("", &[]);
    let mut visitor = Connection::open(&gateway.site).unwrap();
    let mut operator = Connection::open(&gateway.admin).unwrap();
    let get = |target| Request::new("GET", target).header("host", "localhost");
    let mut accept_errors = || {
        let sample = "colonnade_connections_rejected_total{listener=\"site\",cause=\"accept_error\"} ";
        let text = operator.exchange(get("/metrics")).unwrap().text();
        let line = text.lines().find_map(|line| line.strip_prefix(sample));
        line.map_or(0, |count| count.parse::<u32>().unwrap())
    };
    assert_eq!(
        (visitor.exchange(get("/")).unwrap().status, accept_errors()),
        (200, 0)
    );
    let start = Instant::now();
    let pid = Pid::from_raw(gateway.pid().cast_signed());
    // The limit leaves no descriptor for another connection.
    let no_descriptors = Rlimit {
        current: Some(3),
        maximum: getrlimit(Resource::Nofile).maximum,
    };
    let before = prlimit(pid, Resource::Nofile, no_descriptors).unwrap();
    let mut waiting = Raw::open(&gateway.site);
    assert!(waiting.send("GET / HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"));
    let mut error_count = 0;
    wait_until("accept has failed repeatedly", || {
        assert_eq!(visitor.exchange(get("/")).unwrap().status, 200);
        error_count = accept_errors();
        error_count >= 5
    });
    // The gateway paused after each error.
    let max_pauses = start.elapsed().as_millis() / BACKOFF.as_millis() + 1;
    assert!(
        u128::from(error_count) <= max_pauses,
        "{error_count} in {max_pauses} pauses"
    );
    gateway.wait_for_event(|line| line["event"] == "accept_failed");
    prlimit(pid, Resource::Nofile, before).unwrap();
    assert_eq!(waiting.read_response().status, 200);
    assert_eq!(gateway.get("/").status, 200);
}

/// Fills the request limit of this client: one more request as long as another one is still answered.
fn fill_request_limit(client: &Client) -> Vec<TcpStream> {
    let mut in_flight = Vec::new();
    wait_until("further requests are shed", || {
        in_flight.push(client.pending_upload());
        client.get("/").status == 503
    });
    in_flight
}

#[test]
fn request_limit_sheds_load_and_spares_health_and_admin() {
    let gateway = Gateway::start_live(&only_limits("max_requests_in_flight = 4"), &[]);
    let in_flight = fill_request_limit(&gateway.site);
    for _ in 0..20 {
        let response = gateway.get("/");
        assert_eq!((response.status, response.header("retry-after")), (503, "1"));
        assert_eq!(gateway.request_event(&response)["route"], "shed");
        assert_eq!(gateway.get("/healthz").status, 200);
        assert_eq!(gateway.get("/readyz").status, 200);
    }
    gateway.admin_get("/api/v1/sections");
    drop(in_flight);
    wait_until("a slot is free", || gateway.get("/").status == 200);
}

#[test]
fn per_client_request_limit_protects_other_clients() {
    let gateway = Gateway::start_live("[limits]\nmax_requests_in_flight_per_client = 2\n", &[]);
    let client = gateway.site.with_source_ip(ip(1));
    attack(&gateway, || {
        let _in_flight = fill_request_limit(&client);
        assert_eq!(gateway.get("/").status, 200);
    });
}
