//! Requests that the gateway does not forward, and the format of its errors.

use std::net::Ipv4Addr;

use crate::support::{Gateway, Request, Upstream, upstream_table};

#[test]
fn request_that_upstream_does_not_serve_is_rejected() {
    let (upstream, nested) = (Upstream::json("{}"), Upstream::json("\"nested\""));
    let keys = format!(
        "methods = [\"GET\", \"POST\"]\nrate_limit_per_client_per_minute = 10\n\
         [upstreams.nested]\npath = \"/api/events/nested\"\nurls = [\"{}\"]\n",
        nested.origin()
    );
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], &keys), &[]);
    let is_error = |response: &crate::support::Response| response.json()["error"].is_string();
    for path in [
        "/api",
        "/api/",
        "/api/other",
        "/api/eventsx",
        "/api//events",
        "/api/events//x",
    ] {
        let response = gateway.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert!(is_error(&response), "{path}: {response:?}");
        assert_eq!(
            response.header("proxy-status"),
            "colonnade; error=destination_not_found",
            "{path}"
        );
    }
    assert_eq!(gateway.get("/api/%65vents/nested/x").text(), "\"nested\"");
    assert_eq!(nested.only_request().target, "/x");
    let response = gateway.site.send(Request::new("DELETE", "/api/events"));
    assert!(response.status == 405 && is_error(&response), "{response:?}");
    assert_eq!(response.header("allow"), "GET, POST, OPTIONS");
    let response = gateway
        .site
        .send(Request::new("OPTIONS", "/api/events").header("origin", "https://evil.example"));
    assert_eq!(
        (response.status, response.header("allow")),
        (204, "GET, POST, OPTIONS")
    );
    let websocket = Request::new("GET", "/api/events")
        .header("connection", "upgrade")
        .header("upgrade", "websocket");
    assert_eq!(gateway.site.send(websocket).status, 501);
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "none"),
        ("origin", "https://evil.example"),
        ("x", "neither"),
    ] {
        let post = Request::new("POST", "/api/events").header("host", "site.example");
        let response = gateway.site.send(post.header(name, value).body("x"));
        assert!(
            response.status == 403 && is_error(&response),
            "{name}: {response:?}"
        );
    }
    assert!(upstream.received().is_empty(), "{:?}", upstream.received());
    let statuses: Vec<u16> = (0..11).map(|_| gateway.get("/api/events").status).collect();
    assert_eq!(statuses, [&[200; 10][..], &[429]].concat());
    let response = gateway.get("/api/events");
    assert!(
        response.status == 429 && response.has("retry-after"),
        "{response:?}"
    );
    let other = gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 0, 2));
    assert_eq!(other.get("/api/events").status, 200);
}

#[test]
fn error_is_page_for_person_and_json_for_script() {
    let keys = "methods = [\"GET\", \"POST\"]\nmax_retries = 0\nbreaker_failure_threshold = 1000\n";
    let gateway = Gateway::start_live(&upstream_table(&["http://127.0.0.1:1"], keys), &[]);
    let form = |method: &str, target: &str, accept: &str| {
        let request = Request::new(method, target).header("sec-fetch-site", "same-origin");
        gateway.site.send(request.header("accept", accept))
    };
    // What Chromium sends for a form and a link.
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";
    for (method, target, status, title) in [
        ("POST", "/api/events/1/rsvp", 502, "Something went wrong"),
        ("GET", "/api/events", 502, "Something went wrong"),
        ("PUT", "/api/events", 405, "Something went wrong"),
        ("GET", "/api/nothing", 404, "Page not found"),
    ] {
        let response = form(method, target, browser);
        assert_eq!(response.status, status, "{method} {target}");
        assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(response.header("cache-control"), "no-store");
        let html = response.text();
        assert!(
            html.contains(&format!("<h1>{title}</h1>")) && html.contains("href=\"/\""),
            "{html}"
        );
    }
    let link = |referrer: &str| {
        let request = Request::new("POST", "/api/events/1/rsvp")
            .header("host", "site.example")
            .header("accept", browser)
            .header("sec-fetch-site", "same-origin")
            .header("referer", referrer);
        let html = gateway.site.send(request).text();
        let (_, link) = html.split_once("<a class=\"button\" href=\"").unwrap();
        link.split_once('"').unwrap().0.to_owned()
    };
    for (referrer, expected) in [
        ("https://site.example/event/7", "/event/7"),
        (
            "https://SITE.example/s%C3%A3o/7/?email=a@b.example#x",
            "/s%C3%A3o/7",
        ),
        ("https://site.example/", "/"),
        // Of another site, not of a page, or not a path that stays on this site.
        ("https://evil.example/event/7", "/"),
        ("https://site.example.evil.example/event/7", "/"),
        ("https://site.example@evil.example/event/7", "/"),
        ("http://site.example/event/7", "/"),
        ("https://site.example//evil.example/x", "/"),
        ("https://site.example/\\evil.example/x", "/"),
        ("https://site.example/%2fevil.example/x", "/"),
        ("https://site.example/x/../../y", "/"),
        ("https://site.example/api/events", "/"),
        ("https://site.example/go/partner", "/"),
        ("https://site.example/_preview/token", "/"),
        ("https://site.example/\"><b>", "/"),
        ("javascript:alert(1)", "/"),
        ("/event/7", "/"),
        ("", "/"),
    ] {
        assert_eq!(link(referrer), expected, "{referrer}");
    }
    for accept in [
        "application/json",
        "*/*",
        "text/html;q=0",
        "application/json, text/html",
        "text/*",
        "",
    ] {
        let response = form("POST", "/api/events/1/rsvp", accept);
        assert!(
            response.status == 502 && response.json()["error"].is_string(),
            "{accept}: {response:?}"
        );
    }
}
