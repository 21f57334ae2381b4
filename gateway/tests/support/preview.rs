//! Previews: creating them, following their links, and signing tokens.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::{Browser, CLOSED_SIGNUP, Gateway, Release, Request, Response, sign};

pub(crate) const COOKIE: &str = "__Host-colonnade-preview";

/// The header that deletes the cookie.
pub(crate) const DELETE_COOKIE: &str =
    "__Host-colonnade-preview=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure";

/// A gateway with `directory` 1.0.0 live; `directory` 2.0.0 and `legal` 1.0.0 are published.
pub(crate) fn gateway() -> Gateway {
    let gateway = Gateway::start_live(CLOSED_SIGNUP, &[]);
    gateway.publish(&Release::section(
        "directory",
        "2.0.0",
        &["/", "/state/:state", "/signup"],
    ));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway
}

pub(crate) fn post_preview(gateway: &Gateway, body: &Value) -> Response {
    gateway.admin_post("/api/v1/previews", body)
}

/// Creates a preview of `directory` 2.0.0 and returns its token.
pub(crate) fn create_preview(gateway: &Gateway) -> String {
    create_preview_of(gateway, &json!({ "directory": "2.0.0" }))
}

/// Creates a preview of the live deployment with these releases and returns its token.
pub(crate) fn create_preview_of(gateway: &Gateway, releases: &Value) -> String {
    token_in(&post_preview(gateway, &json!({ "releases": releases })))
}

/// The token in the response to [`post_preview`].
pub(crate) fn token_in(response: &Response) -> String {
    assert_eq!(response.status, 201, "{}", response.text());
    let url = response.json()["url"].as_str().unwrap().to_owned();
    url.strip_prefix("https://site.example/_preview/")
        .unwrap()
        .to_owned()
}

/// Opens the link, which asks the visitor.
pub(crate) fn open_link(gateway: &Gateway, token: &str) -> Response {
    gateway.get(&format!("/_preview/{token}"))
}

/// The request of the button on the page that the link opens.
pub(crate) fn start_request(token: &str) -> Request {
    Request::new("POST", &format!("/_preview/{token}")).header("sec-fetch-site", "same-origin")
}

/// Starts the preview of the link.
pub(crate) fn start_preview(gateway: &Gateway, token: &str) -> Response {
    gateway.site.send(start_request(token))
}

/// A browser that has started the preview.
pub(crate) fn viewer(gateway: &Gateway, token: &str) -> Browser {
    let mut browser = Browser::new(gateway.site);
    assert_eq!(browser.send(start_request(token)).status, 303);
    browser
}

pub(crate) fn with_cookie(gateway: &Gateway, token: &str, target: &str) -> Response {
    let cookie = format!("{COOKIE}={token}");
    gateway
        .site
        .send(Request::new("GET", target).header("cookie", &cookie))
}

pub(crate) fn deployment(response: &Response) -> u64 {
    response.set().parse().unwrap()
}

pub(crate) fn keys_file(gateway: &Gateway) -> PathBuf {
    gateway.store().join("preview-keys.json")
}

pub(crate) fn keys(gateway: &Gateway) -> Value {
    let mut file: Value = serde_json::from_slice(&std::fs::read(keys_file(gateway)).unwrap()).unwrap();
    file["keys"].take()
}

/// Signs a token as the gateway does.
pub(crate) fn sign_token(id: &str, secret: &str, payload: &Value) -> String {
    let signed = format!("{id}.{}", URL_SAFE_NO_PAD.encode(payload.to_string()));
    format!("{signed}.{}", sign(secret, &signed))
}

/// Signs a token with the gateway's newest key.
pub(crate) fn sign_with_gateway_key(gateway: &Gateway, payload: &Value) -> String {
    let key = &keys(gateway)[0];
    sign_token(
        key["id"].as_str().unwrap(),
        key["secret"].as_str().unwrap(),
        payload,
    )
}

/// Panics unless a token is rejected, both as a link and as a cookie.
pub(crate) fn assert_rejected(gateway: &Gateway, token: &str, why: &str) {
    for response in [open_link(gateway, token), start_preview(gateway, token)] {
        assert_eq!(response.status, 403, "{why}");
        assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(response.header("cache-control"), "no-store");
        assert!(response.text().contains("This preview has ended"), "{why}");
        assert!(!response.has("set-cookie") && !response.has("location"), "{why}");
    }

    let live = gateway.get("/state/Ohio");
    let response = with_cookie(gateway, token, "/state/Ohio");
    assert_eq!((response.status, &response.body), (200, &live.body), "{why}");
    assert_eq!(
        response.header("cache-control"),
        "no-store, no-transform",
        "{why}"
    );
    assert_eq!(response.header("set-cookie"), DELETE_COOKIE, "{why}");
    assert!(!response.has("x-robots-tag") && !response.has("etag"), "{why}");
}
