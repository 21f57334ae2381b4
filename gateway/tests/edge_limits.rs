//! How many there may be: connections and requests, of one client and of all.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpStream};

use serde_json::json;

use crate::support::{Client, Gateway, Raw, Release, Setup, attack, until};

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

#[test]
fn more_connections_than_there_may_be_are_refused_and_the_admin_api_stays() {
    let gateway = Gateway::start_live("[limits]\nconnections = 5\n", &[]);
    let mut all: Vec<Raw> = (0..5)
        .map(|last| held(&gateway.site.coming_from(from(last))))
        .collect();
    assert_eq!(Raw::open(&gateway.site).answer().status, 503);
    assert_eq!(gateway.admin.get("/readyz").status, 200);
    for raw in &mut all {
        raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n");
    }
    drop(all);
    until("there is room again", || {
        let mut raw = Raw::open(&gateway.site);
        raw.say("GET / HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
        raw.until_closed().starts_with(b"HTTP/1.1 200")
    });
}

#[test]
fn connections_never_use_up_the_file_descriptors() {
    let gateway = Gateway::set_up_live(Setup {
        descriptors: Some(96),
        ..Setup::default()
    });
    let mut all: Vec<Raw> = Vec::new();
    for number in 0..200 {
        all.push(Raw::open(&gateway.site.coming_from(from(number))));
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
    let gateway = Gateway::start_live("[limits]\nrequests = 4\n", &[]);
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
