//! Traces, in a gateway built with the feature `otlp`.

use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::marks::{SECRETS, VARIABLES, assert_clean, configuration, operate, sign_ups};
use crate::support::{Act, Backend, Gateway, Machine, Request, Setup};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Ends the gateway, and returns all that its collector has received.
fn collected(mut gateway: Gateway, collector: &Backend) -> Vec<u8> {
    gateway.signal("TERM");
    assert_eq!(gateway.end().code(), Some(0));
    let received = collector.received_bytes();
    assert!(!received.is_empty(), "nothing was sent");
    received.concat()
}

fn has(bytes: &[u8], wanted: impl AsRef<[u8]>) -> bool {
    let wanted = wanted.as_ref();
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn traced(collector: &Backend, keys: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: "proxies = [\"127.0.1.0/24\"]",
        extra: &format!("[telemetry]\ncollector = \"{}\"\n{keys}", collector.origin()),
        ..Setup::default()
    })
}

#[test]
fn a_request_is_one_span_that_tells_what_its_event_does() {
    let collector = Backend::start(Act::Answer(200, "application/x-protobuf", String::new()));
    let gateway = traced(&collector, "");
    let proxy = gateway.site.coming_from(PROXY);
    let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let request = Request::new("GET", "/state/marked-path?marked-query=1")
        .header("traceparent", &parent)
        .header("cookie", "marked=1")
        .header("x-forwarded-for", "203.0.113.77");
    let answer = proxy.send(request);
    let id = answer.header("x-request-id").to_owned();
    gateway.event_of(&answer);
    let sent = collected(gateway, &collector);
    assert!(has(&sent, "POST /v1/traces HTTP/1.1"));
    for wanted in [
        "colonnade-gateway",
        "GET /state/:state",
        "http.route",
        "http.response.status_code",
        &id,
    ] {
        assert!(has(&sent, wanted), "{wanted}");
    }
    assert!(has(&sent, u128::from_str_radix(TRACE, 16).unwrap().to_be_bytes()));
    for mark in ["marked", "203.0.113.77"] {
        assert!(!has(&sent, mark), "{mark}");
    }
}

#[test]
fn nothing_leaks_into_traces_whatever_becomes_of_a_sign_up() {
    let collector = Backend::start(Act::Answer(200, "application/x-protobuf", String::new()));
    let backend = Backend::start(Act::Close);
    let machine = Machine::new();
    let keys = format!(
        "total_timeout_ms = 200\nfailures = 1000\n[telemetry]\ncollector = \"{}\"\n",
        collector.origin()
    );
    // All is sent at the end: whoever opens a socket while time stands still panics, also who sends traces.
    let variables = [&VARIABLES[..], &[("OTEL_BSP_SCHEDULE_DELAY", "86400000")]].concat();
    let gateway = machine
        .start_with(&configuration(&backend.origin(), &keys), &variables)
        .made_live();
    operate(&gateway);
    let sign_up = || sign_ups().map(|request| gateway.site.send(request));
    let acts = [
        Act::json(200, &json!({})),
        Act::json(409, &json!({ "error": "That address is taken." })),
        Act::Stall,
        Act::Close,
        Act::Raw("rubbish\r\n\r\n".to_owned()),
    ];
    for act in acts {
        backend.now(act);
        for answer in sign_up() {
            gateway.event_of(&answer);
        }
    }
    assert_eq!(backend.received().len(), 10);
    machine.stop_time();
    for answer in sign_up() {
        assert_eq!(answer.status, 500, "{}", answer.text());
        gateway.event_of(&answer);
    }
    machine.start_time();
    assert_eq!(gateway.output().matches("\"event\":\"panic\"").count(), 2);
    let sent = collected(gateway, &collector);
    for route in ["POST /functions/v1/signup", "PUT /api/v1/sections"] {
        assert!(has(&sent, route), "{route}");
    }
    assert_clean("a trace", &sent, &SECRETS);
}

#[test]
fn a_strangers_trace_is_not_continued() {
    let collector = Backend::start(Act::Answer(200, "application/x-protobuf", String::new()));
    let gateway = traced(&collector, "");
    let request = Request::new("GET", "/").header("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-01"));
    gateway.event_of(&gateway.site.send(request));
    let sent = collected(gateway, &collector);
    assert!(!has(
        &sent,
        u128::from_str_radix(TRACE, 16).unwrap().to_be_bytes()
    ));
}

#[test]
fn a_collector_that_is_gone_costs_nobody_anything() {
    let gateway = Gateway::start_live("[telemetry]\ncollector = \"http://127.0.0.1:1\"\n", &[]);
    for _ in 0..100 {
        assert_eq!(gateway.get("/").status, 200);
    }
}
