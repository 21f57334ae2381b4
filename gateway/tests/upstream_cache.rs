//! The shared cache of upstreams' responses.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::{Response, StatusCode};
use serde_json::json;

use crate::support::{Gateway, Received, Request, Response as Answer, Upstream, upstream_table};

const KEYS: &str = "methods = [\"GET\", \"HEAD\", \"POST\"]\nforward_cookies = true\nforward_authorization = true\n\
                    forward_request_headers = [\"x-tenant\"]\n\
                    request_headers = { authorization = { env = \"EVENTS_KEY\" } }";
const VARIABLES: [(&str, &str); 1] = [("EVENTS_KEY", "Bearer of-the-gateway")];

/// An upstream that answers the path `/<name>` as the case of that name says, with the number of the request as its body.
fn upstream(cases: &'static [(&'static str, &'static [(&'static str, &'static str)])]) -> Upstream {
    let count = AtomicUsize::new(0);
    Upstream::start(move |request| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        let case = cases
            .iter()
            .find(|(name, _)| request.target.starts_with(&format!("/{name}")));
        let mut response = Response::builder();
        for (name, value) in case.expect("a case").1 {
            response = response.header(*name, *value);
        }
        if request.headers.contains_key("if-none-match") {
            return response
                .status(StatusCode::NOT_MODIFIED)
                .body(Vec::new())
                .unwrap();
        }
        response.body(number.to_string().into()).unwrap()
    })
}

/// What the cache says about a first request, if it stores the response and if it does not.
const MISS: &str = "fwd=uri-miss; fwd-status=200; stored";
const UNSTORED: &str = "fwd=uri-miss; fwd-status=200";

fn gateway(upstream: &Upstream) -> Gateway {
    Gateway::start_with(&upstream_table(&[&upstream.origin()], KEYS), &VARIABLES)
}

/// What the cache says about a response, without its name and the remaining freshness.
fn status(response: &Answer) -> String {
    let status = response
        .header("cache-status")
        .strip_prefix("colonnade; ")
        .expect("the gateway's status");
    status.split("; ttl=").next().unwrap().to_owned()
}

fn get(gateway: &Gateway, name: &str, headers: &[(&str, &str)]) -> (String, u16, String) {
    let mut request = Request::new("GET", &format!("/api/events/{name}"));
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let response = gateway.site.send(request);
    (status(&response), response.status, response.text())
}

fn cache_metric(gateway: &Gateway, outcome: &str) -> u64 {
    gateway.metric(&format!(
        "colonnade_upstream_cache_responses_total{{upstream=\"events\",outcome=\"{outcome}\"}}"
    ))
}

/// Responses by name. The rules of caching are tested in the crate `upstream`; these are about what the gateway removes and adds.
#[rustfmt::skip]
const RESPONSES: &[(&str, &[(&str, &str)])] = &[
    ("fresh", &[("cache-control", "max-age=600"), ("etag", "\"a\""), ("content-type", "application/json")]),
    ("public", &[("cache-control", "public, max-age=600")]),
    ("cookie", &[("cache-control", "public, max-age=600"), ("set-cookie", "a=b")]),
    ("tenant", &[("cache-control", "max-age=600"), ("vary", "X-Tenant, Origin, X-Forwarded-Host")]),
    ("unsent", &[("cache-control", "max-age=600"), ("vary", "accept, user-agent")]),
    // A connection option does not remove the headers that keep a response for one visitor.
    ("named-cookie", &[("cache-control", "max-age=600"), ("set-cookie", "a=b"), ("connection", "set-cookie")]),
    ("named-vary", &[("cache-control", "max-age=600"), ("vary", "*"), ("connection", "Vary")]),
    ("named-private", &[("cache-control", "private"), ("etag", "\"a\""), ("connection", "cache-control")]),
];

/// Requests in order: the name of the response, headers, `Cache-Status`, and the body.
#[rustfmt::skip]
const REQUESTS: &[(&str, &[(&str, &str)], &str, &str)] = &[
    ("fresh", &[], MISS, "0"),
    ("fresh", &[], "hit", "0"),
    ("fresh", &[("cookie", "session=1")], "fwd=request; fwd-status=200", "1"),
    ("fresh", &[("authorization", "Bearer a")], "fwd=request; fwd-status=200", "2"),
    ("public", &[("cookie", "session=1")], MISS, "3"),
    ("public", &[], "hit", "3"),
    // The gateway removes the cookie, but the response may be for one visitor.
    ("cookie", &[], UNSTORED, "4"),
    ("tenant", &[("x-tenant", "a")], MISS, "5"),
    ("tenant", &[("x-tenant", "a"), ("origin", "https://other.example")], "hit", "5"),
    ("tenant", &[("x-tenant", "b")], "fwd=vary-miss; fwd-status=200; stored", "6"),
    ("unsent", &[], UNSTORED, "7"),
    ("named-cookie", &[], UNSTORED, "8"),
    ("named-vary", &[], UNSTORED, "9"),
    ("named-private", &[], UNSTORED, "10"),
];

#[test]
fn responses_are_reused_as_their_headers_say() {
    let upstream = upstream(RESPONSES);
    let gateway = gateway(&upstream);
    for (name, headers, status, body) in REQUESTS {
        let expected = ((*status).to_owned(), 200, (*body).to_owned());
        assert_eq!(get(&gateway, name, headers), expected, "{name} {headers:?}");
    }
    let only_if_cached = |name: &str| {
        let request = Request::new("GET", &format!("/api/events/{name}"));
        gateway
            .site
            .send(request.header("cache-control", "only-if-cached"))
    };
    let missing = only_if_cached("cookie");
    // The gateway generates it (RFC 9211, section 2).
    assert!(
        missing.status == 504 && !missing.has("cache-status"),
        "{missing:?}"
    );
    assert_eq!(missing.json(), json!({ "error": "There is no stored response." }));
    assert_eq!(only_if_cached("public").text(), "3");
    let head = gateway.site.send(Request::new("HEAD", "/api/events/fresh"));
    assert_eq!(
        (status(&head).as_str(), head.status, head.body.len()),
        ("hit", 200, 0)
    );
    assert_eq!(
        (head.header("content-length"), head.header("content-type")),
        ("1", "application/json")
    );
    assert!(head.has("age"));
    // The gateway's own header is in each request, and makes no visitor a known one.
    let own = |request: &Received| request.values("authorization") == ["Bearer of-the-gateway"];
    assert!(upstream.received().iter().all(own));
    for (outcome, expected) in [("hit", 5), ("miss", 8), ("bypass", 3), ("stale", 0)] {
        assert_eq!(cache_metric(&gateway, outcome), expected, "{outcome}");
    }
    assert!(gateway.metric("colonnade_upstream_cache_size_bytes") > 0);
}

#[test]
fn stale_response_is_validated_and_replaces_failures() {
    const STALE: &[(&str, &str)] = &[
        ("cache-control", "max-age=0, stale-if-error=600"),
        ("etag", "\"a\""),
    ];
    let upstream = upstream(&[("", STALE)]);
    let gateway = gateway(&upstream);
    get(&gateway, "a", &[]);
    let validated = "fwd=stale; fwd-status=304; stored".to_owned();
    assert_eq!(
        get(&gateway, "a", &[("if-none-match", "\"other\"")]),
        (validated, 200, "0".to_owned())
    );
    assert_eq!(upstream.received()[1].values("if-none-match"), ["\"a\""]);
    drop(upstream);
    let replaced = ("fwd=stale".to_owned(), 200, "0".to_owned());
    assert_eq!(get(&gateway, "a", &[]), replaced);
    for outcome in ["revalidated", "stale"] {
        assert_eq!(cache_metric(&gateway, outcome), 1, "{outcome}");
    }
}

#[test]
fn purge_and_unsafe_methods_remove_responses() {
    let upstream = upstream(&[("", &[("cache-control", "max-age=600")])]);
    let gateway = gateway(&upstream);
    for name in ["a", "b?x=1", "b?x=2", "%62/c"] {
        get(&gateway, name, &[]);
    }
    let purge = |prefix: &str| gateway.admin_post("/api/v1/upstreams/purge", &json!({ "prefix": prefix }));
    for (prefix, expected) in [("/api/other", 0), ("/api/events/b", 3), ("/api/events/b", 0)] {
        let response = purge(prefix);
        assert_eq!(
            (response.status, response.json()),
            (200, json!({ "purged": expected })),
            "{prefix}"
        );
    }
    assert_eq!(get(&gateway, "b?x=1", &[]).2, "4");
    assert_eq!(get(&gateway, "a", &[]).2, "0");
    for prefix in ["", "api/events", "/assets/", "/api/\u{e9}"] {
        assert_eq!(purge(prefix).status, 400, "{prefix}");
    }
    let post = Request::new("POST", "/api/events/a")
        .header("sec-fetch-site", "same-origin")
        .body("x");
    assert_eq!(status(&gateway.site.send(post)), "fwd=method; fwd-status=200");
    assert_eq!(get(&gateway, "a", &[]).2, "6");
}

#[test]
fn cache_of_size_zero_stores_nothing() {
    let upstream = upstream(&[("", &[("cache-control", "max-age=600")])]);
    let table = upstream_table(&[&upstream.origin()], KEYS) + "[upstream_cache]\nsize_mib = 0\n";
    let gateway = Gateway::start_with(&table, &VARIABLES);
    for body in ["0", "1"] {
        let response = gateway.get("/api/events/a");
        assert_eq!(response.text(), body);
        assert!(!response.has("cache-status"));
    }
}
