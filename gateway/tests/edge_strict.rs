//! Requests that are not quite any are refused before a route sees them.

use crate::support::frames::{self, END_HEADERS, END_STREAM, HEADERS, frame};
use crate::support::{Gateway, Raw, Request, Response, Setup, attack, description, listening};

/// The status of a request whose head is exactly this.
fn status(gateway: &Gateway, head: &str) -> u16 {
    let mut raw = Raw::open(&gateway.site);
    raw.say(format!("{head}connection: close\r\n\r\n"));
    raw.answer().status
}

/// The metrics for who asks the admin listener by this host.
fn metrics_as(gateway: &Gateway, host: &str) -> Response {
    let request = Request::new("GET", "/metrics").header("host", host);
    gateway.admin.send(request)
}

#[test]
fn a_request_names_one_host() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (fields, expected) in [
            ("host: site.example\r\n", 200),
            ("host: site.example:8080\r\n", 200),
            ("Host:[::1]:80\r\n", 200),
            ("", 400),
            ("host:\r\n", 400),
            ("host: site.example\r\nhost: site.example\r\n", 400),
            ("host: site.example\r\nhost: evil.example\r\n", 400),
            ("host: site.example, evil.example\r\n", 400),
            ("host: user@site.example\r\n", 400),
            ("host: site.example/path\r\n", 400),
            ("host: site.example:port\r\n", 400),
            ("host: site.example:99999\r\n", 400),
            ("host: site.example#\r\n", 400),
            ("host: site..example\r\n", 400),
            ("host: [::1\r\n", 400),
            ("host: \"site.example\"\r\n", 400),
        ] {
            assert_eq!(
                status(&gateway, &format!("GET / HTTP/1.1\r\n{fields}")),
                expected,
                "{fields:?}"
            );
        }
        assert_eq!(status(&gateway, "GET / HTTP/1.0\r\n"), 400);
    });
}

#[test]
fn health_is_told_to_who_speaks_http_1_0_and_names_no_host() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "hosts = [\"site.example\", \"127.0.0.1\"]",
        ..Setup::default()
    });
    attack(&gateway, || {
        for path in ["/healthz", "/readyz"] {
            for (rest, expected) in [
                ("HTTP/1.0\r\n", 200),
                ("HTTP/1.0\r\nhost: site.example\r\n", 200),
                ("HTTP/1.0\r\nhost: user@site.example\r\n", 400),
                ("HTTP/1.0\r\nhost:\r\n", 400),
                ("HTTP/1.0\r\nhost: a\r\nhost: a\r\n", 400),
                ("HTTP/1.1\r\n", 400),
            ] {
                let head = format!("GET {path} {rest}");
                assert_eq!(status(&gateway, &head), expected, "{head:?}");
            }
        }
    });
}

#[test]
fn a_host_that_is_not_served_is_misdirected() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "hosts = [\"site.example\", \"127.0.0.1\", \"other.example:8443\"]",
        ..Setup::default()
    });
    attack(&gateway, || {
        for (host, expected) in [
            ("site.example", 200),
            ("SITE.example.:1234", 200),
            ("other.example:8443", 200),
            ("other.example", 421),
            ("evil.example", 421),
            ("site.example.evil.example", 421),
        ] {
            let head = format!("GET / HTTP/1.1\r\nhost: {host}\r\n");
            assert_eq!(status(&gateway, &head), expected, "{host}");
            // Whoever looks whether the gateway is there asks by an address.
            let head = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\n");
            assert_eq!(status(&gateway, &head), 200, "{host}");
        }
    });
}

#[test]
fn a_name_that_was_made_to_lead_to_the_admin_listener_is_not_served() {
    let named = "admin_hosts = [\"gateway.internal\"]";
    for (listen, of_named) in [("", 421), (named, 200)] {
        let gateway = Gateway::set_up_live(Setup {
            listen,
            ..Setup::default()
        });
        attack(&gateway, || {
            for (host, expected) in [
                ("127.0.0.1:9090", 200),
                ("[::1]:9090", 200),
                ("localhost:9090", 200),
                ("gateway.internal:9090", of_named),
                ("rebound.example:9090", 421),
                ("localhost.rebound.example", 421),
                ("127.0.0.1.rebound.example", 421),
            ] {
                let answer = metrics_as(&gateway, host);
                assert_eq!(answer.status, expected, "{host}");
                if expected == 421 {
                    description::check_problem(&answer);
                }
                let health = Request::new("GET", "/healthz").header("host", host);
                assert_eq!(gateway.admin.send(health).status, 200, "{host}");
            }
        });
    }
}

#[test]
fn the_names_of_the_admin_listener_are_read_again() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "admin_hosts = [\"gateway.internal\"]",
        ..Setup::default()
    });
    gateway.reload(&listening("admin_hosts = [\"other.internal\"]", ""));
    let reloaded = gateway.wait_for(|line| line["event"] == "reloaded");
    assert!(reloaded["restart"].is_null(), "{reloaded}");
    assert_eq!(metrics_as(&gateway, "gateway.internal").status, 421);
    assert_eq!(metrics_as(&gateway, "other.internal").status, 200);
}

#[test]
fn only_a_path_may_be_asked_for() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (line, expected) in [
            ("GET http://site.example/ HTTP/1.1", 400),
            ("GET https://site.example/ HTTP/1.1", 400),
            ("GET //site.example/ HTTP/1.1", 404),
            ("CONNECT site.example:443 HTTP/1.1", 501),
            ("OPTIONS site.example:443 HTTP/1.1", 400),
            ("TRACE / HTTP/1.1", 405),
            ("get / HTTP/1.1", 405),
            ("GET * HTTP/1.1", 400),
            ("GET /a%2fb HTTP/1.1", 400),
            ("GET /a%2Fb HTTP/1.1", 400),
            ("GET /a%00b HTTP/1.1", 400),
            ("GET /a\\b HTTP/1.1", 400),
            ("GET /a/../b HTTP/1.1", 400),
            ("GET /a/%2e%2e/b HTTP/1.1", 400),
            ("GET /a/%2E./b HTTP/1.1", 400),
            ("GET /%c0%af HTTP/1.1", 400),
            ("GET /%ed%a0%80 HTTP/1.1", 400),
            ("GET /%u002f HTTP/1.1", 400),
            ("GET / HTTP/1.2", 400),
            ("GET  / HTTP/1.1", 400),
            ("GET / HTTP/1.1 ", 400),
            ("GET", 400),
        ] {
            let head = format!("{line}\r\nhost: site.example\r\n");
            assert_eq!(status(&gateway, &head), expected, "{line}");
        }
        // Encoded twice is decoded once.
        assert_eq!(
            status(&gateway, "GET /state/%252e%252e HTTP/1.1\r\nhost: a\r\n"),
            200
        );
    });
}

#[test]
fn names_with_an_underscore_are_refused() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for name in ["x_forwarded_for", "content_length", "X-Real_IP"] {
            let answer = gateway.site.send(Request::new("GET", "/").header(name, "1"));
            assert_eq!(
                (answer.status, answer.header("connection")),
                (400, "close"),
                "{name}"
            );
        }
    });
}

#[test]
fn options_says_what_is_allowed() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (target, allowed) in [
            ("/", "GET, HEAD, OPTIONS"),
            ("/nowhere", "GET, HEAD, OPTIONS"),
            ("/functions/v1/signup", "POST, OPTIONS"),
            ("*", "GET, HEAD, POST, OPTIONS"),
        ] {
            let answer = gateway.site.send(Request::new("OPTIONS", target));
            assert_eq!(
                (answer.status, answer.header("allow")),
                (204, allowed),
                "{target}"
            );
            assert!(answer.body.is_empty() && !answer.has("access-control-allow-origin"));
        }
        let answer = gateway.admin.send(Request::new("OPTIONS", "/api/v1/deployments"));
        assert_eq!(
            (answer.status, answer.header("allow")),
            (204, "GET, HEAD, POST, OPTIONS")
        );
    });
}

#[test]
fn http2_is_held_to_the_same() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "hosts = [\"site.example\", \"127.0.0.1\"]",
        ..Setup::default()
    });
    let get = [(":method", "GET"), (":scheme", "http"), (":path", "/")];
    attack(&gateway, || {
        for (fields, expected) in [
            (&[(":authority", "site.example")][..], "200"),
            (&[(":authority", "site.example"), ("host", "site.example")], "200"),
            (&[("host", "site.example")], "200"),
            (&[], "400"),
            (&[(":authority", "evil.example")], "421"),
            (&[(":authority", "site.example"), ("host", "evil.example")], "400"),
            (&[("host", "site.example"), ("host", "site.example")], "400"),
            (&[(":authority", "site.example"), ("a_b", "c")], "400"),
        ] {
            let mut raw = frames::open(&gateway.site, &[]);
            // Pseudo-fields come first.
            let mut all = get.to_vec();
            all.extend(fields);
            assert!(raw.say(frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::block(&all))));
            let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
            assert_eq!(frames::status(&block), expected, "{fields:?}");
        }
        for (authority, expected) in [("localhost:9090", "200"), ("rebound.example", "421")] {
            let mut raw = frames::open(&gateway.admin, &[]);
            let fields = [
                (":method", "GET"),
                (":scheme", "http"),
                (":path", "/metrics"),
                (":authority", authority),
            ];
            assert!(raw.say(frame(
                HEADERS,
                END_STREAM | END_HEADERS,
                1,
                &frames::block(&fields)
            )));
            let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
            assert_eq!(frames::status(&block), expected, "{authority}");
        }
    });
}
