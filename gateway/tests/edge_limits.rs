//! How many there may be: connections and requests, of one client and of all.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::json;
use tokio::time::Instant;

use crate::support::frames::{self, GOAWAY};
use crate::support::{
    Act, Backend, Client, Connection, Gateway, Raw, Release, Request, Response, Setup, attack, only, until,
};

/// A connection that has asked for something and was answered.
fn held(client: &Client) -> Raw {
    let mut raw = Raw::open(client);
    assert!(raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n"));
    assert_eq!(raw.hear(12), b"HTTP/1.1 200");
    raw
}

fn from(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 3, last)
}

#[test]
fn a_client_with_too_many_connections_is_told_to_come_back() {
    let gateway = Gateway::start_live("[limits]\nconnections_per_client = 3\n", &[]);
    let client = gateway.site.coming_from(from(1));
    attack(&gateway, || {
        let mut all: Vec<Raw> = (0..3).map(|_| held(&client)).collect();
        for _ in 0..100 {
            let answer = Raw::open(&client).answer();
            assert_eq!((answer.status, answer.header("retry-after")), (503, "10"));
        }
        // Another client is not concerned, and who leaves makes room.
        held(&gateway.site.coming_from(from(2)));
        drop(all.pop());
        until("there is room again", || {
            let mut raw = Raw::open(&client);
            raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
            raw.until_closed().starts_with(b"HTTP/1.1 200")
        });
    });
}

/// A connection with a request that is under way until the rest of its body comes.
fn busy(client: &Client) -> Raw {
    let mut raw = Raw::open(client);
    assert!(raw.say(
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n"
    ));
    assert_eq!(raw.hear(25), b"HTTP/1.1 100 Continue\r\n\r\n");
    raw
}

#[test]
fn more_connections_than_there_may_be_are_refused_and_the_admin_api_stays() {
    let gateway = Gateway::start_live("[limits]\nconnections = 5\n", &[]);
    let mut all: Vec<Raw> = (0..5)
        .map(|last| busy(&gateway.site.coming_from(from(last))))
        .collect();
    for _ in 0..100 {
        assert_eq!(Raw::open(&gateway.site).answer().status, 503);
    }
    assert_eq!(gateway.admin.get("/readyz").status, 200);
    for raw in &mut all {
        assert!(raw.say("[]"));
        assert_eq!(raw.hear(9), b"HTTP/1.1 ");
    }
    drop(all);
    until("there is room again", || {
        let mut raw = Raw::open(&gateway.site);
        raw.say("GET / HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
        raw.until_closed().starts_with(b"HTTP/1.1 200")
    });
}

/// A request that goes on for longer than a system keeps for who does not read it.
fn long_request() -> Vec<u8> {
    let mut request =
        b"POST /_report HTTP/1.1\r\nhost: site.example\r\ncontent-length: 1000000\r\n\r\n".to_vec();
    request.resize(1_000_000, b' ');
    request
}

#[test]
fn who_is_refused_hears_of_it_while_still_asking() {
    let gateway = Gateway::start_live("[limits]\nconnections = 5\nconnections_per_client = 3\n", &[]);
    let client = gateway.site.coming_from(from(1));
    let refused = |client: &Client| {
        for request in [
            long_request(),
            b"GET / HTTP/1.1\r\nhost: site.example\r\n\r\n".to_vec(),
        ] {
            let mut raw = Raw::open(client);
            assert!(raw.say(request), "it is read to its end");
            let answer = Response::parse(&raw.until_heard_out());
            assert_eq!((answer.status, answer.header("retry-after")), (503, "10"));
        }
    };
    let mut all: Vec<Raw> = (0..3).map(|_| busy(&client)).collect();
    refused(&client);
    all.extend((2..4).map(|last| busy(&gateway.site.coming_from(from(last)))));
    refused(&gateway.site);
}

#[test]
fn who_is_refused_and_does_not_leave_holds_up_nobody() {
    let gateway = Gateway::start_live("[limits]\nconnections_per_client = 3\n", &[]);
    let client = gateway.site.coming_from(from(1));
    let descriptors = || {
        let folder = format!("/proc/{}/fd", gateway.pid());
        std::fs::read_dir(folder).unwrap().count()
    };
    attack(&gateway, || {
        let _held: Vec<Raw> = (0..3).map(|_| held(&client)).collect();
        let before = descriptors();
        let refused: Vec<Raw> = (0..500)
            .map(|_| {
                let mut raw = Raw::open(&client);
                assert!(raw.hear(30).starts_with(b"HTTP/1.1 503 "));
                raw
            })
            .collect();
        // Those that are listened to yet, and a few of the visitor and of the gateway's own.
        let more = descriptors().saturating_sub(before);
        assert!(more < 64 + 20, "{more} of {}", refused.len());
        assert_eq!(gateway.get("/").status, 200);
    });
}

#[test]
fn who_comes_when_all_places_are_taken_has_that_of_who_was_idle_longest() {
    let gateway = Gateway::start_live(&only("connections = 5"), &[]);
    for client in [&gateway.site, &gateway.admin] {
        // It has never said anything.
        let first = Raw::open(&client.coming_from(from(1)));
        let second = held(&client.coming_from(from(2)));
        let mut third = frames::open(&client.coming_from(from(3)), &[]);
        frames::read_until(&mut third, frames::SETTINGS);
        let mut others = [
            held(&client.coming_from(from(4))),
            held(&client.coming_from(from(5))),
        ];
        let mut newcomers: Vec<Raw> = (6..9).map(|last| held(&client.coming_from(from(last)))).collect();
        assert_eq!(first.until_closed(), b"");
        assert!(second.until_closed().ends_with(b"ok\n"));
        assert!(frames::kinds(&third.until_closed()).contains(&GOAWAY));
        for raw in others.iter_mut().chain(&mut newcomers) {
            assert!(raw.say("GET /nothing HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"));
        }
        for raw in others.into_iter().chain(newcomers) {
            assert!(
                String::from_utf8(raw.until_closed())
                    .unwrap()
                    .contains("HTTP/1.1 404")
            );
        }
    }
    gateway.until_ended("crowded", 2);
}

#[test]
fn who_has_something_under_way_keeps_the_place() {
    let backend = Backend::start(Act::Hold(json!({ "redirectUrl": "/welcome" }).to_string()));
    let extra = format!(
        "[signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"a\"\n{}",
        backend.origin(),
        only("connections = 3")
    );
    let gateway = Gateway::start_live(&extra, &[("KEY", "k")]);
    // One whose body has not come, and one that waits for an answer.
    let mut sending = busy(&gateway.site.coming_from(from(1)));
    let mut waiting = Raw::open(&gateway.site.coming_from(from(2)));
    let body = json!({ "email": "a@b.co", "password": "123456", "age": 30 }).to_string();
    assert!(waiting.say(format!(
        "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )));
    backend.wait_for_request();
    let idle = held(&gateway.site.coming_from(from(3)));
    for _ in 0..20 {
        assert_eq!(gateway.get("/").status, 200);
    }
    assert!(idle.until_closed().ends_with(b"ok\n"));
    gateway.until_ended("crowded", 1);
    let mut last = busy(&gateway.site);
    assert_eq!(Raw::open(&gateway.site).answer().status, 503);
    backend.release();
    assert_eq!(waiting.hear(12), b"HTTP/1.1 200");
    for raw in [&mut sending, &mut last] {
        assert!(raw.say("[]"));
        assert_eq!(raw.hear(9), b"HTTP/1.1 ");
    }
}

#[test]
fn who_has_all_connections_of_one_client_takes_nobody_s_place() {
    let gateway = Gateway::start_live(&only("connections = 3\nconnections_per_client = 2"), &[]);
    let mut other = held(&gateway.site.coming_from(from(1)));
    let greedy = gateway.site.coming_from(from(2));
    let _held = [held(&greedy), held(&greedy)];
    for _ in 0..20 {
        assert_eq!(Raw::open(&greedy).answer().status, 503);
    }
    assert!(other.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"));
    let said = String::from_utf8(other.until_closed()).unwrap();
    assert!(said.contains("HTTP/1.1 200"), "{said}");
}

#[test]
fn connections_never_use_up_the_file_descriptors() {
    let gateway = Gateway::set_up_live(Setup {
        descriptors: Some(128),
        ..Setup::default()
    });
    let mut all: Vec<Raw> = Vec::new();
    for number in 0..200 {
        all.push(Raw::open(&gateway.site.coming_from(from(number))));
        all.push(Raw::open(&gateway.admin.coming_from(from(number))));
    }
    // The store is still written and read.
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    drop(all);
    until("there is room again", || {
        let mut raw = Raw::open(&gateway.site);
        raw.say("GET /other HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
        raw.until_closed().starts_with(b"HTTP/1.1 200")
    });
    assert!(!gateway.output().contains("accept_failed"));
}

#[test]
fn connections_to_the_site_do_not_count_against_the_admin_api() {
    let gateway = Gateway::start_live("[limits]\nconnections_per_client = 3\n", &[]);
    let (site, admin) = (
        gateway.site.coming_from(from(1)),
        gateway.admin.coming_from(from(1)),
    );
    attack(&gateway, || {
        let visiting: Vec<Raw> = (0..3).map(|_| held(&site)).collect();
        assert_eq!(Raw::open(&site).answer().status, 503);
        let operating: Vec<Raw> = (0..3).map(|_| held(&admin)).collect();
        assert_eq!(Raw::open(&admin).answer().status, 503);
        // Nor the other way round.
        drop(visiting);
        until("there is room again", || {
            let mut raw = Raw::open(&site);
            raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
            raw.until_closed().starts_with(b"HTTP/1.1 200")
        });
        drop(operating);
    });
}

/// How long the gateway waits after the system refused it a connection.
const BACKOFF: Duration = Duration::from_millis(100);

#[test]
fn a_gateway_that_can_accept_nobody_waits_and_serves_whom_it_has() {
    let gateway = Gateway::start_live("", &[]);
    let mut visitor = Connection::open(&gateway.site).unwrap();
    let mut operator = Connection::open(&gateway.admin).unwrap();
    let get = |target| Request::new("GET", target).header("host", "localhost");
    let mut failures = || {
        let sample = "colonnade_connections_refused_total{listener=\"site\",cause=\"system\"} ";
        let text = operator.exchange(get("/metrics")).unwrap().text();
        let line = text.lines().find_map(|line| line.strip_prefix(sample));
        line.map_or(0, |count| count.parse::<u32>().unwrap())
    };
    assert_eq!((visitor.exchange(get("/")).unwrap().status, failures()), (200, 0));
    let start = Instant::now();
    let pid = Pid::from_raw(gateway.pid().cast_signed());
    // Every descriptor that the next connection could have is too many.
    let none = Rlimit {
        current: Some(3),
        maximum: getrlimit(Resource::Nofile).maximum,
    };
    let before = prlimit(pid, Resource::Nofile, none).unwrap();
    let mut waiting = Raw::open(&gateway.site);
    assert!(waiting.say("GET / HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"));
    let mut counted = 0;
    until("accepting has failed again and again", || {
        assert_eq!(visitor.exchange(get("/")).unwrap().status, 200);
        counted = failures();
        counted >= 5
    });
    // However long that took, there was a pause after each.
    let most = start.elapsed().as_millis() / BACKOFF.as_millis() + 1;
    assert!(u128::from(counted) <= most, "{counted} in {most} pauses");
    gateway.wait_for(|line| line["event"] == "accept_failed");
    prlimit(pid, Resource::Nofile, before).unwrap();
    assert_eq!(waiting.answer().status, 200);
    assert_eq!(gateway.get("/").status, 200);
}

/// A request that is under way until its body comes.
fn waiting(client: &Client) -> TcpStream {
    let mut stream = client.connect();
    write!(
        stream,
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: 500\r\n\r\n{{"
    )
    .unwrap();
    stream
}

/// As many requests of this client under way as there may be: one more whenever another is still answered.
fn taken(client: &Client) -> Vec<TcpStream> {
    let mut under_way = Vec::new();
    until("no other request is answered", || {
        under_way.push(waiting(client));
        client.get("/").status == 503
    });
    under_way
}

#[test]
fn more_requests_than_there_may_be_are_shed_at_once_and_health_and_admin_stay() {
    let gateway = Gateway::start_live(&only("requests = 4"), &[]);
    let under_way = taken(&gateway.site);
    for _ in 0..100 {
        let answer = gateway.get("/");
        assert_eq!((answer.status, answer.header("retry-after")), (503, "1"));
        assert_eq!(gateway.event_of(&answer)["route"], "shed");
        assert_eq!(gateway.get("/healthz").status, 200);
        assert_eq!(gateway.get("/readyz").status, 200);
    }
    gateway.ask("/api/v1/sections");
    drop(under_way);
    until("there is room again", || gateway.get("/").status == 200);
}

#[test]
fn one_client_does_not_take_the_place_of_all_others() {
    let gateway = Gateway::start_live("[limits]\nrequests_per_client = 2\n", &[]);
    let client = gateway.site.coming_from(from(1));
    attack(&gateway, || {
        let _under_way = taken(&client);
        assert_eq!(gateway.get("/").status, 200);
    });
}
