//! Request paths: validation, redirects, methods and page matching.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, attack};

#[test]
fn invalid_path_returns_400() {
    let gateway = Gateway::start_live("", &[]);
    let targets = [
        "/state/%F0%28",
        "/state/Texas/..%2f..",
        "/state/%2F",
        "/state/a%00b",
        "/state/%00",
        "/.",
        "/..",
        "/../etc",
        "/state/.",
        "/state/..",
        "/state/%2e%2e",
        "/state/%2E",
        "/state/%",
        "/state/%4",
        "/state/%zz",
        "/state\\a",
        "/\\evil",
        "/assets/%2e%2e/x",
        "/_page/%zz",
        "/go/%F0%28",
    ];
    attack(&gateway, || {
        for target in targets {
            let response = gateway.get(target);
            assert_eq!(response.status, 400, "{target}");
            assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
            assert_eq!(response.header("cache-control"), "no-store");
            assert!(!response.text().contains("panic") && response.body.len() < 4000);
            assert!(!response.has("location"));
            assert!(
                response
                    .text()
                    .contains("<p>The address has a mistake in it.</p>"),
                "{target}"
            );
        }
    });
}

#[test]
fn overlong_path_returns_414_or_431() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for target in [
            format!("/{}", "a".repeat(10_000)),
            format!("/?{}", "a".repeat(10_000)),
            "/a".repeat(5_000),
        ] {
            let response = gateway.get(&target);
            assert_eq!(response.status, 414);
            assert!(response.body.len() < 4000);
        }
        // A request line beyond the header buffer is rejected before it is parsed.
        assert_eq!(gateway.get(&format!("/{}", "a".repeat(40_000))).status, 431);
    });
}

#[test]
fn trailing_slash_redirects_to_canonical_path() {
    let gateway = Gateway::start_live("", &[]);
    for (target, location) in [
        ("/signup/", "/signup"),
        ("/state/New%20York/", "/state/New%20York"),
        ("/state/Texas/?a=1&b=2", "/state/Texas?a=1&b=2"),
        ("/nowhere/", "/nowhere"),
        ("/%5Cevil.example/", "/%5Cevil.example"),
        ("/evil.example%2e/", "/evil.example%2e"),
    ] {
        let response = gateway.get(target);
        assert_eq!(
            (response.status, response.header("location")),
            (308, location),
            "{target}"
        );
    }
}

#[test]
fn redirect_never_leaves_host() {
    let gateway = Gateway::start_live("", &[]);
    for target in [
        "//evil.example/",
        "//evil.example",
        "///evil.example/",
        "/\\evil.example/",
        "//",
        "/a//",
        "/a//b/",
    ] {
        let response = gateway.get(target);
        assert!(
            matches!(response.status, 400 | 404),
            "{target}: {}",
            response.status
        );
        assert!(!response.has("location"), "{target}");
    }
    let absolute = Request::new("GET", "http://evil.example/signup/").header("host", "evil.example");
    let response = gateway.site.send(absolute);
    assert_eq!((response.status, response.has("location")), (400, false));
}

#[test]
fn unsupported_method_returns_405_with_allow() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (target, allowed) in [
            ("/", "GET, HEAD, OPTIONS"),
            ("/nowhere", "GET, HEAD, OPTIONS"),
            ("/robots.txt", "GET, HEAD, OPTIONS"),
            ("/_page/1?path=%2F", "GET, HEAD, OPTIONS"),
            ("/go/x", "GET, HEAD, OPTIONS"),
        ] {
            for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "NONSENSE"] {
                let response = gateway.site.send(Request::new(method, target));
                assert_eq!(
                    (response.status, response.header("allow")),
                    (405, allowed),
                    "{method} {target}"
                );
            }
        }
        for method in ["GET", "HEAD", "PUT"] {
            let response = gateway.site.send(Request::new(method, "/functions/v1/signup"));
            assert_eq!(
                (response.status, response.header("allow")),
                (405, "POST, OPTIONS"),
                "{method}"
            );
        }
    });
}

#[test]
fn reserved_path_returns_plain_404() {
    let gateway = Gateway::start_live("", &[]);
    for target in [
        "/favicon.ico",
        "/.well-known/x",
        "/functions/v1",
        "/functions/v1/other",
        "/healthz/",
    ] {
        let response = gateway.get(target);
        assert_eq!(response.status, 404, "{target}");
        assert_eq!(response.header("content-type"), "text/plain; charset=utf-8");
    }
}

#[test]
fn error_page_has_adult_rating_and_home_link() {
    let gateway = Gateway::start_live("", &[]);
    let long = format!("/{}", "a".repeat(10_000));
    for (method, target, status) in [
        ("GET", "/state/%zz", 400),
        ("POST", "/state/Texas", 405),
        ("POST", "/go/a/b", 405),
        ("GET", long.as_str(), 414),
    ] {
        let response = gateway.site.send(Request::new(method, target));
        assert_eq!(response.status, status, "{method} {target}");
        let html = response.text();
        assert!(
            html.contains("<meta name=\"rating\" content=\"adult\">"),
            "{html}"
        );
        assert!(
            html.contains("<a class=\"button\" href=\"/\">Return to home</a>"),
            "{html}"
        );
        assert!(
            html.contains("<li><a href=\"/terms\">Terms</a></li></ul></nav><p>18+ only</p>"),
            "{html}"
        );
    }
    // Without a live deployment there is no home page to link to.
    let empty = Gateway::start().get("/state/%zz");
    assert_eq!(empty.status, 400);
    assert!(!empty.text().contains("<a "));
}

#[test]
fn page_matching_follows_shared_table() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/paths.json");
    let table: Value = serde_json::from_str(&std::fs::read_to_string(table).unwrap()).unwrap();
    // Unit tests of the matcher cover the whole table. This test sends the cases of the first pattern set through the
    // gateway.
    let cases = table["match"].as_array().unwrap();
    let patterns = &cases[0]["patterns"];
    let texts = patterns.as_array().unwrap().iter();
    let texts: Vec<&str> = texts.map(|pattern| pattern.as_str().unwrap()).collect();
    let gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0"));
    gateway.publish(&Release::section("table", "1.0.0", &texts));
    gateway.deploy(&json!({ "shell": "1.0.0", "table": "1.0.0" }));
    let mut seen = 0;
    for case in cases.iter().filter(|case| &case["patterns"] == patterns) {
        let response = gateway.get(case["path"].as_str().unwrap());
        let found = if response.status == 200 {
            response.boot()["page"]["pattern"].clone()
        } else {
            Value::Null
        };
        let expected = case["expect"].get("pattern").cloned().unwrap_or_default();
        assert_eq!(found, expected, "{}", case["name"]);
        seen += 1;
    }
    assert!(seen > 10);
}
