//! Requests and responses pass between visitors and an upstream.

use std::net::Ipv4Addr;

use http::Response;
use serde_json::json;

use crate::support::{Gateway, Request, Setup, Upstream, upstream_table};

#[test]
fn request_and_response_are_forwarded() {
    let upstream = Upstream::start(|request| {
        let body = json!({ "path": request.target, "length": request.body.len() });
        let response = Response::builder()
            .status(201)
            .header("content-type", "application/json");
        response.body(body.to_string().into()).unwrap()
    });
    let keys = "methods = [\"GET\", \"POST\"]";
    let gateway = Gateway::start_with(
        &upstream_table(&[&format!("{}/v1", upstream.origin())], keys),
        &[],
    );
    let request = Request::new("POST", "/api/events/a%20b/?x=1&y=%2F")
        .header("sec-fetch-site", "same-origin")
        .header("x-own", "kept")
        .body("the body");
    let response = gateway.site.send(request);
    assert_eq!(response.status, 201, "{response:?}");
    assert_eq!(
        response.json(),
        json!({ "path": "/v1/a%20b/?x=1&y=%2F", "length": 8 })
    );
    let received = upstream.only_request();
    assert_eq!(
        (received.method.as_str(), &*received.body),
        ("POST", &b"the body"[..])
    );
    assert_eq!(received.values("x-own"), ["kept"]);
    let event = gateway.request_event(&response);
    assert_eq!(
        (&event["upstream"], &event["route"]),
        (&json!("events"), &json!("/api"))
    );
    let sample = "colonnade_upstream_requests_total{upstream=\"events\",outcome=\"2xx\"}";
    assert_eq!(gateway.metric(sample), 1);
    // Without a body only a POST has a length.
    for (method, length) in [("POST", vec!["0"]), ("GET", vec![])] {
        let request = Request::new(method, "/api/events").header("sec-fetch-site", "same-origin");
        assert_eq!(gateway.site.send(request).status, 201, "{method}");
        let received = upstream.received().pop().unwrap();
        assert_eq!(received.values("content-length"), length, "{method}");
    }
}

/// Headers that an upstream must not get from a visitor.
const NOT_FORWARDED: [(&str, &str); 20] = [
    ("keep-alive", "timeout=5"),
    ("te", "trailers"),
    ("trailer", "x-checksum"),
    ("proxy-authorization", "Basic marked"),
    ("proxy-connection", "keep-alive"),
    ("x-hop", "marked"),
    ("x-real-ip", "6.6.6.6"),
    ("true-client-ip", "6.6.6.6"),
    ("x-original-url", "/admin"),
    ("x-rewrite-url", "/admin"),
    ("x-http-method-override", "DELETE"),
    ("proxy", "http://evil.example"),
    ("cookie", "session=marked"),
    ("authorization", "Bearer marked"),
    (
        "traceparent",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ),
    ("tracestate", "a=marked"),
    ("x-forwarded-port", "1"),
    ("expect", "100-continue"),
    ("upgrade", "h2c"),
    ("http2-settings", "AAMAAABkAAQAAP__"),
];

#[test]
fn upstream_gets_headers_of_the_gateway() {
    let upstream = Upstream::json("{}");
    let keys = "request_headers = { x-api-key = { env = \"EVENTS_KEY\" } }";
    let table = upstream_table(&[&upstream.origin()], keys);
    let gateway = Gateway::set_up(Setup {
        listen: "trusted_proxies = [\"127.0.1.1\"]",
        extra: &table,
        variables: &[("EVENTS_KEY", "the-key")],
        ..Setup::default()
    });
    let mut request = Request::new("GET", "/api/events")
        .header("host", "site.example")
        .header("connection", "X-Hop, Upgrade, close")
        .header("x-api-key", "of the visitor")
        .header("x-request-id", "of-the-visitor")
        .header("forwarded", "for=6.6.6.6")
        .header("x-forwarded-for", "6.6.6.6")
        .header("x-forwarded-host", "evil.example")
        .header("x-forwarded-proto", "gopher")
        .header("x-forwarded-prefix", "/evil")
        .header("via", "1.0 other")
        .header("accept-language", "de");
    for (name, value) in NOT_FORWARDED {
        request = request.header(name, value);
    }
    let response = gateway.site.send(request.clone());
    assert_eq!(response.status, 200, "{response:?}");
    let received = upstream.only_request();
    for (name, _) in NOT_FORWARDED {
        assert!(received.values(name).is_empty(), "{name}");
    }
    for (name, expected) in [
        ("host", upstream.address().to_string()),
        ("x-api-key", "the-key".to_owned()),
        ("x-request-id", response.header("x-request-id").to_owned()),
        (
            "forwarded",
            "for=127.0.0.1;host=\"site.example\";proto=https".to_owned(),
        ),
        ("x-forwarded-for", "127.0.0.1".to_owned()),
        ("x-forwarded-host", "site.example".to_owned()),
        ("x-forwarded-proto", "https".to_owned()),
        ("x-forwarded-prefix", "/api/events".to_owned()),
        ("accept-language", "de".to_owned()),
    ] {
        assert_eq!(received.values(name), [expected], "{name}");
    }
    assert_eq!(received.values("via"), ["1.1 colonnade"]);
    // The client of a trusted proxy is the one that the proxy reports, and the trace goes on.
    let proxy = gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 1, 1));
    assert_eq!(proxy.send(request).status, 200);
    let received = upstream.received().pop().unwrap();
    assert_eq!(received.values("x-forwarded-for"), ["6.6.6.6"]);
    assert_eq!(received.values("tracestate"), ["a=marked"]);
    assert_eq!(received.values("via"), ["1.0 other", "1.1 colonnade"]);
    assert_eq!(received.values("x-request-id"), ["of-the-visitor"]);
}

#[test]
fn response_keeps_no_header_that_weakens_the_site() {
    let removed = [
        ("access-control-allow-origin", "*"),
        ("clear-site-data", "\"cookies\""),
        ("service-worker-allowed", "/"),
        ("refresh", "0; url=https://evil.example"),
        ("link", "<https://evil.example/x.js>; rel=preload; as=script"),
        ("report-to", "{}"),
        ("nel", "{}"),
        ("sourcemap", "https://evil.example/map"),
        ("alt-svc", "h3=\":443\""),
        ("server", "marked"),
        ("x-powered-by", "marked"),
        ("x-frame-options", "ALLOWALL"),
        ("set-cookie", "a=1"),
        ("www-authenticate", "Basic"),
        ("x-hop", "marked"),
        ("proxy-authenticate", "Basic"),
    ];
    let upstream = Upstream::start(move |request| {
        let (_, content_type) = request.target.split_once("?type=").unwrap();
        let mut response = Response::builder()
            .header("content-type", content_type)
            .header("content-security-policy", "default-src *")
            .header("strict-transport-security", "max-age=0")
            .header("x-content-type-options", "sniff")
            .header("cross-origin-resource-policy", "cross-origin")
            .header("referrer-policy", "unsafe-url")
            .header("connection", "x-hop")
            .header("etag", "\"1\"")
            .header("vary", "accept");
        for (name, value) in removed {
            response = response.header(name, value);
        }
        response.body(b"<script>alert(1)</script>".to_vec()).unwrap()
    });
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], ""), &[]);
    for (content_type, expected) in [
        ("text/html", "text/html"),
        ("image/svg+xml", "image/svg+xml"),
        ("application/json", "application/json"),
        ("text/javascript", "text/plain; charset=utf-8"),
        ("Application/X-JavaScript", "text/plain; charset=utf-8"),
        ("text/ecmascript;charset=utf-8", "text/plain; charset=utf-8"),
        ("text/css", "text/plain; charset=utf-8"),
        ("application/wasm", "text/plain; charset=utf-8"),
        // Each part has a content type of its own.
        (
            "multipart/x-mixed-replace;boundary=x",
            "text/plain; charset=utf-8",
        ),
    ] {
        let response = gateway.get(&format!("/api/events?type={content_type}"));
        for (name, _) in removed {
            assert!(!response.has(name), "{name}");
        }
        for (name, expected) in [
            ("content-type", expected),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "same-origin"),
            ("strict-transport-security", "max-age=31536000"),
            ("etag", "\"1\""),
            ("vary", "accept"),
            ("via", "1.1 colonnade"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(response.header(name), expected, "{name}");
        }
        let policy = response.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; ") && policy.ends_with("; sandbox"),
            "{policy}"
        );
    }
}

#[test]
fn cookies_and_authorization_pass_only_where_allowed() {
    let upstream = Upstream::start(|_| {
        Response::builder()
            .status(401)
            .header("www-authenticate", "Bearer")
            .header("set-cookie", "session=1; Path=/api/events")
            .header("set-cookie", "colonnade-preview=evil")
            .header("set-cookie", "__Host-colonnade-rollout=evil; Secure; Path=/")
            .body(Vec::new())
            .unwrap()
    });
    let keys = "forward_cookies = true\nforward_authorization = true\nforward_set_cookie = true";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let request = Request::new("GET", "/api/events")
        .header("authorization", "Bearer token")
        .header(
            "cookie",
            "__Host-colonnade-preview=secret; session=1; colonnade-rollout=x",
        );
    let response = gateway.site.send(request);
    assert_eq!(response.header("set-cookie"), "session=1; Path=/api/events");
    assert_eq!(response.header("www-authenticate"), "Bearer");
    let received = upstream.only_request();
    assert_eq!(received.values("cookie"), ["session=1"]);
    assert_eq!(received.values("authorization"), ["Bearer token"]);
}

#[test]
fn redirect_passes_only_within_the_site() {
    let upstream = Upstream::start(|request| {
        let (_, location) = request.target.split_once("?to=").unwrap();
        let status = if request.method == "PUT" { 201 } else { 303 };
        let response = Response::builder().status(status).header("location", location);
        response.body(Vec::new()).unwrap()
    });
    let keys = "methods = [\"GET\", \"POST\", \"PUT\"]\nbreaker_failure_threshold = 1000";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let send = |method: &str, location: &str| {
        let target = format!("/api/events/1/rsvp?to={location}");
        let request = Request::new(method, &target).header("sec-fetch-site", "same-origin");
        gateway.site.send(request)
    };
    for (location, expected) in [
        ("/events/1?thanks", "/events/1?thanks"),
        ("thanks", "/api/events/1/thanks"),
        ("../2", "/api/events/2"),
        ("https://site.example/events", "/events"),
        ("https://SITE.example:443", "/"),
    ] {
        let response = send("POST", location);
        assert_eq!(
            (response.status, response.header("location")),
            (303, expected),
            "{location}"
        );
    }
    for location in [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "http://site.example/",
        "https://user@site.example/",
        "https://site.example//evil.example",
        "javascript:alert(1)",
        "https://site.example.evil.example/",
    ] {
        let response = send("POST", location);
        assert!(
            response.status == 502 && !response.has("location"),
            "{location}: {response:?}"
        );
        // In another response it only says where something is.
        let response = send("PUT", location);
        assert!(
            response.status == 201 && !response.has("location"),
            "{location}: {response:?}"
        );
    }
}

#[test]
fn path_below_base_url_becomes_path_of_the_site() {
    let upstream = Upstream::start(|request| {
        let (_, value) = request.target.split_once("?value=").unwrap();
        let value = value.replace("%23", "#");
        let value = value.replace("ORIGIN", &format!("http://{}", request.values("host")[0]));
        let response = Response::builder().status(303).header("location", &*value);
        let response = response.header("content-location", &*value);
        let cookie = format!("session=1; path={value} ; Secure");
        response.header("set-cookie", cookie).body(Vec::new()).unwrap()
    });
    let url = format!("{}/v1/", upstream.origin());
    let gateway = Gateway::start_with(&upstream_table(&[&url], "forward_set_cookie = true"), &[]);
    let get = |value: &str| gateway.get(&format!("/api/events/1/rsvp?value={value}"));
    for (location, expected) in [
        ("/v1/2", "/api/events/2"),
        ("/v1", "/api/events"),
        ("/v1?page=2", "/api/events?page=2"),
        ("ORIGIN/v1/2%23a", "/api/events/2#a"),
        ("https://site.example/v1/2", "/api/events/2"),
        // These are paths of the site already.
        ("2", "/api/events/1/2"),
        ("/api/events/2", "/api/events/2"),
        ("/v10/2", "/v10/2"),
        ("/events/1?thanks", "/events/1?thanks"),
        ("/v1/../2", "/2"),
    ] {
        let response = get(location);
        for name in ["location", "content-location"] {
            assert_eq!(response.header(name), expected, "{name}: {location}");
        }
    }
    for other in [
        "ORIGIN/v2",
        "http://127.0.0.1:1/v1/2",
        "https://evil.example/v1/2",
    ] {
        assert_eq!(get(other).status, 502, "{other}");
    }
    for (path, expected) in [
        ("/v1", "session=1; Path=/api/events; Secure"),
        ("/v1/2", "session=1; Path=/api/events/2; Secure"),
        ("/v10", "session=1; path=/v10 ; Secure"),
        ("/", "session=1; path=/ ; Secure"),
    ] {
        assert_eq!(get(path).header("set-cookie"), expected, "{path}");
    }
}
