//! Addresses that are none, or not quite.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, attack};

#[test]
fn addresses_that_are_none_are_refused_cleanly() {
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
            let answer = gateway.get(target);
            assert_eq!(answer.status, 400, "{target}");
            assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
            assert_eq!(answer.header("cache-control"), "no-store");
            assert!(!answer.text().contains("panic") && answer.body.len() < 3000);
            assert!(!answer.has("location"));
            assert!(
                answer.text().contains("<p>The address has a mistake in it.</p>"),
                "{target}"
            );
        }
    });
}

#[test]
fn long_addresses_are_refused_cleanly() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for target in [
            format!("/{}", "a".repeat(10_000)),
            format!("/?{}", "a".repeat(10_000)),
            "/a".repeat(5_000),
        ] {
            let answer = gateway.get(&target);
            assert_eq!(answer.status, 414);
            assert!(answer.body.len() < 3000);
        }
        // What does not fit into the buffer for a head at all is refused before there is a request.
        assert_eq!(gateway.get(&format!("/{}", "a".repeat(40_000))).status, 431);
        let deep = "/a".repeat(4_000);
        assert_eq!(gateway.get(&deep).status, 404);
    });
}

#[test]
fn a_trailing_slash_leads_to_the_path_without() {
    let gateway = Gateway::start_live("", &[]);
    for (target, location) in [
        ("/signup/", "/signup"),
        ("/state/New%20York/", "/state/New%20York"),
        ("/state/Texas/?a=1&b=2", "/state/Texas?a=1&b=2"),
        ("/nowhere/", "/nowhere"),
        ("/%5Cevil.example/", "/%5Cevil.example"),
        ("/evil.example%2e/", "/evil.example%2e"),
    ] {
        let answer = gateway.get(target);
        assert_eq!(
            (answer.status, answer.header("location")),
            (308, location),
            "{target}"
        );
    }
}

#[test]
fn no_redirect_leads_to_another_host() {
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
        let answer = gateway.get(target);
        assert!(matches!(answer.status, 400 | 404), "{target}: {}", answer.status);
        assert!(!answer.has("location"), "{target}");
    }
    let absolute = Request::new("GET", "http://evil.example/signup/").header("host", "evil.example");
    let answer = gateway.site.send(absolute);
    assert_eq!((answer.status, answer.has("location")), (400, false));
}

#[test]
fn other_methods_are_refused_with_what_is_allowed() {
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
                let answer = gateway.site.send(Request::new(method, target));
                assert_eq!(
                    (answer.status, answer.header("allow")),
                    (405, allowed),
                    "{method} {target}"
                );
            }
        }
        for method in ["GET", "HEAD", "PUT"] {
            let answer = gateway.site.send(Request::new(method, "/functions/v1/signup"));
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, "POST, OPTIONS"),
                "{method}"
            );
        }
    });
}

#[test]
fn reserved_paths_without_anything_there_are_plain_404s() {
    let gateway = Gateway::start_live("", &[]);
    for target in [
        "/favicon.ico",
        "/.well-known/x",
        "/api",
        "/api/v1/sections",
        "/functions/v1",
        "/functions/v1/other",
        "/healthz/",
    ] {
        let answer = gateway.get(target);
        assert_eq!(answer.status, 404, "{target}");
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    }
}

#[test]
fn a_page_that_needs_no_shell_is_rated_and_leads_home() {
    let gateway = Gateway::start_live("", &[]);
    let long = format!("/{}", "a".repeat(10_000));
    for (method, target, status) in [
        ("GET", "/state/%zz", 400),
        ("POST", "/state/Texas", 405),
        ("POST", "/go/a/b", 405),
        ("GET", long.as_str(), 414),
    ] {
        let answer = gateway.site.send(Request::new(method, target));
        assert_eq!(answer.status, status, "{method} {target}");
        let html = answer.text();
        assert!(
            html.contains("<meta name=\"rating\" content=\"adult\">"),
            "{html}"
        );
        assert!(
            html.contains("<a class=\"button\" href=\"/\">Return to home</a>"),
            "{html}"
        );
        assert!(html.contains("<footer><p>18+ only</p></footer>"), "{html}");
    }
    // Where nothing is live yet, there is no home to return to.
    let early = Gateway::start().get("/state/%zz");
    assert_eq!(early.status, 400);
    assert!(!early.text().contains("<a "));
}

#[test]
fn pages_are_found_as_the_shared_table_says() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/paths.json");
    let table: Value = serde_json::from_str(&std::fs::read_to_string(table).unwrap()).unwrap();
    // The whole table is the matcher's to pass; here the cases about the first set of patterns go through the front
    // door, in one deployment.
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
        let answer = gateway.get(case["path"].as_str().unwrap());
        let found = if answer.status == 200 {
            answer.boot()["page"]["pattern"].clone()
        } else {
            Value::Null
        };
        let expected = case["expect"].get("pattern").cloned().unwrap_or_default();
        assert_eq!(found, expected, "{}", case["name"]);
        seen += 1;
    }
    assert!(seen > 10);
}
