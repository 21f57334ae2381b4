//! Request validation: invalid requests are rejected before routing.

use crate::support::frames::{self, END_HEADERS, END_STREAM, HEADERS, frame};
use crate::support::{
    Client, Gateway, Raw, Request, Response, Setup, attack, configuration_with_listen, openapi,
};

/// Host fields, and the status of a request with them.
pub(crate) const HOSTS: [(&str, u16); 16] = [
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
];

/// Invalid request lines, and the status of a request with them.
pub(crate) const INVALID_LINES: [(&str, u16); 25] = [
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
    ("GET /#x HTTP/1.1", 400),
    ("GET /?a#x HTTP/1.1", 400),
    ("GET #x HTTP/1.1", 400),
];

/// The response status of a request with exactly this head.
fn status(gateway: &Gateway, head: &str) -> u16 {
    let mut raw = Raw::open(&gateway.site);
    raw.send(format!("{head}connection: close\r\n\r\n"));
    raw.read_response().status
}

/// Gets the metrics from the admin listener with this Host header.
fn get_metrics(gateway: &Gateway, host: &str) -> Response {
    let request = Request::new("GET", "/metrics").header("host", host);
    gateway.admin.send(request)
}

#[test]
fn request_requires_one_valid_host() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (fields, expected) in HOSTS {
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
fn http_1_0_health_check_needs_no_host() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "allowed_hosts = [\"site.example\", \"127.0.0.1\"]",
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
fn unknown_host_returns_421() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "allowed_hosts = [\"site.example\", \"127.0.0.1\", \"other.example:8443\"]",
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
            // Health checks may address the gateway by IP address, so they accept any host.
            let head = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\n");
            assert_eq!(status(&gateway, &head), 200, "{host}");
        }
    });
}

#[test]
fn admin_rejects_dns_rebinding_host() {
    let admin_allowed_hosts = "admin_allowed_hosts = [\"gateway.internal\"]";
    for (listen, named_status) in [("", 421), (admin_allowed_hosts, 200)] {
        let gateway = Gateway::set_up_live(Setup {
            listen,
            ..Setup::default()
        });
        attack(&gateway, || {
            for (host, expected) in [
                ("127.0.0.1:9090", 200),
                ("[::1]:9090", 200),
                ("localhost:9090", 200),
                ("gateway.internal:9090", named_status),
                ("rebound.example:9090", 421),
                ("localhost.rebound.example", 421),
                ("127.0.0.1.rebound.example", 421),
            ] {
                let response = get_metrics(&gateway, host);
                assert_eq!(response.status, expected, "{host}");
                if expected == 421 {
                    openapi::check_problem(&response);
                }
                let health = Request::new("GET", "/healthz").header("host", host);
                assert_eq!(gateway.admin.send(health).status, 200, "{host}");
            }
        });
    }
}

#[test]
fn reload_applies_admin_allowed_hosts() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "admin_allowed_hosts = [\"gateway.internal\"]",
        ..Setup::default()
    });
    gateway.reload(&configuration_with_listen(
        "admin_allowed_hosts = [\"other.internal\"]",
        "",
    ));
    let reloaded = gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    assert!(reloaded["restart_required"].is_null(), "{reloaded}");
    assert_eq!(get_metrics(&gateway, "gateway.internal").status, 421);
    assert_eq!(get_metrics(&gateway, "other.internal").status, 200);
}

#[test]
fn request_target_must_be_a_valid_path() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let long = format!("GET /{}#x HTTP/1.1", "a".repeat(1000));
        for (line, expected) in INVALID_LINES.into_iter().chain([(&*long, 400)]) {
            let head = format!("{line}\r\nhost: site.example\r\n");
            assert_eq!(status(&gateway, &head), expected, "{line}");
        }
        // A doubly encoded path is decoded once.
        assert_eq!(
            status(&gateway, "GET /state/%252e%252e HTTP/1.1\r\nhost: a\r\n"),
            200
        );
    });
}

#[test]
fn header_name_with_underscore_returns_400() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for name in ["x_forwarded_for", "content_length", "X-Real_IP"] {
            let response = gateway.site.send(Request::new("GET", "/").header(name, "1"));
            assert_eq!(
                (response.status, response.header("connection")),
                (400, "close"),
                "{name}"
            );
        }
    });
}

#[test]
fn options_lists_allowed_methods() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (target, allowed) in [
            ("/", "GET, HEAD, OPTIONS"),
            ("/nowhere", "GET, HEAD, OPTIONS"),
            ("/_report", "POST, OPTIONS"),
            ("*", "GET, HEAD, POST, OPTIONS"),
        ] {
            let response = gateway.site.send(Request::new("OPTIONS", target));
            assert_eq!(
                (response.status, response.header("allow")),
                (204, allowed),
                "{target}"
            );
            assert!(response.body.is_empty() && !response.has("access-control-allow-origin"));
        }
        let response = gateway.admin.send(Request::new("OPTIONS", "/api/v1/deployments"));
        assert_eq!(
            (response.status, response.header("allow")),
            (204, "GET, HEAD, POST, OPTIONS")
        );
    });
}

#[test]
fn http2_requests_are_validated_alike() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "allowed_hosts = [\"site.example\", \"127.0.0.1\"]",
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
            // Pseudo-header fields come first.
            let mut all = get.to_vec();
            all.extend(fields);
            assert_eq!(http2_status(&gateway.site, &all), expected, "{fields:?}");
        }
        for (authority, expected) in [("localhost:9090", "200"), ("rebound.example", "421")] {
            let fields = [
                (":method", "GET"),
                (":scheme", "http"),
                (":path", "/metrics"),
                (":authority", authority),
            ];
            assert_eq!(http2_status(&gateway.admin, &fields), expected, "{authority}");
        }
    });
}

/// The status of the response to these header fields over HTTP/2.
fn http2_status(client: &Client, fields: &[(&str, &str)]) -> String {
    let mut raw = frames::open(client, &[]);
    let head = frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::block(fields));
    assert!(raw.send(head));
    let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
    frames::status(&block)
}

/// The status of the response to a GET request with these other fields over HTTP/2.
fn http2_get(client: &Client, scheme: &str, others: &[(&str, &str)]) -> String {
    let mut fields = vec![
        (":method", "GET"),
        (":scheme", scheme),
        (":authority", "site.example"),
        (":path", "/healthz"),
    ];
    fields.extend(others);
    http2_status(client, &fields)
}

#[test]
fn http2_field_with_outer_whitespace_returns_400() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for value in [" a", "a ", "\ta", "a\t", " ", "\t"] {
            for name in ["x", "cookie", "if-none-match"] {
                assert_eq!(
                    http2_get(&gateway.site, "http", &[(name, value)]),
                    "400",
                    "{value:?}"
                );
            }
        }
        for value in ["", "a", "a \tb"] {
            assert_eq!(
                http2_get(&gateway.site, "http", &[("x", value)]),
                "200",
                "{value:?}"
            );
        }
    });
}

#[test]
fn http2_repeated_content_length_returns_400() {
    let gateway = Gateway::start_live("", &[]);
    let length = ("content-length", "0");
    attack(&gateway, || {
        assert_eq!(http2_get(&gateway.site, "http", &[length]), "200");
        assert_eq!(http2_get(&gateway.site, "http", &[length, length]), "400");
    });
}

#[test]
fn http2_scheme_of_another_listener_returns_400() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for client in [&gateway.site, &gateway.admin] {
            let status = |scheme| {
                http2_status(
                    client,
                    &[
                        (":method", "GET"),
                        (":scheme", scheme),
                        (":authority", "localhost"),
                        (":path", "/healthz"),
                    ],
                )
            };
            assert_eq!(status("http"), "200");
            for scheme in ["https", "ftp", "ws", "h"] {
                assert_eq!(status(scheme), "400", "{scheme}");
            }
        }
    });
}

/// The status of the response to a request with this target and these fields, and what the response says.
fn refusal(client: &Client, target: &str, fields: &str) -> (u16, String) {
    let mut raw = Raw::open(client);
    raw.send(format!(
        "GET {target} HTTP/1.1\r\nhost: localhost\r\n{fields}connection: close\r\n\r\n"
    ));
    let response = raw.read_response();
    (response.status, response.text())
}

#[test]
fn commas_in_cookies_and_text_do_not_count_as_items() {
    let gateway = Gateway::start_live("", &[]);
    let commas = ",".repeat(400);
    for (name, value) in [
        ("cookie", format!("a={commas}")),
        ("referer", format!("https://a/?{commas}")),
    ] {
        let request = Request::new("GET", "/").header(name, &value);
        assert_eq!(gateway.site.send(request).status, 200, "{name}");
    }
}

#[test]
fn too_many_items_in_header_fields_return_431() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for client in [&gateway.site, &gateway.admin] {
            for (name, item) in [
                ("cookie", ";"),
                ("cookie", "a=b; "),
                ("accept-encoding", "gzip,"),
                ("accept-encoding", "gzip;"),
                ("if-none-match", "\"\","),
                ("accept", "a/b,"),
                ("x-forwarded-for", "192.0.2.1,"),
                ("x", ","),
            ] {
                let status = |count| {
                    let field = format!("{name}: {}x\r\n", item.repeat(count));
                    refusal(client, "/healthz", &field).0
                };
                assert_eq!(status(299), 200, "{name}: {item}");
                assert_eq!(status(300), 431, "{name}: {item}");
                assert_eq!(status(12_000 / item.len()), 431, "{name}: {item}");
            }
            // The limit is on all fields together.
            let half = ",".repeat(160);
            let fields = format!("accept: {half}\r\naccept-encoding: {half}\r\n");
            let (status, text) = refusal(client, "/healthz", &fields);
            assert_eq!(status, 431);
            assert!(text.contains("too many items"), "{text}");
        }
        // Over HTTP/2 each cookie may have a field of its own.
        for (count, expected) in [(300, "200"), (301, "431")] {
            let cookies = vec![("cookie", "a=b"); count];
            assert_eq!(http2_get(&gateway.site, "http", &cookies), expected, "{count}");
        }
    });
}

#[test]
fn too_many_segments_or_parameters_return_414() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let expect = |client: &Client, target: &str, expected| {
            let (status, text) = refusal(client, target, "");
            let start = &target[..target.len().min(40)];
            assert_eq!(status, expected, "{start}: {text}");
        };
        for client in [&gateway.site, &gateway.admin] {
            expect(client, &"/a".repeat(64), 404);
            expect(client, &"/a".repeat(65), 414);
            expect(client, &"/".repeat(65), 414);
            expect(client, &"/a".repeat(4000), 414);
            expect(client, &format!("/healthz?{}", "a=b&".repeat(99)), 200);
            expect(client, &format!("/healthz?{}", "a=b&".repeat(100)), 414);
            expect(client, &format!("/healthz?{}", "&".repeat(3500)), 414);
        }
        // Slashes in a query may be encoded.
        for slash in ["/", "%2F"] {
            let target = |count| format!("/_page/1?path={}", format!("{slash}a").repeat(count));
            expect(&gateway.site, &target(64), 404);
            expect(&gateway.site, &target(65), 414);
            expect(&gateway.site, &target(1500), 414);
        }
    });
}
