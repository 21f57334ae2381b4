//! Request paths: validation, redirects, methods and page matching.

use crate::support::{Gateway, Request, attack};

#[test]
fn invalid_path_returns_400() {
    let gateway = Gateway::start_live("", &[]);
    let targets = [
        "/state/%F0%28",
        "/state/..",
        "/state/%zz",
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
        ("/state/Texas/?a=1&b=2", "/state/Texas"),
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
            ("/assets/shell/1.0.0/main.js", "GET, HEAD, OPTIONS"),
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
            let response = gateway.site.send(Request::new(method, "/_report"));
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
        "/functions/v1/signup",
        "/healthz/",
    ] {
        let response = gateway.get(target);
        assert_eq!(response.status, 404, "{target}");
        assert_eq!(response.header("content-type"), "text/plain; charset=utf-8");
    }
}

#[test]
fn error_page_has_brand_navigation_and_home_link() {
    let gateway = Gateway::start_live("", &[]);
    let long = format!("/{}", "a".repeat(10_000));
    for (method, target, status, title) in [
        ("GET", "/state/%zz", 400, "This address doesn’t work"),
        ("POST", "/state/Texas", 405, "Method Not Allowed"),
        ("GET", "/_preview/none", 403, "This preview has ended"),
        ("GET", long.as_str(), 414, "This address doesn’t work"),
        // A form that was sent to a path of an integration that is not configured.
        ("POST", "/functions/v1/signup", 405, "Method Not Allowed"),
    ] {
        let request = Request::new(method, target).header("accept", "text/html,*/*;q=0.8");
        let response = gateway.site.send(request);
        assert_eq!(response.status, status, "{method} {target}");
        let html = response.text();
        for part in [
            &*format!("<title>{title} - Test &amp; Brand</title>"),
            &format!("<h1>{title}</h1>"),
            "<a class=\"brand\" href=\"/\">Test &amp; Brand</a>",
            "<a class=\"button\" href=\"/\">Return to home</a>",
            "<li><a href=\"/terms\">Terms</a></li></ul></nav><p>Request ID: ",
            "color-scheme: light dark",
        ] {
            assert!(html.contains(part), "{status}: {part}\n{html}");
        }
    }
    // Without a live deployment there is no home page to link to.
    let empty = Gateway::start().get("/state/%zz");
    assert_eq!(empty.status, 400);
    assert!(!empty.text().contains("<a "));
}
