//! Tokens of previews that are forged, altered or over, and other ways to choose what is loaded.

use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::preview::{
    assert_refused, deployment, gateway, keys, keys_file, link, preview, signed, signed_here, with_cookie,
};
use crate::support::{Request, now};

/// Far in the future.
const LATER: u64 = 4_000_000_000;

#[test]
fn what_is_forged_altered_or_over_is_refused() {
    let gateway = gateway();
    let token = preview(&gateway);
    let [id, payload, signature] = token.split('.').collect::<Vec<_>>()[..] else {
        panic!("{token}");
    };
    let sound = json!({ "deployment": 2, "expires": LATER, "path": "/" });
    let other = |field: &str, value: Value| {
        let mut payload = sound.clone();
        payload[field] = value;
        payload
    };
    let encoded = |payload: &Value| URL_SAFE_NO_PAD.encode(payload.to_string());
    let mut flipped = URL_SAFE_NO_PAD.decode(signature).unwrap();
    flipped[31] ^= 1;
    let none = URL_SAFE_NO_PAD.encode([0; 32]);
    for (why, token) in [
        ("nothing", "x".to_owned()),
        ("dots", "...".to_owned()),
        ("an address", "https:evil.example".to_owned()),
        ("another key's name", format!("00000000.{payload}.{signature}")),
        ("no key's name", format!(".{payload}.{signature}")),
        ("a longer key's name", format!("{id}0.{payload}.{signature}")),
        ("another payload", format!("{id}.{}.{signature}", encoded(&sound))),
        ("no payload", format!("{id}..{signature}")),
        ("two payloads", format!("{id}.{payload}.{payload}.{signature}")),
        (
            "another signature",
            format!("{id}.{payload}.{}", URL_SAFE_NO_PAD.encode(flipped)),
        ),
        ("half a signature", format!("{id}.{payload}.{}", &signature[..20])),
        ("no signature", format!("{id}.{payload}.")),
        ("nothing signed", format!("{id}.{payload}")),
        ("zeros", format!("{id}.{payload}.{none}")),
        ("a key of their own", signed(id, &none, &sound)),
        ("an empty key", signed(id, "", &sound)),
        (
            "over",
            signed_here(&gateway, &other("expires", json!(1_700_000_000))),
        ),
        (
            "over since ever",
            signed_here(&gateway, &other("expires", json!(-1))),
        ),
        (
            "a deployment that is not kept",
            signed_here(&gateway, &other("deployment", json!(99))),
        ),
        (
            "a deployment that is none",
            signed_here(&gateway, &other("deployment", json!("2"))),
        ),
        (
            "more than is known",
            signed_here(&gateway, &other("load", json!("https://evil.example/"))),
        ),
        (
            "far too long",
            signed_here(&gateway, &other("path", json!(format!("/{}", "x".repeat(3000))))),
        ),
    ] {
        assert_refused(&gateway, &token, why);
    }
    // The tests sign as the gateway does: otherwise these would be refused for no good reason.
    assert_eq!(link(&gateway, &signed_here(&gateway, &sound)).status, 303);
    assert_eq!(deployment(&with_cookie(&gateway, &token, "/")), 2);
}

#[test]
fn a_key_that_was_rotated_away_verifies_nothing() {
    let gateway = gateway();
    let token = preview(&gateway);
    let old = keys(&gateway)[0].clone();
    // As if it had signed for longer than a day: it still verifies, and another signs.
    let created = |at: &str| {
        let mut key = old.clone();
        key["createdAt"] = json!(at);
        std::fs::write(keys_file(&gateway), json!([key]).to_string()).unwrap();
    };
    let day = now() - jiff::SignedDuration::from_hours(25);
    created(&day.to_string());
    let next = preview(&gateway);
    assert_ne!(next.split('.').next(), token.split('.').next());
    assert_eq!(keys(&gateway).as_array().unwrap().len(), 2);
    assert_eq!(link(&gateway, &token).status, 303);
    // As if it had for longer than any preview lives: it is forgotten.
    created("2026-01-01T00:00:00Z");
    preview(&gateway);
    assert_eq!(keys(&gateway).as_array().unwrap().len(), 1);
    assert_refused(&gateway, &token, "an old key");
}

#[test]
fn secrets_of_previews_are_neither_logged_nor_readable_by_others() {
    let mut gateway = gateway();
    let token = preview(&gateway);
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
        assert_eq!(gateway.event_of(&gateway.get(&target))["event"], "request");
    }
    for cookie in [&token, &altered] {
        gateway.event_of(&with_cookie(&gateway, cookie, "/"));
        gateway.event_of(&with_cookie(&gateway, cookie, "/nowhere"));
    }
    let answer = link(&gateway, &token);
    assert_eq!(gateway.event_of(&answer)["route"], "/_preview/:token");
    gateway.operate(Request::new("DELETE", "/api/v1/previews"));
    gateway.signal("TERM");
    gateway.end();
    let output = gateway.output();
    assert!(
        output.contains("/_preview/:token"),
        "the log is there to be searched"
    );
    let secret = keys[0]["secret"].as_str().unwrap();
    for secret in token.split('.').chain([secret]) {
        assert!(!output.contains(secret), "{secret}");
    }
}

#[test]
fn nothing_a_visitor_sends_chooses_where_code_is_loaded_from() {
    let gateway = gateway();
    preview(&gateway);
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
        ("cookie", "colonnade-preview=2"),
        ("cookie", "colonnade-preview=https://evil.example/"),
        ("cookie", "colonnade-rollout=2.0"),
        ("cookie", "import-map-overrides=https://evil.example/"),
        ("host", "evil.example"),
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "javascript"),
        ("x-original-url", "https://evil.example/"),
        ("forwarded", "host=evil.example"),
        ("origin", "https://evil.example"),
        ("referer", "https://evil.example/"),
    ] {
        let answer = gateway
            .site
            .send(Request::new("GET", "/state/Ohio").header(name, value));
        assert_eq!(answer.body, plain, "{name}: {value}");
    }
    let page = gateway
        .get("/_page/1?path=%2F&entry=https://evil.example/")
        .json();
    assert_eq!(page, gateway.get("/").boot()["page"]);
}
