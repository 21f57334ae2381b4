//! Sign-up without JavaScript: a form post returns a redirect or a page.

use serde_json::{Value, json};

use crate::support::{Backend, CLOSED_ORIGIN, CLOSED_SIGNUP, Gateway, Reply, Request, Response};

fn gateway(backend: &str, more: &str) -> Gateway {
    let extra = format!(
        "[signup]\nbackend = \"{backend}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n\
         allowed_redirect_hosts = [\"members.example.com\"]\nrate_limit_per_client_per_minute = 1000\n{more}"
    );
    Gateway::start_live(&extra, &[("KEY", "the-key")])
}

fn post(gateway: &Gateway, body: &str) -> Response {
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded");
    gateway.site.send(request.body(body))
}

const VALID_FORM: &str = "email=visitor%40example.com&password=+p%C3%A4ss+%2B&age=30";

/// Checks that a response is the form page with an error, and returns the error.
fn assert_page(response: &Response, status: u16, email: &str) -> Value {
    assert_eq!(response.status, status, "{}", response.text());
    assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(response.header("cache-control"), "no-store, no-transform");
    assert!(
        response
            .header("content-security-policy")
            .contains("; form-action 'self'")
    );
    assert!(!response.has("etag") && !response.has("location"));
    let boot = response.boot();
    assert_eq!(boot["page"]["pattern"], "/signup");
    assert_eq!(
        boot["form"]["page"], "/signup",
        "the form page must match the configuration"
    );
    assert_eq!(boot["form"]["values"], json!({ "email": email }));
    assert!(
        boot["form"]["message"]
            .as_str()
            .is_some_and(|message| !message.is_empty())
    );
    boot["form"]["message"].clone()
}

/// Sends a JSON sign-up.
fn post_json(gateway: &Gateway, body: &Value) -> Response {
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json");
    gateway.site.send(request.body(body.to_string()))
}

#[test]
fn form_post_redirects_to_success_page() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    let response = post(&gateway, VALID_FORM);
    assert_eq!((response.status, response.header("location")), (303, "/success"));
    assert_eq!(response.header("cache-control"), "no-store");
    let received = backend.received();
    let (_, body) = received[0].split_once("\r\n\r\n").unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(body).unwrap(),
        json!({ "email": "visitor@example.com", "password": " päss +", "age": 30, "affiliate_subid": "tag" })
    );
    backend.set_reply(Reply::json(
        200,
        &json!({ "redirectUrl": "https://members.example.com/hello" }),
    ));
    assert_eq!(
        post(&gateway, VALID_FORM).header("location"),
        "https://members.example.com/hello"
    );
    backend.set_reply(Reply::json(
        200,
        &json!({ "redirectUrl": "https://evil.example/" }),
    ));
    assert_eq!(post(&gateway, VALID_FORM).header("location"), "/success");
    backend.set_reply(Reply::json(200, &json!({ "redirectUrl": "/go/example" })));
    assert_eq!(
        post(&gateway, VALID_FORM).header("location"),
        "/success",
        "the redirect must not lead to an affiliate link"
    );
}

#[test]
fn form_uses_configured_pages() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway(
        &backend.origin(),
        "form_path = \"/state/join\"\nsuccess_path = \"/state/done\"\n",
    );
    assert_eq!(post(&gateway, VALID_FORM).header("location"), "/state/done");
    let rejected = post(&gateway, "email=x&password=123456&age=30");
    let boot = rejected.boot();
    assert_eq!(
        (rejected.status, &boot["page"]["pattern"]),
        (422, &json!("/state/:state"))
    );
    assert_eq!(boot["form"]["page"], "/state/join");
    assert_eq!(boot["site"]["integrations"]["signup"]["page"], "/state/join");
    assert_eq!(boot["site"]["integrations"]["signup"]["success"], "/state/done");
}

#[test]
fn rejected_form_shows_error_and_only_email() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    let form = |age: &str| format!("email=visitor%40example.com&password=marked-password&age={age}");
    for age in ["", "18.5", "+20", "20%20", "0x20", "1e2", "121"] {
        let response = post(&gateway, &form(age));
        assert_page(&response, 422, "visitor@example.com");
        assert!(response.boot()["form"].get("code").is_none(), "{age}");
        assert!(!response.text().contains("marked-password"));
    }
    let hostile = post(&gateway, "email=%3C%2Fscript%3E%3Cb%3E&password=123456&age=30");
    assert_page(&hostile, 422, "</script><b>");
    assert!(!hostile.text().contains("</script><b>"));
    for (body, status) in [
        ("", 400),
        ("email=a%40b.co&age=20", 400),
        ("age=20&age=21", 400),
        ("password=%F0%28", 400),
    ] {
        assert_eq!(post(&gateway, body).status, status, "{body}");
    }
    assert_page(&post(&gateway, &"x".repeat(9_000)), 413, "");
    assert!(backend.received().is_empty());
}

#[test]
fn underage_form_shows_error_without_input() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    for age in ["17", "0", "017", "17.5", "17%2C9", "+17+"] {
        let response = post(
            &gateway,
            &format!("email=visitor%40example.com&password=marked-password&age={age}"),
        );
        let error = assert_page(&response, 422, "");
        assert!(error.as_str().unwrap().contains("18 or older"));
        assert_eq!(response.boot()["form"]["code"], "under_age");
        assert!(!response.text().contains("visitor") && !response.text().contains("marked-password"));
    }
    let fields = json!({ "email": "visitor@example.com", "password": "marked-password", "age": 17 });
    let response = post_json(&gateway, &fields);
    let error = response.json();
    assert_eq!(response.status, 422);
    assert_eq!(
        error.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["error", "stopped"]
    );
    assert!(error["error"].as_str().unwrap().contains("18 or older"));
    assert!(backend.received().is_empty());
}

#[test]
fn cross_origin_form_is_rejected_unread() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    let request = Request::new("POST", "/functions/v1/signup")
        .header("origin", "https://evil.example")
        .header("sec-fetch-site", "cross-site")
        .header("content-type", "application/x-www-form-urlencoded");
    assert_page(&gateway.site.send(request.body(VALID_FORM)), 403, "");
    assert!(backend.received().is_empty());
}

#[test]
fn backend_error_is_shown_on_form_page() {
    let backend = Backend::start(Reply::json(409, &json!({ "error": "That address <is> taken." })));
    let gateway = gateway(&backend.origin(), "");
    let response = post(&gateway, VALID_FORM);
    assert_eq!(
        assert_page(&response, 409, "visitor@example.com"),
        "That address <is> taken."
    );
    assert!(response.boot()["form"].get("code").is_none());
}

#[test]
fn unreachable_backend_shows_form_page() {
    let gateway = gateway(CLOSED_ORIGIN, "");
    let response = post(&gateway, VALID_FORM);
    let error = assert_page(&response, 502, "visitor@example.com");
    assert_eq!(error, "Signup failed. Please try again.");
    assert_eq!(response.boot()["form"]["code"], "unreachable");
}

#[test]
fn signup_without_its_table_is_an_unknown_path() {
    let gateway = Gateway::start_live("", &[]);
    let other = |method| gateway.site.send(Request::new(method, "/functions/v1/other"));
    for (response, expected) in [
        (post(&gateway, VALID_FORM), other("POST")),
        (post_json(&gateway, &json!({ "age": 17 })), other("POST")),
        (gateway.get("/functions/v1/signup"), other("GET")),
    ] {
        assert_eq!(
            (response.status, response.text(), response.header_values("allow")),
            (expected.status, expected.text(), expected.header_values("allow"))
        );
    }
    let integrations = gateway.get("/signup").boot()["site"]["integrations"].clone();
    assert_eq!(integrations, json!({}));
    let names = gateway.admin.get("/metrics").text();
    assert!(!names.contains("route=\"/functions/v1/signup\""), "{names}");
}

#[test]
fn form_post_without_live_deployment_returns_503_page() {
    let response = post(&Gateway::start_with(CLOSED_SIGNUP, &[]), VALID_FORM);
    assert_eq!(response.status, 503);
    assert!(response.text().contains("This site is being set up"));
}
