//! Backends that are slow, gone, or not themselves.

use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::support::{Act, Backend, CLOSED, Client, Gateway, Request, Response};

fn gateway(backend: &str) -> Gateway {
    gateway_with(backend, "")
}

fn table(backend: &str, keys: &str) -> String {
    format!("[signup]\nbackend = \"{backend}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n{keys}")
}

fn gateway_with(backend: &str, more: &str) -> Gateway {
    let extra = table(backend, more);
    // A proxy in the environment is not used: it would see what visitors type.
    let variables = [
        ("KEY", "the-key"),
        ("HTTP_PROXY", "http://127.0.0.1:1"),
        ("ALL_PROXY", "http://127.0.0.1:1"),
    ];
    Gateway::start_with(&extra, &variables)
}

fn sign_up(gateway: &Gateway) -> Response {
    sign_up_at(&gateway.site)
}

fn sign_up_at(site: &Client) -> Response {
    let body = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 });
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json");
    site.send(request.body(body.to_string()))
}

/// What a visitor gets from a backend that does this.
fn outcome(act: Act) -> (u16, Value) {
    // Whoever answers has as long as the busiest machine needs for it.
    let timeout = if matches!(act, Act::Stall | Act::Drip) {
        300
    } else {
        20_000
    };
    let backend = Backend::start(act);
    let gateway = gateway_with(&backend.origin(), &format!("total_timeout_ms = {timeout}\n"));
    let answer = sign_up(&gateway);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(backend.received().len(), 1, "it is asked exactly once");
    (answer.status, answer.json())
}

fn unreachable(status: u16) -> (u16, Value) {
    (
        status,
        json!({ "error": "Signup failed. Please try again.", "unreachable": true }),
    )
}

fn html(status: u16) -> Act {
    Act::Answer(status, "text/html", "<html><h1>Oops</h1></html>".to_owned())
}

#[test]
fn a_backend_that_is_not_there_is_out_of_reach() {
    let gateway = gateway(CLOSED);
    let answer = sign_up(&gateway);
    assert_eq!((answer.status, answer.json()), unreachable(502));
    let event = gateway.wait_for(|line| line["event"] == "signup_unreachable");
    assert!(event["cause"].as_str().unwrap().contains("refused"), "{event}");
}

#[test]
fn no_backend_at_all_is_out_of_reach() {
    let answer = sign_up(&Gateway::start());
    assert_eq!((answer.status, answer.json()), unreachable(503));
}

#[test]
fn a_backend_that_hangs_up_is_out_of_reach() {
    assert_eq!(outcome(Act::Close), unreachable(502));
    assert_eq!(outcome(Act::Half), unreachable(502));
    assert_eq!(
        outcome(Act::Raw("HTTP/1.1 200 OK\r\ncontent-".to_owned())),
        unreachable(502)
    );
    assert_eq!(outcome(Act::Raw("rubbish\r\n\r\n".to_owned())), unreachable(502));
}

#[test]
fn a_backend_that_takes_too_long_is_out_of_reach() {
    assert_eq!(outcome(Act::Stall), unreachable(504));
    assert_eq!(
        outcome(Act::Drip),
        unreachable(504),
        "also when it is the body that takes too long"
    );
}

#[test]
fn a_backend_that_cannot_be_connected_to_in_time_is_out_of_reach() {
    // Whose queue is full: the system drops whoever else would connect.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let listener = runtime.unwrap().block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        socket.listen(0).unwrap().into_std().unwrap()
    });
    let address = listener.local_addr().unwrap();
    let _queued = TcpStream::connect(address).unwrap();
    let keys = "connect_timeout_ms = 200\ntotal_timeout_ms = 600000\n";
    let gateway = Gateway::start_with(&table(&format!("http://{address}"), keys), &[("KEY", "the-key")]);
    // Whoever waits here leaves long before any other deadline.
    let answer = sign_up_at(&gateway.site.waiting(Duration::from_secs(10)));
    assert_eq!((answer.status, answer.json()), unreachable(504));
}

#[test]
fn a_backend_without_end_is_out_of_reach() {
    assert_eq!(outcome(Act::Flood), unreachable(502));
}

#[test]
fn what_is_no_json_object_is_out_of_reach() {
    for status in [200, 400, 404, 500, 503] {
        assert_eq!(outcome(html(status)), unreachable(502), "{status}");
        assert_eq!(
            outcome(Act::json(status, &json!(["x"]))),
            unreachable(502),
            "{status}"
        );
        assert_eq!(
            outcome(Act::Answer(status, "application/json", String::new())),
            unreachable(502),
            "{status}"
        );
    }
    for value in [json!("created"), json!(true), Value::Null, json!(1)] {
        assert_eq!(outcome(Act::json(200, &value)), unreachable(502), "{value}");
    }
}

#[test]
fn a_2xx_with_an_object_is_success() {
    for status in [200, 201, 202] {
        assert_eq!(
            outcome(Act::json(status, &json!({ "id": 7 }))),
            (200, json!({})),
            "{status}"
        );
    }
    // The object decides, not what the backend calls it.
    let unlabelled = Act::Answer(200, "text/plain", json!({ "redirectUrl": "/in" }).to_string());
    assert_eq!(outcome(unlabelled), (200, json!({ "redirectUrl": "/in" })));
}

#[test]
fn the_backends_words_and_status_are_passed_on() {
    for status in [400, 401, 403, 409, 422, 429, 500, 503] {
        let answer = json!({ "error": "That address is taken.", "trace": "at line 1" });
        assert_eq!(
            outcome(Act::json(status, &answer)),
            (status, json!({ "error": "That address is taken." }))
        );
    }
}

#[test]
fn a_backend_without_words_gets_ours() {
    for answer in [
        json!({}),
        json!({ "error": "" }),
        json!({ "error": { "code": 1 } }),
        json!({ "message": "x" }),
    ] {
        let expected = json!({ "error": "Signup failed. Please try again." });
        assert_eq!(outcome(Act::json(500, &answer)), (500, expected), "{answer}");
    }
}

#[test]
fn long_words_are_cut() {
    let (status, answer) = outcome(Act::json(400, &json!({ "error": "é".repeat(5_000) })));
    assert_eq!(
        (status, answer["error"].as_str().unwrap().chars().count()),
        (400, 500)
    );
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Backend::start(Act::json(200, &json!({ "redirectUrl": "/in" })));
    let moved = |body: &str| {
        let location = elsewhere.origin();
        let length = body.len();
        Act::Raw(format!(
            "HTTP/1.1 307 Moved\r\nlocation: {location}/functions/v1/signup\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
    };
    assert_eq!(outcome(moved("")), unreachable(502));
    let (status, answer) = outcome(moved("{\"error\":\"Moved.\"}"));
    assert_eq!((status, answer), (502, json!({ "error": "Moved." })));
    assert!(
        elsewhere.received().is_empty(),
        "what a visitor typed goes to the configured backend alone"
    );
}

#[test]
fn each_sign_up_has_a_connection_of_its_own_where_an_operator_says_so() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = gateway_with(&backend.origin(), "keep_ms = 0\n");
    for _ in 0..10 {
        assert_eq!(sign_up(&gateway).status, 200);
    }
    assert_eq!(backend.connections(), 10);
}

#[test]
fn a_connection_is_kept_for_the_next_sign_up() {
    for more in ["", "keep_ms = 60000\n"] {
        let backend = Backend::start(Act::json(200, &json!({})));
        let gateway = gateway_with(&backend.origin(), more);
        for _ in 0..10 {
            assert_eq!(sign_up(&gateway).status, 200);
        }
        // A sign-up may come before the connection of the one before it is back.
        assert!(backend.connections() < 10, "{more:?}");
    }
}

#[test]
fn a_connection_is_kept_no_longer_than_an_operator_says_or_a_second() {
    for more in ["keep_ms = 100\n", ""] {
        let backend = Backend::start(Act::json(200, &json!({})));
        let gateway = gateway_with(&backend.origin(), more);
        for number in 1..=2 {
            assert_eq!(sign_up(&gateway).status, 200);
            backend.wait_for_ends(number);
        }
        assert_eq!(backend.connections(), 2);
    }
}

#[test]
fn a_kept_connection_that_the_backend_ends_is_not_used_again() {
    let ending = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    for act in [
        Act::Raw(ending.to_owned()),
        // One that goes on to listen.
        Act::Answer(200, "application/json\r\nconnection: close", "{}".to_owned()),
    ] {
        let backend = Backend::start(act);
        let gateway = gateway_with(&backend.origin(), "keep_ms = 60000\n");
        for _ in 0..3 {
            assert_eq!(sign_up(&gateway).status, 200);
        }
        assert_eq!(backend.connections(), 3);
    }
}

#[test]
fn a_backend_that_comes_back_is_used_again() {
    let backend = Backend::start(Act::Close);
    let gateway = gateway_with(&backend.origin(), "total_timeout_ms = 3000\n");
    assert_eq!(sign_up(&gateway).status, 502);
    backend.now(Act::json(200, &json!({})));
    assert_eq!(sign_up(&gateway).status, 200);
    backend.now(Act::Stall);
    assert_eq!(sign_up(&gateway).status, 504);
    backend.now(Act::json(200, &json!({})));
    assert_eq!(sign_up(&gateway).status, 200);
}
