//! Sign-up with JSON.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::support::{Backend, Gateway, Reply, Request, Response, attack};

const TARGET: &str = "/functions/v1/signup";

/// A gateway with this sign-up backend.
fn gateway(backend: &Backend) -> Gateway {
    let extra = format!(
        "[signup]\nbackend = \"{}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"fixed-tag\"\n\
         allowed_redirect_hosts = [\"members.example.com\"]\nrate_limit_per_client_per_minute = 1000\n",
        backend.origin()
    );
    Gateway::start_live(&extra, &[("KEY", "the-key")])
}

fn backend() -> Backend {
    Backend::start(Reply::json(200, &json!({})))
}

fn valid_fields() -> Value {
    json!({ "email": "visitor@example.com", "password": "pässword 1", "age": 30 })
}

fn same_origin_post() -> Request {
    Request::new("POST", TARGET)
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json")
}

fn send(gateway: &Gateway, body: &Value) -> Response {
    gateway.site.send(same_origin_post().body(body.to_string()))
}

fn assert_error(response: &Response, status: u16) {
    assert_eq!(response.status, status, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!(response.header("cache-control"), "no-store");
    let error = response.json();
    assert!(
        error["error"].as_str().is_some_and(|error| error.ends_with('.')),
        "{error}"
    );
    assert_eq!(error["stopped"], true, "{error}");
}

#[test]
fn signup_is_forwarded_with_subid_and_key() {
    let backend = backend();
    let gateway = gateway(&backend);
    let body = json!({ "email": "visitor@example.com", "password": "pässword 1", "age": 30, "affiliate_subid": "mine" });
    let response = send(&gateway, &body);
    assert_eq!((response.status, response.json()), (200, json!({})));
    assert_eq!(response.header("cache-control"), "no-store");
    let received = backend.received();
    assert_eq!(received.len(), 1);
    let (head, body) = received[0].split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("POST /functions/v1/signup HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(head.contains("\r\nauthorization: Bearer the-key\r\n"), "{head}");
    assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
    assert!(
        !head.contains("cookie") && !head.contains("sec-fetch"),
        "other headers must not be forwarded: {head}"
    );
    let expected = json!({ "email": "visitor@example.com", "password": "pässword 1", "age": 30, "affiliate_subid": "fixed-tag" });
    assert_eq!(serde_json::from_str::<Value>(body).unwrap(), expected);
}

#[test]
fn backend_redirect_is_forwarded_only_to_allowed_hosts() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        let cases = [
            (json!("/welcome"), json!({ "redirectUrl": "/welcome" })),
            (
                json!("https://site.example/in"),
                json!({ "redirectUrl": "https://site.example/in" }),
            ),
            (
                json!("https://members.example.com/x?y=1"),
                json!({ "redirectUrl": "https://members.example.com/x?y=1" }),
            ),
            (json!("https://evil.example/"), json!({})),
            (json!("http://members.example.com/"), json!({})),
            (json!("//evil.example"), json!({})),
            (json!("/\\evil.example"), json!({})),
            (json!("javascript:alert(1)"), json!({})),
            (json!(7), json!({})),
            (Value::Null, json!({})),
        ];
        for (target, expected) in cases {
            backend.set_reply(Reply::json(
                201,
                &json!({ "redirectUrl": target, "token": "not for the browser" }),
            ));
            let response = send(&gateway, &valid_fields());
            assert_eq!((response.status, response.json()), (200, expected), "{target}");
        }
    });
}

#[test]
fn cross_origin_signup_is_rejected() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        let plain = || Request::new("POST", TARGET).header("content-type", "application/json");
        let rejected = [
            plain(),
            plain().header("sec-fetch-site", "cross-site"),
            plain().header("sec-fetch-site", "same-site"),
            plain().header("sec-fetch-site", "none"),
            plain()
                .header("sec-fetch-site", "cross-site")
                .header("host", "h")
                .header("origin", "https://h"),
            plain()
                .header("host", "site.example")
                .header("origin", "https://evil.example"),
            plain()
                .header("host", "site.example")
                .header("origin", "http://site.example"),
            plain().header("host", "site.example").header("origin", "null"),
        ];
        for request in rejected {
            assert_error(&gateway.site.send(request.body(valid_fields().to_string())), 403);
        }
        assert!(backend.received().is_empty());
        let without_fetch_metadata = plain()
            .header("host", "site.example")
            .header("origin", "https://site.example");
        assert_eq!(
            gateway
                .site
                .send(without_fetch_metadata.body(valid_fields().to_string()))
                .status,
            200
        );
    });
}

#[test]
fn malformed_body_returns_400_or_415() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        for body in ["", "[]", "email=a%40b.co&age=20"] {
            assert_error(&gateway.site.send(same_origin_post().body(body)), 400);
        }
        assert_error(&gateway.site.send(same_origin_post().body([0xff, 0xfe])), 400);
        for field in ["email", "password", "age"] {
            let mut body = valid_fields();
            body.as_object_mut().unwrap().remove(field);
            let response = send(&gateway, &body);
            assert_error(&response, 400);
            assert!(response.json()["error"].as_str().unwrap().contains(field));
            body[field] = Value::Null;
            assert_error(&send(&gateway, &body), 400);
        }
        let other = |content_type: &str| {
            let request = Request::new("POST", TARGET).header("sec-fetch-site", "same-origin");
            let request = if content_type.is_empty() {
                request
            } else {
                request.header("content-type", content_type)
            };
            gateway.site.send(request.body(valid_fields().to_string()))
        };
        for content_type in ["", "text/plain"] {
            assert_error(&other(content_type), 415);
        }
        assert_eq!(other("application/json; charset=utf-8").status, 200);
        assert_eq!(backend.received().len(), 1);
    });
}

#[test]
fn oversized_body_returns_413() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        let mut body = valid_fields();
        body["padding"] = json!("x".repeat(8 * 1024));
        assert_error(&send(&gateway, &body), 413);
        // Without Content-Length the gateway counts the received bytes.
        let chunk = "x".repeat(9_000);
        let mut stream = gateway.site.connect();
        write!(
            stream,
            "POST {TARGET} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\n\
             transfer-encoding: chunked\r\n\r\n{:x}\r\n{chunk}\r\n",
            chunk.len()
        )
        .unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 413");
        let largest = format!(
            "{}{}",
            valid_fields(),
            " ".repeat(8 * 1024 - valid_fields().to_string().len())
        );
        assert_eq!(gateway.site.send(same_origin_post().body(largest)).status, 200);
        assert_eq!(backend.received().len(), 1);
    });
}

#[test]
fn invalid_fields_return_422_and_are_not_forwarded() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        for (field, value) in [
            ("email", json!(7)),
            ("email", json!("no address")),
            ("password", json!(["123456"])),
            ("password", json!("short")),
            ("age", json!(17)),
            ("age", json!("thirty")),
        ] {
            let mut body = valid_fields();
            body[field] = value;
            let response = send(&gateway, &body);
            assert_error(&response, 422);
            assert!(
                response.json().get("unreachable").is_none(),
                "an invalid field must not appear as an unreachable backend"
            );
        }
        assert!(backend.received().is_empty());
    });
}

#[test]
fn underage_error_takes_precedence() {
    let backend = backend();
    let gateway = gateway(&backend);
    let response = send(&gateway, &json!({ "email": "no", "password": "no", "age": 17 }));
    assert_error(&response, 422);
    assert!(response.json()["error"].as_str().unwrap().contains("18 or older"));
}
