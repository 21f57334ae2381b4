//! The audit log of the admin API, and tokens that are not accepted.

use std::fs::File;
use std::net::Ipv4Addr;

use serde_json::{Value, json};

use crate::support::{Gateway, Raw, Release, Request, Response, TOKEN, authorized_by, token};

/// A token that expired long ago.
const EXPIRED: &str = "token-that-expired";

/// A token that expires in the far future.
const CURRENT: &str = "token-that-expires-later";

/// Adds an expiry time to the table of a token.
fn expiring(name: &str, time: &str) -> String {
    token(name, &["*"], &["publish", "deploy"]) + &format!("expires = {time}\n")
}

fn gateway() -> Gateway {
    let tokens = [
        expiring(EXPIRED, "\"2020-01-31T00:00:00Z\""),
        expiring(CURRENT, "2999-01-31T00:00:00Z"),
        token("legal-team", &["legal"], &["publish", "deploy", "rollback"]),
    ];
    Gateway::start_live(&tokens.concat(), &[])
}

/// The audit event of a request.
fn audit_event(gateway: &Gateway, response: &Response) -> Value {
    let id = response.header("x-request-id").to_owned();
    gateway.wait_for_event(|line| line["event"] == "admin_request" && line["request_id"] == id.as_str())
}

/// Panics unless the audit event of a request has these fields, where null is an absent field.
fn assert_audited(gateway: &Gateway, response: &Response, expected: &Value) {
    let event = audit_event(gateway, response);
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&event[key], value, "{key}: {event}");
    }
    assert_eq!(event["status"], response.status);
}

#[test]
fn each_admin_request_logs_token_action_and_target() {
    let gateway = gateway();
    let release = Release::section("legal", "1.0.0", &["/terms"]);
    let target = "/api/v1/sections/legal/releases/1.0.0";
    let publish = Request::new("PUT", target).body(release.archive());
    let deploy = |version: &str| {
        let body = json!({ "releases": { "legal": version }, "reason": "new terms" });
        Request::new("POST", "/api/v1/deployments").body(body.to_string())
    };
    let roll_back = Request::new("POST", "/api/v1/rollback").body("{\"section\":\"legal\"}");
    let all = Request::new("POST", "/api/v1/rollback").body("{}");
    let cases = [
        (
            Request::new("GET", "/api/v1/sections"),
            json!({ "level": "INFO", "action": "read", "target": null, "outcome": "succeeded", "cause": null,
                "route": "/api/v1/sections" }),
        ),
        (
            publish,
            json!({ "action": "publish", "target": "legal@1.0.0", "outcome": "succeeded" }),
        ),
        (
            deploy("1.0.0"),
            json!({ "action": "deploy", "target": "legal@1.0.0", "outcome": "succeeded", "reason": "new terms" }),
        ),
        (
            deploy("7.0.0"),
            json!({ "level": "WARN", "action": "deploy", "target": "legal@7.0.0", "outcome": "refused",
                "cause": "unknown_releases", "status": 422 }),
        ),
        (
            roll_back,
            json!({ "action": "rollback", "target": "legal", "outcome": "refused", "cause": "nothing_to_restore",
                "status": 409 }),
        ),
        (
            all,
            json!({ "action": "rollback", "target": "*", "outcome": "refused", "cause": "forbidden", "status": 403 }),
        ),
        (
            Request::new("POST", "/api/v1/deployments").body("{\"relaeses\":{}}"),
            json!({ "action": "deploy", "outcome": "refused", "cause": "invalid_body", "status": 400 }),
        ),
    ];
    for (request, expected) in cases {
        let response = gateway.admin_request_as("legal-team", request);
        assert_audited(&gateway, &response, &expected);
        let event = audit_event(&gateway, &response);
        assert_eq!(event["token"], "name of legal-team");
        // The events of a change have its request ID.
        let change = match response.status {
            201 if event["action"] == "publish" => "release_published",
            201 => "deployment_changed",
            _ => continue,
        };
        gateway.wait_for_event(|line| line["event"] == change && line["request_id"] == event["request_id"]);
    }
}

#[test]
fn refused_changes_log_the_reason() {
    let gateway = gateway();
    for (target, body, status) in [
        (
            "/api/v1/deployments",
            json!({ "releases": { "legal": "9.9.9" } }),
            422,
        ),
        ("/api/v1/rollouts/legal/promote", json!({ "percent": 20 }), 409),
        ("/api/v1/rollouts/legal/abort", json!({}), 409),
        (
            "/api/v1/rollback",
            json!({ "section": "legal", "deployment": 1 }),
            400,
        ),
        ("/api/v1/previews", json!({ "deployment": 1 }), 403),
        ("/api/v1/garbage-collection", json!({}), 403),
        ("/api/v1/upstreams/purge", json!({ "prefix": "/api/" }), 403),
    ] {
        let mut body = body;
        body["reason"] = json!("new terms");
        let request = Request::new("POST", target).body(body.to_string());
        let response = gateway.admin_request_as("legal-team", request);
        assert_eq!(response.status, status, "{target}: {}", response.text());
        let expected = json!({ "outcome": "refused", "reason": "new terms" });
        assert_audited(&gateway, &response, &expected);
    }
}

#[test]
fn change_cut_by_a_shutdown_is_audited_as_interrupted() {
    let limits = "[limits]\nshutdown_delay_ms = 0\ndrain_timeout_ms = 500\n";
    let mut gateway = Gateway::start_live(limits, &[]);
    // The change waits for the lock, longer than the shutdown.
    let lock = File::create(gateway.store().join("lock")).unwrap();
    lock.lock().unwrap();
    let body = "{\"releases\":{\"directory\":null}}";
    let mut deploy = Raw::open(&gateway.admin);
    deploy.send(format!(
        "POST /api/v1/deployments HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
         expect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        body.len()
    ));
    assert_eq!(deploy.read_exact(12), b"HTTP/1.1 100");
    deploy.send(body);
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    let event =
        gateway.wait_for_event(|line| line["event"] == "admin_request" && line["outcome"] != "succeeded");
    assert_eq!(
        (&event["cause"], &event["outcome"]),
        (&json!("interrupted"), &json!("failed"))
    );
}

#[test]
fn refused_requests_are_audited_without_text_of_the_caller() {
    let gateway = gateway();
    let list = || Request::new("GET", "/api/v1/sections");
    assert_eq!(gateway.admin_request_as(CURRENT, list()).status, 200);
    let expired = gateway.admin_request_as(EXPIRED, list());
    let unknown = gateway.admin_request_as("unknown", list());
    let missing = gateway.send_admin(list());
    assert_eq!(expired.status, 401);
    assert_eq!(expired.text(), unknown.text());
    for (response, token, cause) in [
        (expired, json!("name of token-that-expired"), "token_expired"),
        (unknown, Value::Null, "token_unknown"),
        (missing, Value::Null, "token_missing"),
    ] {
        let expected = json!({ "token": token, "outcome": "refused", "cause": cause, "status": 401 });
        assert_audited(&gateway, &response, &expected);
    }
    // The text of unknown callers is not logged.
    for (section, target) in [("leaked-token", Value::Null), ("directory", json!("directory"))] {
        let target_path = format!("/api/v1/sections/{section}/errors");
        let response = gateway.send_admin(Request::new("GET", &target_path));
        assert_audited(&gateway, &response, &json!({ "target": target, "status": 401 }));
    }
    for (request, action) in [
        (Request::new("GET", "/api/v1/sections"), "read"),
        (Request::new("POST", "/api/v1/rollback").body("{}"), "none"),
    ] {
        let request = authorized_by(TOKEN, request.header("host", "rebound.example"));
        let response = gateway.admin.send(request);
        assert_eq!(response.status, 421);
        let expected = json!({ "level": "WARN", "action": action, "target": null, "outcome": "refused",
            "cause": "invalid_request", "token": null });
        assert_audited(&gateway, &response, &expected);
    }
    for text in ["leaked-token", "rebound.example"] {
        assert!(!gateway.output().contains(text), "{text}");
    }
}

#[test]
fn eleventh_failed_token_in_a_minute_gets_429() {
    let gateway = gateway();
    let attempt = || gateway.admin_request_as("guess", Request::new("GET", "/api/v1/sections"));
    for _ in 0..10 {
        assert_eq!(attempt().status, 401);
    }
    let limited = attempt();
    assert_eq!(limited.status, 429);
    let wait: u32 = limited.header("retry-after").parse().unwrap();
    assert!((1..=6).contains(&wait), "{wait}");
    gateway.wait_for_event(|line| line["event"] == "admin_client_rate_limited" && line["level"] == "WARN");
    gateway.request_event(&limited);
    let output = gateway.output();
    assert_eq!(
        output.matches("\"cause\":\"token_unknown\"").count(),
        10,
        "{output}"
    );
    assert!(!output.contains("\"cause\":\"rate_limited\""), "{output}");
    // Operators that share the address keep access, and other addresses are separate clients.
    let list = || Request::new("GET", "/api/v1/sections");
    assert_eq!(gateway.admin_request_as(TOKEN, list()).status, 200);
    let other = gateway.admin.with_source_ip(Ipv4Addr::new(127, 0, 0, 2));
    assert_eq!(other.send(list()).status, 401);
}
