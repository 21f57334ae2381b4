//! Attacks of visitors and of upstreams on other visitors.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::Response;

use crate::support::{Gateway, Request, Upstream, upstream_table};

/// An upstream whose responses are fresh and repeat what it was told about the site.
fn reflecting() -> Upstream {
    Upstream::start(|request| {
        let told = [
            request.values("host"),
            request.values("x-forwarded-host"),
            request.values("forwarded"),
        ];
        Response::builder()
            .header("cache-control", "max-age=600")
            .body(format!("{told:?}").into())
            .unwrap()
    })
}

#[test]
fn host_of_one_visitor_reaches_no_other_through_the_cache() {
    let upstream = reflecting();
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], ""), &[]);
    let request = |host: &str| {
        let request = Request::new("GET", "/api/events").header("host", host);
        gateway.site.send(request).text()
    };
    let told = request("evil.example");
    assert!(!told.contains("evil.example"), "{told}");
    assert!(told.contains("host=\\\"site.example\\\""), "{told}");
    assert_eq!(request("site.example"), told);
    upstream.only_request();
}

/// Headers that an upstream could believe, because proxies set them. `request_headers` has a table of all.
const SPOOFED: [&str; 14] = [
    "x-forwarded-client-cert",
    "x-forwarded",
    "x-original-uri",
    "x-http-path-override",
    "x-http-host",
    "x-method",
    "front-end-https",
    "fly-client-ip",
    "cf-connecting-ipv6",
    "x-envoy-original-path",
    "x-middleware-subrequest",
    "remote-user",
    "x-auth-request-email",
    "client-cert",
];

/// Headers of an application.
const OWN: [&str; 4] = ["x-own", "x-requested-with", "idempotency-key", "user-agent"];

#[test]
fn headers_that_proxies_set_never_pass_from_a_visitor() {
    let upstream = Upstream::json("{}");
    let keys = "methods = [\"GET\", \"POST\"]\nrequest_headers = { x-api-key = { env = \"EVENTS_KEY\" } }";
    let table = upstream_table(&[&upstream.origin()], keys);
    let gateway = Gateway::start_with(&table, &[("EVENTS_KEY", "the-key")]);
    let mut request = Request::new("POST", "/api/events").header("sec-fetch-site", "same-origin");
    for name in SPOOFED.into_iter().chain(OWN) {
        request = request.header(name, "marked");
    }
    assert_eq!(gateway.site.send(request).status, 200);
    let received = upstream.only_request();
    for name in SPOOFED {
        assert!(received.values(name).is_empty(), "{name}");
    }
    for name in OWN {
        assert_eq!(received.values(name), ["marked"], "{name}");
    }
    assert_eq!(received.values("x-api-key"), ["the-key"]);
}

#[test]
fn only_listed_headers_of_a_visitor_choose_what_others_get() {
    let upstream = Upstream::start(|request| {
        let told: Vec<_> = request
            .headers
            .iter()
            .filter(|(_, value)| *value == "marked")
            .map(|(name, _)| name.as_str())
            .collect();
        let response = Response::builder().header("cache-control", "max-age=600");
        response.body(told.join(" ").into()).unwrap()
    });
    let keys = "forward_request_headers = [\"X-Tenant\", \"x-auth-token\"]";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let sent = ["accept", "accept-language", "x-tenant", "x-auth-token"];
    let mut request = Request::new("GET", "/api/events");
    for name in SPOOFED.into_iter().chain(OWN).chain(sent) {
        request = request.header(name, "marked");
    }
    let mut told: Vec<_> = gateway
        .site
        .send(request)
        .text()
        .split(' ')
        .map(str::to_owned)
        .collect();
    told.sort();
    let mut expected = sent;
    expected.sort_unstable();
    assert_eq!(told, expected);
}

#[test]
fn path_never_leaves_the_base_url() {
    let upstream = Upstream::json("{}");
    let table = upstream_table(&[&format!("{}/v1", upstream.origin())], "");
    let gateway = Gateway::start_with(&table, &[]);
    // Servlet containers drop what follows a semicolon; others take a backslash for a slash.
    for path in [
        "..;/admin",
        "..;x=y/admin",
        "a/.;/b",
        "..%3b/admin",
        "..%5cadmin",
        "a%5c..%5c..%5cadmin",
        "%2e%2e/admin",
        "..%2fadmin",
        "../admin",
    ] {
        let response = gateway.get(&format!("/api/events/{path}"));
        assert!([400, 404].contains(&response.status), "{path}: {response:?}");
    }
    assert!(upstream.received().is_empty(), "{:?}", upstream.received());
    assert_eq!(gateway.get("/api/events/a;b=1/..c;d/%5c").status, 200);
    assert_eq!(upstream.only_request().target, "/v1/a;b=1/..c;d/%5c");
}

#[test]
fn script_in_any_content_type_field_becomes_plain_text() {
    let upstream = Upstream::start(|_| {
        Response::builder()
            .header("content-type", "text/plain")
            .header("content-type", "text/javascript")
            .body(b"alert(1)".to_vec())
            .unwrap()
    });
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], ""), &[]);
    let response = gateway.get("/api/events");
    assert_eq!(
        response.header_values("content-type"),
        ["text/plain; charset=utf-8"]
    );
}

#[test]
fn post_removes_responses_that_its_response_names() {
    let count = AtomicUsize::new(0);
    let upstream = Upstream::start(move |request| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        let mut response = Response::builder().header("cache-control", "max-age=600");
        if request.method == "POST" {
            let names_other = request.target.ends_with("?news");
            let named = if names_other {
                "/api/news/7"
            } else {
                "/api/events/7"
            };
            response = response
                .status(303)
                .header("content-location", named)
                .header("location", "/api/events/8#thanks");
        }
        response.body(number.to_string().into()).unwrap()
    });
    let keys = "methods = [\"GET\", \"POST\"]";
    let table = upstream_table(&[&upstream.origin()], keys);
    let news = table.replace("events", "news");
    let gateway = Gateway::start_with(&[table, news].concat(), &[]);
    let get = |id: &str| gateway.get(&format!("/api/events/{id}")).text();
    assert_eq!(["7", "8", "9"].map(get), ["0", "1", "2"]);
    let post = Request::new("POST", "/api/events/7/rsvp").header("sec-fetch-site", "same-origin");
    let response = gateway.site.send(post);
    assert_eq!(response.header("location"), "/api/events/8#thanks");
    assert_eq!(["7", "8", "9"].map(get), ["4", "5", "2"]);
    // What another upstream serves stays.
    let news = || gateway.get("/api/news/7").text();
    assert_eq!(news(), "6");
    let post = Request::new("POST", "/api/events/7?news").header("sec-fetch-site", "same-origin");
    assert_eq!(gateway.site.send(post).header("content-location"), "/api/news/7");
    assert_eq!(news(), "6");
}
