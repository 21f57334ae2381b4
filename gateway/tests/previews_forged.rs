//! Forged, altered and expired preview tokens, and other attempts to choose which code is loaded.

use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::preview::{
    assert_rejected, create_preview, deployment, gateway, keys, keys_file, open_link, sign_token,
    sign_with_gateway_key, start_preview, with_cookie,
};
use crate::support::{Request, now};

/// Far in the future.
const LATER: u64 = 4_000_000_000;

#[test]
fn forged_altered_or_expired_token_is_rejected() {
    let gateway = gateway();
    let token = create_preview(&gateway);
    let [id, payload, signature] = token.split('.').collect::<Vec<_>>()[..] else {
        panic!("{token}");
    };
    let valid = json!({ "deployment": 2, "expires": LATER, "path": "/" });
    let other = |field: &str, value: Value| {
        let mut payload = valid.clone();
        payload[field] = value;
        payload
    };
    let encoded = |payload: &Value| URL_SAFE_NO_PAD.encode(payload.to_string());
    let mut flipped = URL_SAFE_NO_PAD.decode(signature).unwrap();
    flipped[31] ^= 1;
    let none = URL_SAFE_NO_PAD.encode([0; 32]);
    for (why, token) in [
        ("no token", "x".to_owned()),
        ("dots", "...".to_owned()),
        ("a URL", "https:evil.example".to_owned()),
        ("unknown key ID", format!("00000000.{payload}.{signature}")),
        ("no key ID", format!(".{payload}.{signature}")),
        ("extended key ID", format!("{id}0.{payload}.{signature}")),
        ("another payload", format!("{id}.{}.{signature}", encoded(&valid))),
        ("no payload", format!("{id}..{signature}")),
        ("two payloads", format!("{id}.{payload}.{payload}.{signature}")),
        (
            "another signature",
            format!("{id}.{payload}.{}", URL_SAFE_NO_PAD.encode(flipped)),
        ),
        (
            "truncated signature",
            format!("{id}.{payload}.{}", &signature[..20]),
        ),
        ("no signature", format!("{id}.{payload}.")),
        ("no signature part", format!("{id}.{payload}")),
        ("zero signature", format!("{id}.{payload}.{none}")),
        ("another key", sign_token(id, &none, &valid)),
        ("empty key", sign_token(id, "", &valid)),
        (
            "expired",
            sign_with_gateway_key(&gateway, &other("expires", json!(1_700_000_000))),
        ),
        (
            "negative expiry",
            sign_with_gateway_key(&gateway, &other("expires", json!(-1))),
        ),
        (
            "unknown deployment",
            sign_with_gateway_key(&gateway, &other("deployment", json!(99))),
        ),
        (
            "invalid deployment",
            sign_with_gateway_key(&gateway, &other("deployment", json!("2"))),
        ),
        (
            "unknown field",
            sign_with_gateway_key(&gateway, &other("load", json!("https://evil.example/"))),
        ),
        (
            "too long",
            sign_with_gateway_key(&gateway, &other("path", json!(format!("/{}", "x".repeat(3000))))),
        ),
    ] {
        assert_rejected(&gateway, &token, why);
    }
    // The test's signature is valid: the gateway accepts the unaltered payload.
    assert_eq!(
        start_preview(&gateway, &sign_with_gateway_key(&gateway, &valid)).status,
        303
    );
    assert_eq!(deployment(&with_cookie(&gateway, &token, "/")), 2);
}

#[test]
fn rotated_key_verifies_no_token() {
    let gateway = gateway();
    let token = create_preview(&gateway);
    let old = keys(&gateway)[0].clone();
    // A key older than a day still verifies, but a new key signs.
    let set_creation_time = |at: &str| {
        let mut key = old.clone();
        key["createdAt"] = json!(at);
        std::fs::write(keys_file(&gateway), json!({ "keys": [key] }).to_string()).unwrap();
    };
    let yesterday = now() - jiff::SignedDuration::from_hours(25);
    set_creation_time(&yesterday.to_string());
    let next = create_preview(&gateway);
    assert_ne!(next.split('.').next(), token.split('.').next());
    assert_eq!(keys(&gateway).as_array().unwrap().len(), 2);
    assert_eq!(start_preview(&gateway, &token).status, 303);
    // A key older than any preview's lifetime is removed.
    set_creation_time("2026-01-01T00:00:00Z");
    create_preview(&gateway);
    assert_eq!(keys(&gateway).as_array().unwrap().len(), 1);
    assert_rejected(&gateway, &token, "removed key");
}

#[test]
fn preview_secrets_are_not_logged_and_key_file_is_private() {
    let mut gateway = gateway();
    let token = create_preview(&gateway);
    let mode = std::fs::metadata(keys_file(&gateway))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let keys = keys(&gateway);
    let altered = token.replace('.', ".A");
    for target in [
        format!("/_preview/{token}"),
        format!("/_preview/{altered}"),
        format!("/{token}"),
    ] {
        assert_eq!(gateway.request_event(&gateway.get(&target))["event"], "request");
    }
    for cookie in [&token, &altered] {
        gateway.request_event(&with_cookie(&gateway, cookie, "/"));
        gateway.request_event(&with_cookie(&gateway, cookie, "/nowhere"));
    }
    for response in [open_link(&gateway, &token), start_preview(&gateway, &token)] {
        assert_eq!(gateway.request_event(&response)["route"], "/_preview/:token");
    }
    gateway.admin_request(Request::new("DELETE", "/api/v1/previews"));
    gateway.signal("TERM");
    gateway.wait_for_exit();
    let output = gateway.output();
    assert!(output.contains("/_preview/:token"), "no log to search");
    let secret = keys[0]["secret"].as_str().unwrap();
    for secret in token.split('.').chain([secret]) {
        assert!(!output.contains(secret), "{secret}");
    }
}

#[test]
fn request_input_never_selects_code_origin() {
    let gateway = gateway();
    create_preview(&gateway);
    let plain = gateway.get("/state/Ohio").body;
    for query in [
        "deployment=2",
        "preview=2",
        "_preview=2",
        "release=directory@2.0.0",
        "directory=2.0.0",
        "directory=https://evil.example/entry.js",
        "entry=https://evil.example/entry.js",
        "base=https://evil.example/",
        "shell=https%3A%2F%2Fevil.example%2F",
        "importmap=%7B%7D",
    ] {
        assert_eq!(
            gateway.get(&format!("/state/Ohio?{query}")).body,
            plain,
            "{query}"
        );
    }
    for (name, value) in [
        ("cookie", "deployment=2"),
        ("cookie", "__Host-colonnade-preview=2"),
        ("cookie", "__Host-colonnade-preview=https://evil.example/"),
        ("cookie", "__Host-colonnade-rollout=2.0"),
        ("cookie", "import-map-overrides=https://evil.example/"),
        ("host", "evil.example"),
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "javascript"),
        ("x-original-url", "https://evil.example/"),
        ("forwarded", "host=evil.example"),
        ("origin", "https://evil.example"),
        ("referer", "https://evil.example/"),
    ] {
        let response = gateway
            .site
            .send(Request::new("GET", "/state/Ohio").header(name, value));
        assert_eq!(response.body, plain, "{name}: {value}");
    }
    let page = gateway
        .get("/_page/1?path=%2F&entry=https://evil.example/")
        .json();
    assert_eq!(page, gateway.get("/").boot()["page"]);
}
