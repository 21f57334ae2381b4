//! Sessions of the console: sign-in, rights, cross-origin requests, and their end.

use std::sync::Arc;

use serde_json::json;

use crate::admin_access::gateway_with_exposed_admin;
use crate::support::secrets::{
    OPERATOR_TOKEN, VARIABLES, assert_no_secrets, assert_no_secrets_in_folder, assert_no_secrets_in_response,
    configuration as secret_configuration,
};
use crate::support::{
    CLOSED_ORIGIN, FaultyMachine, Gateway, Release, Request, Response, TOKEN, authorized_by, configuration,
    token, wait_until,
};

const SESSION: &str = "/api/v1/session";

/// The headers of a request that a page of the listener sends.
fn from_own_page(request: Request, cookie: &str) -> Request {
    request
        .header("cookie", cookie)
        .header("sec-fetch-site", "same-origin")
}

fn post_session(gateway: &Gateway, token: &str) -> Response {
    gateway.admin_request_as(token, Request::new("POST", SESSION))
}

/// Signs in, and returns the cookie.
fn sign_in(gateway: &Gateway, token: &str) -> String {
    let response = post_session(gateway, token);
    assert_eq!(response.status, 201, "{}", response.text());
    let (cookie, _) = response.header("set-cookie").split_once(';').unwrap();
    cookie.to_owned()
}

fn get(gateway: &Gateway, cookie: &str, target: &str) -> Response {
    gateway.send_admin(from_own_page(Request::new("GET", target), cookie))
}

fn deploy(releases: &serde_json::Value) -> Request {
    let body = json!({ "releases": releases }).to_string();
    Request::new("POST", "/api/v1/deployments").body(body)
}

#[test]
fn sign_in_sets_strict_cookie_without_token() {
    let gateway = Gateway::start();
    let response = post_session(&gateway, TOKEN);
    assert_eq!(response.status, 201);
    let cookie = response.header("set-cookie");
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
    let (name, id) = pair.split_once('=').unwrap();
    assert_eq!((name, id.len()), ("colonnade-session", 43));
    assert!(!cookie.contains(TOKEN));
    let session = response.json();
    assert_eq!(session["token"], format!("name of {TOKEN}"));
    assert_eq!(session["permissions"][0]["sections"], json!(["*"]));
    let again = sign_in(&gateway, TOKEN);
    assert_ne!(again, pair, "two sessions have the same ID");
    assert_eq!(get(&gateway, pair, SESSION).json(), session);
    // A session starts no other session, so that it ends.
    let response = gateway.send_admin(from_own_page(Request::new("POST", SESSION), pair));
    assert_eq!((response.status, response.has("set-cookie")), (200, false));
}

#[test]
fn cookie_over_tls_is_bound_to_the_host() {
    let (gateway, certificate) = gateway_with_exposed_admin("");
    let request = authorized_by(TOKEN, Request::new("POST", SESSION));
    let response = certificate.send(&gateway.admin, request).unwrap();
    let cookie = response.header("set-cookie");
    assert!(cookie.starts_with("__Host-colonnade-session="), "{cookie}");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
}

#[test]
fn session_beyond_100_ends_the_oldest_of_its_token() {
    let gateway = Gateway::start();
    let other = sign_in(&gateway, "token-to-deploy-legal");
    let [oldest, second] = [(); 2].map(|()| sign_in(&gateway, TOKEN));
    for _ in 2..100 {
        sign_in(&gateway, TOKEN);
    }
    let statuses = |cookies: &[&String]| -> Vec<u16> {
        let of = |cookie: &&String| get(&gateway, cookie, SESSION).status;
        cookies.iter().map(of).collect()
    };
    assert_eq!(statuses(&[&other, &oldest, &second]), [200; 3]);
    let newest = sign_in(&gateway, TOKEN);
    assert_eq!(
        statuses(&[&oldest, &other, &second, &newest]),
        [401, 200, 200, 200]
    );
}

#[test]
fn session_has_the_rights_of_its_token() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let cookie = sign_in(&gateway, "token-to-deploy-legal");
    let send = |request| gateway.send_admin(from_own_page(request, &cookie));
    assert_eq!(get(&gateway, &cookie, "/api/v1/sections").status, 200);
    let refused = send(deploy(&json!({ "directory": "2.0.0" })));
    assert_eq!(refused.status, 403, "{}", refused.text());
    let rollback = Request::new("POST", "/api/v1/rollback").body("{\"section\": \"directory\"}");
    assert_eq!(send(rollback).status, 403);
    assert_eq!(send(deploy(&json!({ "legal": "1.0.0" }))).status, 201);
    let history = gateway.admin_get("/api/v1/history");
    assert_eq!(history["entries"][0]["by"], "name of token-to-deploy-legal");
}

#[test]
fn cross_origin_requests_with_the_cookie_are_refused() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let cookie = sign_in(&gateway, TOKEN);
    let own = format!("http://{}", gateway.admin.address());
    let site = format!("http://{}", gateway.site.address());
    let change = || deploy(&json!({ "legal": "1.0.0" })).header("cookie", &cookie);
    let read = || Request::new("GET", "/api/v1/history").header("cookie", &cookie);
    let other = [
        ("sec-fetch-site", "cross-site"),
        // A page of the site listener: another port of the same host is the same site, and gets the cookie.
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
        ("origin", &*site),
        ("origin", "null"),
    ];
    for (name, value) in other {
        for request in [change(), read()] {
            let response = gateway.send_admin(request.header(name, value));
            assert_eq!(response.status, 403, "{name}: {value}");
        }
    }
    // A change without either header is refused as well.
    assert_eq!(gateway.send_admin(change()).status, 403);
    assert_eq!(gateway.send_admin(read()).status, 200);
    assert_eq!(gateway.admin_get("/api/v1/deployments")["live"], 1);
    assert_eq!(gateway.send_admin(change().header("origin", &own)).status, 201);
    // The token itself needs no origin: a page of another origin cannot send it.
    let cli = authorized_by(TOKEN, deploy(&json!({ "legal": null })));
    assert_eq!(gateway.send_admin(cli).status, 201);
}

#[test]
fn signed_out_session_is_unknown() {
    let gateway = Gateway::start();
    let cookie = sign_in(&gateway, TOKEN);
    let other = sign_in(&gateway, TOKEN);
    let response = gateway.send_admin(from_own_page(Request::new("DELETE", SESSION), &cookie));
    assert_eq!(response.status, 204);
    assert!(response.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(get(&gateway, &cookie, SESSION).status, 401);
    assert_eq!(get(&gateway, &other, SESSION).status, 200);
    let event = gateway.wait_for_event(|line| line["cause"] == "session_unknown");
    assert_eq!((&event["status"], &event["token"]), (&json!(401), &json!(null)));
    for action in ["sign_in", "sign_out"] {
        gateway.wait_for_event(|line| line["event"] == "admin_request" && line["action"] == action);
    }
}

#[test]
fn session_ends_with_its_token() {
    let gateway = Gateway::start_with(&token("temporary", &["*"], &["deploy"]), &[]);
    let cookie = sign_in(&gateway, "temporary");
    assert_eq!(get(&gateway, &cookie, SESSION).status, 200);
    gateway.reload(&configuration(""));
    wait_until("the token is revoked", || {
        gateway
            .admin_request_as("temporary", Request::new("GET", SESSION))
            .status
            != 200
    });
    assert_ne!(get(&gateway, &cookie, SESSION).status, 200);
}

#[test]
fn session_expires() {
    let machine = FaultyMachine::new();
    let gateway = machine.start("");
    let cookie = sign_in(&gateway, TOKEN);
    machine.set_clock(12 * 60 * 60 - 600);
    assert_eq!(get(&gateway, &cookie, SESSION).status, 200);
    machine.set_clock(12 * 60 * 60 + 600);
    assert_eq!(get(&gateway, &cookie, SESSION).status, 401);
}

#[test]
fn guessed_sessions_are_rate_limited_and_valid_ones_not() {
    let gateway = Gateway::start();
    let cookie = sign_in(&gateway, TOKEN);
    let statuses: Vec<u16> = (0..12)
        .map(|number| get(&gateway, &format!("colonnade-session=guess{number}"), SESSION).status)
        .collect();
    assert_eq!(statuses, [&[401; 10][..], &[429; 2]].concat());
    assert_eq!(get(&gateway, &cookie, SESSION).status, 200);
}

#[test]
fn session_leaks_no_token() {
    let mut gateway = Gateway::start_live(&secret_configuration(CLOSED_ORIGIN, ""), &VARIABLES);
    let secrets = [OPERATOR_TOKEN];
    let response = post_session(&gateway, OPERATOR_TOKEN);
    assert_eq!(response.status, 201);
    assert_no_secrets_in_response(&response, &secrets);
    let (cookie, _) = response.header("set-cookie").split_once(';').unwrap();
    let (_, id) = cookie.split_once('=').unwrap();
    for target in [
        SESSION,
        "/api/v1/gateway",
        "/api/v1/traffic",
        "/api/v1/history",
        "/console",
    ] {
        let response = gateway
            .admin
            .send(from_own_page(Request::new("GET", target), cookie));
        assert_no_secrets_in_response(&response, &secrets);
        assert!(!response.text().contains(id), "{target}");
    }
    let folder = Arc::new(gateway.store());
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    let output = gateway.output();
    assert!(
        output.contains("\"route\":\"/api/v1/session\""),
        "no log to search"
    );
    assert_no_secrets("the log", output.as_bytes(), &secrets);
    assert!(!output.contains(id), "the log has the session");
    assert_no_secrets_in_folder(&folder);
}
