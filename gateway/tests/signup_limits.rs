//! Rate limits, concurrency limit and circuit breaker of sign-up.

use std::cell::Cell;
use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::{
    Backend, Client, Gateway, Raw, Reply, Request, Response, Setup, attack, configuration_with_listen,
    wait_until,
};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);

/// Rate limits that no test reaches.
const NO_RATE_LIMITS: &str = "rate_limit_per_minute = 1000000\nrate_limit_per_client_per_minute = 1000000\n";

/// The trusted proxies.
const PROXIES: &str = "trusted_proxies = [\"127.0.1.0/24\"]";

fn table(backend: &str, keys: &str) -> String {
    format!(
        "[signup]\nbackend = \"{backend}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n{keys}"
    )
}

fn gateway(backend: &str, keys: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: PROXIES,
        extra: &table(backend, keys),
        variables: &[("KEY", "the-key")],
        ..Setup::default()
    })
}

fn accepting() -> Backend {
    Backend::start(Reply::json(200, &json!({})))
}

fn request(content_type: &str) -> Request {
    Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", content_type)
}

fn form(client: &Client) -> Response {
    let body = "email=visitor%40example.com&password=123456&age=30";
    client.send(request("application/x-www-form-urlencoded").body(body))
}

fn sign_up(gateway: &Gateway) -> Response {
    gateway.site.send(Request::sign_up())
}

/// The sign-up of another client for each number.
fn sign_up_of(gateway: &Gateway, client: u8) -> Response {
    let site = gateway.site.clone();
    site.with_source_ip(Ipv4Addr::new(127, 0, 2, client))
        .send(Request::sign_up())
}

/// Reloads with these keys, and waits until they apply.
fn reload(gateway: &Gateway, backend: &Backend, keys: &str) {
    let earlier = gateway.output().matches("\"config_reloaded\"").count();
    let table = table(&backend.origin(), keys);
    gateway.reload(&configuration_with_listen(PROXIES, &table));
    let seen = Cell::new(0);
    gateway.wait_for_event(|line| {
        seen.set(seen.get() + usize::from(line["event"] == "config_reloaded"));
        seen.get() > earlier
    });
}

/// Checks for a retryable error that does not report sign-up as unreachable.
fn assert_retryable(response: &Response, status: u16) {
    assert_eq!(response.status, status, "{}", response.text());
    assert_eq!(response.header("cache-control"), "no-store");
    let error = response.json();
    let message = error["error"].as_str().unwrap();
    assert!(
        message.ends_with("try again.") || message.ends_with("moment."),
        "{message}"
    );
    assert_eq!(error["stopped"], true, "{error}");
    assert_eq!(error.as_object().unwrap().len(), 2, "{error}");
    assert!(response.header("retry-after").parse::<u64>().unwrap() >= 1);
}

fn outcomes(gateway: &Gateway, outcome: &str) -> u64 {
    gateway.metric(&format!("colonnade_signups_total{{outcome=\"{outcome}\"}}"))
}

fn circuit_is(gateway: &Gateway, state: &str) -> bool {
    gateway.metric(&format!(
        "colonnade_signup_circuit_breaker_state{{state=\"{state}\"}}"
    )) == 1
}

#[test]
fn client_rate_limit_returns_429_to_that_client_only() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "rate_limit_per_client_per_minute = 3\n");
    for _ in 0..3 {
        assert_eq!(sign_up(&gateway).status, 200);
    }
    attack(&gateway, || {
        for _ in 0..20 {
            let response = sign_up(&gateway);
            assert_retryable(&response, 429);
            assert!(response.header("retry-after").parse::<u64>().unwrap() <= 20);
        }
    });
    let other = gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 4, 1));
    assert_eq!(other.send(Request::sign_up()).status, 200);
    assert_eq!(backend.received().len(), 4);
    assert_eq!(
        (
            outcomes(&gateway, "accepted"),
            outcomes(&gateway, "client_rate_limited")
        ),
        (4, 20)
    );
    // Invalid requests count, and requests of other origins do not.
    let invalid = gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 4, 2));
    let elsewhere = Request::new("POST", "/functions/v1/signup").header("sec-fetch-site", "cross-site");
    for _ in 0..10 {
        assert_eq!(invalid.send(elsewhere.clone()).status, 403);
    }
    for _ in 0..3 {
        assert_eq!(invalid.send(request("application/json").body("{}")).status, 400);
    }
    assert_retryable(&invalid.send(Request::sign_up()), 429);
    assert_eq!(outcomes(&gateway, "cross_origin"), 10);
    assert_eq!(backend.received().len(), 4);
}

#[test]
fn rate_limited_form_shows_page_then_plain_error() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "rate_limit_per_client_per_minute = 2\n");
    for _ in 0..2 {
        assert_eq!(form(&gateway.site).status, 303);
    }
    let response = form(&gateway.site);
    assert_eq!(response.status, 429);
    assert_eq!(response.header("cache-control"), "no-store, no-transform");
    assert!(response.header("retry-after").parse::<u64>().unwrap() >= 1);
    let boot = response.boot();
    assert_eq!(boot["page"]["pattern"], "/signup");
    assert_eq!(boot["form"]["values"]["email"], "visitor@example.com");
    assert!(boot["form"].get("code").is_none());
    let message = boot["form"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("Wait a minute"), "{message}");
    // Further attempts get a plain response, which costs no render.
    attack(&gateway, || {
        for _ in 0..9 {
            form(&gateway.site);
        }
    });
    let plain = form(&gateway.site);
    assert_eq!((plain.status, plain.header("cache-control")), (429, "no-store"));
    assert!(plain.has("retry-after"));
    let text = plain.text();
    assert!(text.contains(&message) && !text.contains("id=\"boot\""), "{text}");
    assert!(!text.contains("visitor@example.com"));
    assert!(text.contains("href=\"/signup\""), "{text}");
}

#[test]
fn rate_limit_uses_proxy_client_ip_and_ipv6_prefix() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "rate_limit_per_client_per_minute = 1\n");
    attack(&gateway, || {
        let proxy = gateway.site.with_source_ip(PROXY);
        let sign_up_from = |visitor: &str| {
            proxy
                .send(Request::sign_up().header("x-forwarded-for", visitor))
                .status
        };
        assert_eq!(
            (
                sign_up_from("192.0.2.1"),
                sign_up_from("192.0.2.1"),
                sign_up_from("192.0.2.2")
            ),
            (200, 429, 200)
        );
        assert_eq!(
            (sign_up_from("2001:db8::1"), sign_up_from("2001:db8::ffff:0:0:2")),
            (200, 429)
        );
        assert_eq!(sign_up_from("2001:db8:0:1::1"), 200);
        // Forwarding headers from an untrusted client are ignored.
        let untrusted = |visitor: &str| {
            gateway
                .site
                .send(Request::sign_up().header("x-forwarded-for", visitor))
                .status
        };
        assert_eq!((untrusted("198.51.100.1"), untrusted("198.51.100.2")), (200, 429));
    });
}

#[test]
fn global_rate_limit_returns_503() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "rate_limit_per_minute = 3\n");
    let from = |last| gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 5, last));
    for last in 0..3 {
        assert_eq!(from(last).send(Request::sign_up()).status, 200);
    }
    attack(&gateway, || {
        assert_retryable(&from(3).send(Request::sign_up()), 503);
        let page = form(&from(4));
        assert_eq!(
            (page.status, &page.boot()["form"]["values"]["email"]),
            (503, &json!("visitor@example.com"))
        );
    });
    assert_eq!(backend.received().len(), 3);
    assert_eq!(outcomes(&gateway, "global_rate_limited"), 2);
}

#[test]
fn concurrency_limit_returns_503() {
    let backend = Backend::start(Reply::Hold("{}".to_owned()));
    let gateway = gateway(&backend.origin(), "max_concurrent = 2\n");
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| sign_up(&gateway).status)).collect();
        backend.wait_for_requests(2);
        attack(&gateway, || {
            for _ in 0..5 {
                assert_retryable(&sign_up(&gateway), 503);
            }
        });
        backend.release_held();
        let responses = waiting.into_iter().map(|waiting| waiting.join().unwrap());
        assert!(responses.eq([200, 200]));
    });
    assert_eq!(sign_up(&gateway).status, 200);
    assert_eq!(
        (
            backend.received().len(),
            outcomes(&gateway, "concurrency_limited")
        ),
        (3, 5)
    );
}

#[test]
fn permit_is_held_until_end_of_backend_response() {
    // The backend sends the response header at once and the body byte by byte.
    let backend = Backend::start(Reply::Drip);
    let keys = format!("max_concurrent = 1\ntotal_timeout_ms = 60000\n{NO_RATE_LIMITS}");
    let gateway = gateway(&backend.origin(), &keys);
    let _first = Raw::sign_up(&gateway.site);
    backend.wait_for_request();
    attack(&gateway, || {
        for _ in 0..50 {
            assert_retryable(&sign_up(&gateway), 503);
        }
    });
    assert_eq!(backend.received().len(), 1);
}

#[test]
fn circuit_opens_after_repeated_failures() {
    let backend = Backend::start(Reply::Close);
    let gateway = gateway(
        &backend.origin(),
        &format!("breaker_failure_threshold = 2\nbreaker_open_seconds = 3600\n{NO_RATE_LIMITS}"),
    );
    attack(&gateway, || {
        for _ in 0..5 {
            assert_eq!(sign_up_of(&gateway, 1).status, 502);
        }
    });
    assert!(circuit_is(&gateway, "closed"), "one client does not open it");
    assert_eq!(sign_up_of(&gateway, 2).status, 502);
    for _ in 0..20 {
        let response = sign_up(&gateway);
        let expected =
            json!({ "error": "Signup failed. Please try again.", "unreachable": true, "stopped": true });
        assert_eq!((response.status, response.json()), (503, expected));
        assert!(response.header("retry-after").parse::<u64>().unwrap() > 3500);
    }
    assert_eq!(form(&gateway.site).boot()["form"]["code"], "unreachable");
    // With an open circuit a client under 18 still gets the age error.
    let underage = json!({ "email": "visitor@example.com", "password": "123456", "age": 17 });
    assert_eq!(
        gateway
            .site
            .send(request("application/json").body(underage.to_string()))
            .status,
        422
    );
    assert_eq!(backend.received().len(), 6);
    assert!(circuit_is(&gateway, "open") && outcomes(&gateway, "circuit_open") == 21);
}

#[test]
fn circuit_counts_html_5xx_but_no_html_4xx_or_json() {
    let page = |status| Reply::Response(status, "text/html", "<h1>No</h1>".to_owned());
    let backend = Backend::start(page(403));
    let keys = format!(
        "breaker_failure_threshold = 2\nbreaker_failure_percent = 15\nbreaker_open_seconds = 3600\n{NO_RATE_LIMITS}"
    );
    let gateway = gateway(&backend.origin(), &keys);
    for client in 1..=5 {
        assert_eq!(sign_up_of(&gateway, client).status, 502);
    }
    backend.set_reply(Reply::json(500, &json!({ "error": "Not today." })));
    for client in 6..=10 {
        assert_eq!(sign_up_of(&gateway, client).status, 500);
    }
    assert!(circuit_is(&gateway, "closed"));
    backend.set_reply(page(500));
    for client in 11..=12 {
        assert_eq!(sign_up_of(&gateway, client).status, 502);
    }
    assert_eq!(sign_up(&gateway).status, 503);
    assert!(circuit_is(&gateway, "open"));
    assert_eq!(backend.received().len(), 12);
}

#[test]
fn half_open_circuit_sends_one_probe() {
    let backend = Backend::start(Reply::Close);
    let keys = format!("breaker_failure_threshold = 1\ntotal_timeout_ms = 60000\n{NO_RATE_LIMITS}");
    let gateway = gateway(&backend.origin(), &format!("breaker_open_seconds = 1\n{keys}"));
    assert_eq!(sign_up_of(&gateway, 1).status, 502);
    // A probe that takes longer would let another one begin.
    reload(
        &gateway,
        &backend,
        &format!("breaker_open_seconds = 3600\n{keys}"),
    );
    backend.set_reply(Reply::Hold("{}".to_owned()));
    std::thread::scope(|scope| {
        let probe = scope.spawn(|| wait_until("the circuit closes", || sign_up(&gateway).status == 200));
        backend.wait_for_requests(2);
        assert!(circuit_is(&gateway, "half_open"));
        for _ in 0..5 {
            assert_eq!(sign_up(&gateway).status, 503);
        }
        assert_eq!(backend.received().len(), 2);
        backend.release_held();
        probe.join().unwrap();
    });
    assert!(circuit_is(&gateway, "closed"));
    let opened = gateway.wait_for_event(|event| event["event"] == "signup_circuit_opened");
    assert_eq!(
        (&opened["level"], &opened["open_seconds"]),
        (&json!("WARN"), &json!(1))
    );
    let closed = gateway.wait_for_event(|event| event["event"] == "signup_circuit_closed");
    assert_eq!(closed["level"], "INFO");
    assert_eq!(sign_up(&gateway).status, 200);
    assert_eq!(gateway.output().matches("signup_circuit_closed").count(), 1);
}

#[test]
fn reload_applies_limits_and_keeps_usage() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "rate_limit_per_client_per_minute = 2\n");
    let reload = |keys: &str| reload(&gateway, &backend, keys);
    assert_eq!(sign_up(&gateway).status, 200);
    assert_eq!(sign_up(&gateway).status, 200);
    assert_retryable(&sign_up(&gateway), 429);
    // The client's usage stays at one full minute. At 60,000 per minute one attempt becomes available every millisecond.
    reload("rate_limit_per_client_per_minute = 60000\nmax_concurrent = 1\n");
    wait_until("the rate limit admits a sign-up", || {
        sign_up(&gateway).status == 200
    });
    backend.set_reply(Reply::Hold(json!({}).to_string()));
    let sent = backend.received().len();
    let mut held = Raw::open(&gateway.site);
    assert!(
        held.send(
            Request::sign_up()
                .header("connection", "close")
                .into_bytes(gateway.site.address())
        )
    );
    backend.wait_for_requests(sent + 1);
    wait_until("the concurrency limit applies", || {
        let response = sign_up(&gateway);
        assert!(matches!(response.status, 429 | 503), "{}", response.status);
        response.status == 503
    });
    backend.release_held();
    assert_eq!(held.read_response().status, 200);
    backend.set_reply(Reply::Close);
    reload(&format!(
        "{NO_RATE_LIMITS}breaker_failure_threshold = 1\nbreaker_failure_percent = 1\n"
    ));
    assert_eq!(sign_up(&gateway).status, 502);
    assert_eq!(sign_up(&gateway).status, 503);
}
