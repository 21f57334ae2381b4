//! Previews: making them, following their links, and tokens of the tests' own making.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Browser, Gateway, Release, Request, Response};

pub(crate) const COOKIE: &str = "colonnade-preview";

/// Has the browser forget the cookie.
pub(crate) const FORGET: &str = "colonnade-preview=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure";

/// A gateway with `directory` 1.0.0 live, and 2.0.0 of it and 1.0.0 of `legal` published.
pub(crate) fn gateway() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/", "/state/:state", "/signup"]).slot("join"));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway
}

pub(crate) fn wish(gateway: &Gateway, body: &Value) -> Response {
    gateway.tell("/api/v1/previews", body)
}

/// Makes a preview of `directory` 2.0.0; its token comes back.
pub(crate) fn preview(gateway: &Gateway) -> String {
    token_of(gateway, &json!({ "directory": "2.0.0" }))
}

/// Makes a preview of the live set with these releases in it; its token comes back.
pub(crate) fn token_of(gateway: &Gateway, releases: &Value) -> String {
    token(&wish(gateway, &json!({ "releases": releases })))
}

pub(crate) fn token(answer: &Response) -> String {
    assert_eq!(answer.status, 201, "{}", answer.text());
    let url = answer.json()["url"].as_str().unwrap().to_owned();
    url.strip_prefix("https://site.example/_preview/")
        .unwrap()
        .to_owned()
}

pub(crate) fn link(gateway: &Gateway, token: &str) -> Response {
    gateway.get(&format!("/_preview/{token}"))
}

/// A browser that has followed a link.
pub(crate) fn viewer(gateway: &Gateway, token: &str) -> Browser {
    let mut browser = Browser::new(gateway.site);
    assert_eq!(browser.get(&format!("/_preview/{token}")).status, 303);
    browser
}

pub(crate) fn with_cookie(gateway: &Gateway, token: &str, target: &str) -> Response {
    let cookie = format!("{COOKIE}={token}");
    gateway
        .site
        .send(Request::new("GET", target).header("cookie", &cookie))
}

pub(crate) fn deployment(answer: &Response) -> u64 {
    answer.boot()["deployment"].as_u64().unwrap()
}

pub(crate) fn keys_file(gateway: &Gateway) -> PathBuf {
    gateway.store().join("preview-keys.json")
}

pub(crate) fn keys(gateway: &Gateway) -> Value {
    serde_json::from_slice(&std::fs::read(keys_file(gateway)).unwrap()).unwrap()
}

/// A token that is signed as the gateway signs, with any payload.
pub(crate) fn signed(id: &str, secret: &str, payload: &Value) -> String {
    let signed = format!("{id}.{}", URL_SAFE_NO_PAD.encode(payload.to_string()));
    let mut mac = Hmac::<Sha256>::new_from_slice(&URL_SAFE_NO_PAD.decode(secret).unwrap()).unwrap();
    mac.update(signed.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{signed}.{signature}")
}

/// The same with the gateway's newest key.
pub(crate) fn signed_here(gateway: &Gateway, payload: &Value) -> String {
    let key = &keys(gateway)[0];
    signed(
        key["id"].as_str().unwrap(),
        key["secret"].as_str().unwrap(),
        payload,
    )
}

/// Fails unless a token is worth nothing: neither as a link nor as a cookie.
pub(crate) fn assert_refused(gateway: &Gateway, token: &str, why: &str) {
    let answer = link(gateway, token);
    assert_eq!(answer.status, 403, "{why}");
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(answer.text().contains("This preview is over"), "{why}");
    assert!(!answer.has("set-cookie") && !answer.has("location"), "{why}");

    let live = gateway.get("/state/Ohio");
    let answer = with_cookie(gateway, token, "/state/Ohio");
    assert_eq!((answer.status, &answer.body), (200, &live.body), "{why}");
    assert_eq!(answer.header("cache-control"), "no-store", "{why}");
    assert_eq!(answer.header("set-cookie"), FORGET, "{why}");
    assert!(!answer.has("x-robots-tag") && !answer.has("etag"), "{why}");
}
