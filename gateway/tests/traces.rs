//! Traces.

use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::secrets::{
    SECRETS, VARIABLES, assert_no_secrets, configuration, signup_requests, use_admin_api,
};
use crate::support::{
    Backend, FaultyMachine, Gateway, Reply, Request, Setup, Upstream, deploy_with_queries, upstream_table,
};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Stops the gateway and returns all bytes that the collector received.
fn collected(mut gateway: Gateway, collector: &Backend) -> Vec<u8> {
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    let received = collector.received_bytes();
    assert!(!received.is_empty(), "the gateway exported nothing");
    received.concat()
}

fn contains(bytes: &[u8], wanted: impl AsRef<[u8]>) -> bool {
    let wanted = wanted.as_ref();
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn gateway_with_collector(collector: &Backend, keys: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.1.0/24\"]",
        extra: &format!("[telemetry]\notlp_endpoint = \"{}\"\n{keys}", collector.origin()),
        ..Setup::default()
    })
}

#[test]
fn request_exports_one_span() {
    let collector = Backend::start(Reply::Response(200, "application/x-protobuf", String::new()));
    let gateway = gateway_with_collector(&collector, "");
    let proxy = gateway.site.with_source_ip(PROXY);
    let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let request = Request::new("GET", "/state/secret-path?secret-query=1")
        .header("traceparent", &parent)
        .header("cookie", "secret=1")
        .header("x-forwarded-for", "203.0.113.77");
    let response = proxy.send(request);
    let id = response.header("x-request-id").to_owned();
    gateway.request_event(&response);
    let sent = collected(gateway, &collector);
    assert!(contains(&sent, "POST /v1/traces HTTP/1.1"));
    for wanted in [
        "colonnade-gateway",
        "GET /state/:state",
        "http.route",
        "http.response.status_code",
        &id,
    ] {
        assert!(contains(&sent, wanted), "{wanted}");
    }
    assert!(contains(
        &sent,
        u128::from_str_radix(TRACE, 16).unwrap().to_be_bytes()
    ));
    for text in ["secret", "203.0.113.77"] {
        assert!(!contains(&sent, text), "{text}");
    }
}

#[test]
fn traces_leak_no_secrets_for_any_signup_outcome() {
    let collector = Backend::start(Reply::Response(200, "application/x-protobuf", String::new()));
    let backend = Backend::start(Reply::Close);
    let machine = FaultyMachine::new();
    let keys = format!(
        "total_timeout_ms = 200\nbreaker_failure_threshold = 1000\n[telemetry]\notlp_endpoint = \"{}\"\n",
        collector.origin()
    );
    // The exporter must send only at shutdown: with the broken clock it would panic, too, when it opens a socket.
    let variables = [&VARIABLES[..], &[("OTEL_BSP_SCHEDULE_DELAY", "86400000")]].concat();
    let gateway = machine
        .start_with(&configuration(&backend.origin(), &keys), &variables)
        .with_live_site();
    use_admin_api(&gateway);
    let sign_up = || signup_requests().map(|request| gateway.site.send(request));
    let replies = [
        Reply::json(200, &json!({})),
        Reply::json(409, &json!({ "error": "That address is taken." })),
        Reply::Stall,
        Reply::Close,
        Reply::Raw("rubbish\r\n\r\n".to_owned()),
    ];
    for reply in replies {
        backend.set_reply(reply);
        for response in sign_up() {
            gateway.request_event(&response);
        }
    }
    assert_eq!(backend.received().len(), 10);
    machine.break_monotonic_clock();
    for response in sign_up() {
        assert_eq!(response.status, 500, "{}", response.text());
        gateway.request_event(&response);
    }
    machine.fix_monotonic_clock();
    assert_eq!(gateway.output().matches("\"event\":\"panic\"").count(), 2);
    let sent = collected(gateway, &collector);
    for route in ["POST /functions/v1/signup", "PUT /api/v1/sections"] {
        assert!(contains(&sent, route), "{route}");
    }
    assert_no_secrets("a trace", &sent, &SECRETS);
}

#[test]
fn traceparent_of_untrusted_client_is_ignored() {
    let collector = Backend::start(Reply::Response(200, "application/x-protobuf", String::new()));
    let gateway = gateway_with_collector(&collector, "");
    let request = Request::new("GET", "/").header("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-01"));
    gateway.request_event(&gateway.site.send(request));
    let sent = collected(gateway, &collector);
    assert!(!contains(
        &sent,
        u128::from_str_radix(TRACE, 16).unwrap().to_be_bytes()
    ));
}

#[test]
fn unreachable_collector_does_not_affect_requests() {
    let gateway = Gateway::start_live("[telemetry]\notlp_endpoint = \"http://127.0.0.1:1\"\n", &[]);
    for _ in 0..100 {
        assert_eq!(gateway.get("/").status, 200);
    }
}

#[test]
fn calls_of_upstreams_have_spans_in_trace_of_request() {
    const PAGE: &str =
        "export default { queries: () => ({ a: '/api/events/query?marked' }), data: () => ({}) };";
    let collector = Backend::start(Reply::Response(200, "application/x-protobuf", String::new()));
    let upstream = Upstream::json("{}");
    let telemetry = format!("[telemetry]\notlp_endpoint = \"{}\"\n", collector.origin());
    let table = upstream_table(&[&upstream.origin()], &telemetry);
    let gateway = Gateway::start_with(&table, &[]);
    deploy_with_queries(&gateway, PAGE);
    for path in ["/api/events/marked-path?marked-query", "/live/marked-path"] {
        let response = gateway.get(path);
        gateway.request_event(&response);
    }
    let sent = collected(gateway, &collector);
    let received = upstream.received();
    assert_eq!(received.len(), 2, "{received:?}");
    for request in received {
        let parts: Vec<&str> = request.values("traceparent")[0].split('-').collect();
        let [trace, span] = [parts[1], parts[2]].map(|hex| u128::from_str_radix(hex, 16).unwrap());
        let (trace, span) = (trace.to_be_bytes(), &span.to_be_bytes()[8..]);
        assert!(contains(&sent, trace) && contains(&sent, span), "{request:?}");
        // The trace has the request and its call.
        let spans = sent
            .windows(trace.len())
            .filter(|window| *window == trace)
            .count();
        assert_eq!(spans, 2, "{request:?}");
    }
    assert!(contains(&sent, "call events") && contains(&sent, "colonnade.outcome"));
    assert!(!contains(&sent, "marked"));
}
