//! Sign-up by a script: JSON in, JSON out.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::support::{Act, Backend, Gateway, Request, Response, attack};

const TARGET: &str = "/functions/v1/signup";

/// A gateway that forwards to this backend.
fn gateway(backend: &Backend) -> Gateway {
    let extra = format!(
        "[signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"fixed-tag\"\n\
         redirect_hosts = [\"members.example.com\"]\nattempts_per_client = 1000\n",
        backend.origin()
    );
    Gateway::start_live(&extra, &[("KEY", "the-key")])
}

fn backend() -> Backend {
    Backend::start(Act::json(200, &json!({})))
}

fn sound() -> Value {
    json!({ "email": "visitor@example.com", "password": "pässword 1", "age": 30 })
}

fn from_our_page() -> Request {
    Request::new("POST", TARGET)
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json")
}

fn send(gateway: &Gateway, body: &Value) -> Response {
    gateway.site.send(from_our_page().body(body.to_string()))
}

fn assert_error(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    let error = answer.json();
    assert!(
        error["error"].as_str().is_some_and(|words| words.ends_with('.')),
        "{error}"
    );
}

#[test]
fn a_sign_up_is_forwarded_with_tag_and_key() {
    let backend = backend();
    let gateway = gateway(&backend);
    let body = json!({ "email": "visitor@example.com", "password": "pässword 1", "age": 30, "affiliate_subid": "mine" });
    let answer = send(&gateway, &body);
    assert_eq!((answer.status, answer.json()), (200, json!({})));
    assert_eq!(answer.header("cache-control"), "no-store");
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
        "nothing else is passed on: {head}"
    );
    let expected = json!({ "email": "visitor@example.com", "password": "pässword 1", "age": 30, "affiliate_subid": "fixed-tag" });
    assert_eq!(serde_json::from_str::<Value>(body).unwrap(), expected);
}

#[test]
fn the_backends_redirect_is_passed_on_where_it_may_lead() {
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
            backend.now(Act::json(
                201,
                &json!({ "redirectUrl": target, "token": "not for the browser" }),
            ));
            let answer = send(&gateway, &sound());
            assert_eq!((answer.status, answer.json()), (200, expected), "{target}");
        }
    });
}

#[test]
fn only_our_own_pages_may_sign_up() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        let plain = || Request::new("POST", TARGET).header("content-type", "application/json");
        let refused = [
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
        for request in refused {
            assert_error(&gateway.site.send(request.body(sound().to_string())), 403);
        }
        assert!(backend.received().is_empty());
        let older = plain()
            .header("host", "site.example")
            .header("origin", "https://site.example");
        assert_eq!(gateway.site.send(older.body(sound().to_string())).status, 200);
    });
}

#[test]
fn bodies_that_are_no_sign_up_are_refused_in_words() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        for body in [
            "",
            "{",
            "[]",
            "null",
            "\"x\"",
            "{\"age\":20,\"age\":20}",
            "\u{feff}{}",
            "email=a%40b.co&age=20",
        ] {
            assert_error(&gateway.site.send(from_our_page().body(body)), 400);
        }
        assert_error(&gateway.site.send(from_our_page().body([0xff, 0xfe])), 400);
        for field in ["email", "password", "age"] {
            let mut body = sound();
            body.as_object_mut().unwrap().remove(field);
            let answer = send(&gateway, &body);
            assert_error(&answer, 400);
            assert!(answer.json()["error"].as_str().unwrap().contains(field));
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
            gateway.site.send(request.body(sound().to_string()))
        };
        for content_type in [
            "",
            "text/plain",
            "multipart/form-data; boundary=x",
            "application/xml",
            "nonsense",
        ] {
            assert_error(&other(content_type), 415);
        }
        assert_eq!(other("application/json; charset=utf-8").status, 200);
        assert_eq!(backend.received().len(), 1);
    });
}

#[test]
fn long_bodies_are_refused() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        let mut body = sound();
        body["padding"] = json!("x".repeat(8 * 1024));
        assert_error(&send(&gateway, &body), 413);
        // Without a Content-Length the bytes themselves are counted.
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
        let largest = format!("{}{}", sound(), " ".repeat(8 * 1024 - sound().to_string().len()));
        assert_eq!(gateway.site.send(from_our_page().body(largest)).status, 200);
        assert_eq!(backend.received().len(), 1);
    });
}

#[test]
fn fields_that_are_not_acceptable_are_refused_and_nothing_is_forwarded() {
    let backend = backend();
    let gateway = gateway(&backend);
    attack(&gateway, || {
        let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/signup-fields.json");
        let table: Value = serde_json::from_str(&std::fs::read_to_string(table).unwrap()).unwrap();
        let mut accepted = 0;
        for (list, field) in [("email", "email"), ("password", "password"), ("ageJson", "age")] {
            for case in table[list].as_array().unwrap() {
                let value = case.get("value").cloned().unwrap_or_else(|| {
                    let times = usize::try_from(case["repeat"][1].as_u64().unwrap()).unwrap();
                    json!(case["repeat"][0].as_str().unwrap().repeat(times))
                });
                let mut body = sound();
                body[field] = value.clone();
                let answer = send(&gateway, &body);
                if case["valid"] == true {
                    assert_eq!(answer.status, 200, "{field}: {value}");
                    accepted += 1;
                } else {
                    assert_error(&answer, 422);
                    assert!(
                        answer.json().get("unreachable").is_none(),
                        "a refused field never leads to the partner"
                    );
                }
                assert_eq!(backend.received().len(), accepted, "{field}: {value}");
            }
        }
        for (field, value) in [
            ("email", json!(7)),
            ("password", json!(["123456"])),
            ("email", json!({})),
        ] {
            let mut body = sound();
            body[field] = value;
            assert_error(&send(&gateway, &body), 422);
        }
    });
}

#[test]
fn who_is_under_18_is_told_so_kindly_whatever_else_is_wrong() {
    let backend = backend();
    let gateway = gateway(&backend);
    let answer = send(&gateway, &json!({ "email": "no", "password": "no", "age": 17 }));
    assert_error(&answer, 422);
    assert!(answer.json()["error"].as_str().unwrap().contains("18 or older"));
}
