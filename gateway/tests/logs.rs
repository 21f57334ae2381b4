//! The log, and what it must never contain.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Backend, Gateway, Release, Reply, Request, TOKEN};

#[test]
fn each_request_logs_one_event() {
    let gateway = Gateway::start_live("", &[]);
    let cases = [
        ("GET", "/", "/", 200),
        ("GET", "/state/Texas?from=mail", "/state/:state", 200),
        ("HEAD", "/state/Ohio", "/state/:state", 200),
        ("GET", "/nowhere/at/all", "unmatched", 404),
        ("GET", "/state/%F0%28", "invalid_request", 400),
        ("GET", "/assets/shell/1.0.0/main.js", "/assets", 200),
        ("GET", "/_page/1?path=%2F", "/_page", 200),
        ("GET", "/_remotes/1", "/_remotes", 200),
        ("GET", "/go/someone", "unmatched", 404),
        ("GET", "/robots.txt", "/robots.txt", 200),
        ("POST", "/_report", "/_report", 403),
        ("OPTIONS", "/", "unmatched", 204),
        ("DELETE", "/", "unmatched", 405),
    ];
    for (method, target, route, status) in cases {
        let response = gateway.site.send(Request::new(method, target));
        let event = gateway.request_event(&response);
        assert_eq!(event["event"], "request");
        assert_eq!(event["level"], "INFO");
        assert_eq!(
            (&event["method"], &event["route"]),
            (&json!(method), &json!(route)),
            "{target}"
        );
        assert_eq!(
            (event["status"].as_u64(), response.status),
            (Some(status), u16::try_from(status).unwrap())
        );
        assert_eq!(event["bytes"], response.body.len());
        assert!(event["duration_ms"].as_f64().unwrap() >= 0.0);
        assert_eq!(event["deployment"], "1");
        let keys: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys.len(), 11, "unexpected keys: {keys:?}");
        // Request events use the same timestamp format as all others.
        let listening = gateway.wait_for_event(|line| line["event"] == "listening");
        assert_eq!(
            timestamp_format(&event["timestamp"]),
            timestamp_format(&listening["timestamp"])
        );
    }
}

#[test]
fn unknown_method_is_logged_as_other() {
    let gateway = Gateway::start();
    let response = gateway.site.send(Request::new("MARKED", "/"));
    assert_eq!(gateway.request_event(&response)["method"], "OTHER");
}

#[test]
fn admin_requests_log_events() {
    let gateway = Gateway::start();
    let response = gateway.put_release("legal", "1.0.0", b"nonsense".to_vec());
    let event = gateway.request_event(&response);
    assert_eq!(event["route"], "/api/v1/sections/:name/releases/:version");
    assert_eq!(event["status"], 400);
    gateway.publish(&Release::shell("1.0.0"));
    let published = gateway.wait_for_event(|line| line["event"] == "release_published");
    assert_eq!(
        (&published["name"], &published["by"]),
        (&json!("shell"), &json!("name of token-for-everything"))
    );
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    assert_eq!(
        gateway.wait_for_event(|line| line["event"] == "deployment_changed")["deployment"],
        1
    );
}

#[test]
fn signup_input_is_neither_logged_nor_stored() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let extra = format!(
        "[signup]\nbackend = \"{}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\ntotal_timeout_ms = 200\nrate_limit_per_client_per_minute = 1000\nbreaker_failure_threshold = 1000\n",
        backend.origin()
    );
    let mut gateway = Gateway::start_live(&extra, &[("KEY", "marked-key")]);
    let fields = json!({ "email": "marked-email@example.com", "password": "marked-password", "age": 113 });
    let form = "email=marked-email%40example.com&password=marked-password&age=113";
    let send = |content_type: &str, body: &str| {
        let request = Request::new("POST", "/functions/v1/signup?email=marked-query")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", content_type)
            .header("cookie", "marked-cookie=1")
            .header("user-agent", "marked-agent")
            .header("x-forwarded-for", "203.0.113.77")
            .header("x-request-id", "marked-id");
        gateway.request_event(&gateway.site.send(request.body(body)));
    };
    let echo = json!({ "error": "no marked-email@example.com", "redirectUrl": "https://evil.example/marked-target" });
    let replies = [
        Reply::json(200, &json!({})),
        Reply::json(200, &echo),
        Reply::json(422, &echo),
        Reply::json(500, &json!({})),
        Reply::Close,
        Reply::Truncated,
        Reply::Stall,
        Reply::Raw("marked-rubbish\r\n\r\n".to_owned()),
        Reply::Raw(
            "HTTP/1.1 302 Found\r\nlocation: http://marked-location/\r\ncontent-length: 0\r\n\r\n".to_owned(),
        ),
        Reply::Response(200, "text/html", "<html>marked-html".to_owned()),
    ];
    for reply in replies {
        backend.set_reply(reply);
        send("application/json", &fields.to_string());
        send("application/x-www-form-urlencoded", form);
    }
    let rejected = [
        json!({ "email": "marked-email", "password": "marked-password", "age": 30 }).to_string(),
        json!({ "email": "marked-email@example.com", "password": "marked-password", "age": 17 }).to_string(),
        json!({ "email": "marked-email@example.com" }).to_string(),
        "{\"email\":\"marked-email@example.com\",\"password\":\"marked-password\"".to_owned(),
        "marked-password".repeat(1_000),
    ];
    for body in &rejected {
        for content_type in [
            "application/json",
            "application/x-www-form-urlencoded",
            "text/marked",
        ] {
            send(content_type, body);
        }
    }
    gateway.get("/state/marked-path?marked-query=1");
    gateway
        .admin
        .send(Request::new("GET", "/api/v1/sections").header("authorization", "Bearer marked-token"));
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));

    let output = gateway.output();
    assert!(output.contains("signup_backend_unreachable"), "no log to search");
    for text in ["marked", TOKEN, "203.0.113.77", "127.0.0.1"] {
        let lines = output
            .lines()
            .filter(|line| !line.contains("\"event\":\"listening\"") && !is_token_name(line, text));
        let found: Vec<&str> = lines.filter(|line| line.contains(text)).collect();
        assert!(found.is_empty(), "{text}: {found:#?}");
    }
    let ages: Vec<&str> = output
        .lines()
        .filter(|line| contains_outside_measures(line, "113"))
        .collect();
    assert!(ages.is_empty(), "a stated age: {ages:#?}");
    assert_eq!(files_with(&gateway.store(), b"marked"), Vec::<String>::new());
}

/// A timestamp with every digit replaced by 0.
fn timestamp_format(time: &Value) -> String {
    let time = time.as_str().unwrap();
    time.replace(|c: char| c.is_ascii_digit(), "0")
}

/// Whether an event contains a string outside its measurements, which may contain any digits.
fn contains_outside_measures(line: &str, text: &str) -> bool {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    let measures = ["timestamp", "duration_ms", "bytes", "request_id"];
    // The ports of the listeners may contain any digits.
    if event["event"] == "listening" {
        return false;
    }
    let mut fields = event.as_object().into_iter().flatten();
    fields.any(|(key, value)| !measures.contains(&key.as_str()) && value.to_string().contains(text))
}

/// Token names, which are logged, contain the token in these tests.
fn is_token_name(line: &str, text: &str) -> bool {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    let name = format!("name of {TOKEN}");
    text == TOKEN && (event["by"] == name || event["token"] == name)
}

fn files_with(folder: &Path, mark: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, mark));
        } else if std::fs::read(&path)
            .unwrap()
            .windows(mark.len())
            .any(|bytes| bytes == mark)
        {
            found.push(path.display().to_string());
        }
    }
    found
}
