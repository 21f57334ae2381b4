//! Sign-up without JavaScript: a form in, a redirect or a page out.

use serde_json::{Value, json};

use crate::support::{Act, Backend, CLOSED, Gateway, Request, Response};

fn gateway(backend: &str, more: &str) -> Gateway {
    let extra = format!(
        "[signup]\nbackend = \"{backend}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n\
         redirect_hosts = [\"members.example.com\"]\nattempts_per_client = 1000\n{more}"
    );
    Gateway::start_live(&extra, &[("KEY", "the-key")])
}

fn post(gateway: &Gateway, body: &str) -> Response {
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded");
    gateway.site.send(request.body(body))
}

const SOUND: &str = "email=visitor%40example.com&password=+p%C3%A4ss+%2B&age=30";

/// The page with its error.
fn assert_page(answer: &Response, status: u16, email: &str) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(
        answer
            .header("content-security-policy")
            .contains("; form-action 'self'")
    );
    assert!(!answer.has("etag") && !answer.has("location"));
    let boot = answer.boot();
    assert_eq!(boot["page"]["pattern"], "/signup");
    assert_eq!(
        boot["form"]["page"], "/signup",
        "the address is the one that was posted to"
    );
    assert_eq!(boot["form"]["email"], email);
    assert!(
        boot["form"]["error"]
            .as_str()
            .is_some_and(|words| !words.is_empty())
    );
    assert!(boot["form"].get("password").is_none());
    boot["form"]["error"].clone()
}

/// The same sent by a script.
fn post_json(gateway: &Gateway, body: &Value) -> Response {
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json");
    gateway.site.send(request.body(body.to_string()))
}

#[test]
fn a_form_leads_on() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    let answer = post(&gateway, SOUND);
    assert_eq!((answer.status, answer.header("location")), (303, "/success"));
    assert_eq!(answer.header("cache-control"), "no-store");
    let received = backend.received();
    let (_, body) = received[0].split_once("\r\n\r\n").unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(body).unwrap(),
        json!({ "email": "visitor@example.com", "password": " päss +", "age": 30, "affiliate_subid": "tag" })
    );
    backend.now(Act::json(
        200,
        &json!({ "redirectUrl": "https://members.example.com/hello" }),
    ));
    assert_eq!(
        post(&gateway, SOUND).header("location"),
        "https://members.example.com/hello"
    );
    backend.now(Act::json(200, &json!({ "redirectUrl": "https://evil.example/" })));
    assert_eq!(post(&gateway, SOUND).header("location"), "/success");
    backend.now(Act::json(200, &json!({ "redirectUrl": "/go/example" })));
    assert_eq!(
        post(&gateway, SOUND).header("location"),
        "/success",
        "an affiliate link is never followed unlabelled"
    );
}

#[test]
fn pages_are_the_configured_ones() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = gateway(
        &backend.origin(),
        "page = \"/state/join\"\nsuccess = \"/state/done\"\n",
    );
    assert_eq!(post(&gateway, SOUND).header("location"), "/state/done");
    let refused = post(&gateway, "email=x&password=123456&age=30");
    let boot = refused.boot();
    assert_eq!(
        (refused.status, &boot["page"]["pattern"]),
        (422, &json!("/state/:state"))
    );
    assert_eq!(boot["form"]["page"], "/state/join");
    assert_eq!(boot["site"]["signup"]["page"], "/state/join");
    assert_eq!(boot["site"]["signup"]["success"], "/state/done");
}

#[test]
fn a_refused_form_comes_back_with_its_error_and_the_email_alone() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    let form = |age: &str| format!("email=visitor%40example.com&password=marked-password&age={age}");
    for age in ["", "18.5", "+20", "20%20", "0x20", "1e2", "121"] {
        let answer = post(&gateway, &form(age));
        assert_page(&answer, 422, "visitor@example.com");
        assert!(answer.boot()["form"].get("underAge").is_none(), "{age}");
        assert!(!answer.text().contains("marked-password"));
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
fn somebody_under_age_is_told_so_and_gets_nothing_back() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    for age in ["17", "0", "017", "17.5", "17%2C9", "+17+"] {
        let answer = post(
            &gateway,
            &format!("email=visitor%40example.com&password=marked-password&age={age}"),
        );
        let words = assert_page(&answer, 422, "");
        assert!(words.as_str().unwrap().contains("18 or older"));
        assert_eq!(answer.boot()["form"]["underAge"], true);
        assert!(!answer.text().contains("visitor") && !answer.text().contains("marked-password"));
    }
    let fields = json!({ "email": "visitor@example.com", "password": "marked-password", "age": 17 });
    let answer = post_json(&gateway, &fields);
    let error = answer.json();
    assert_eq!(answer.status, 422);
    assert_eq!(error.as_object().unwrap().keys().collect::<Vec<_>>(), ["error"]);
    assert!(error["error"].as_str().unwrap().contains("18 or older"));
    assert!(backend.received().is_empty());
}

#[test]
fn a_form_from_elsewhere_is_refused_without_being_read() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = gateway(&backend.origin(), "");
    let request = Request::new("POST", "/functions/v1/signup")
        .header("origin", "https://evil.example")
        .header("sec-fetch-site", "cross-site")
        .header("content-type", "application/x-www-form-urlencoded");
    assert_page(&gateway.site.send(request.body(SOUND)), 403, "");
    assert!(backend.received().is_empty());
}

#[test]
fn the_backends_words_stand_on_the_page() {
    let backend = Backend::start(Act::json(409, &json!({ "error": "That address <is> taken." })));
    let gateway = gateway(&backend.origin(), "");
    let answer = post(&gateway, SOUND);
    assert_eq!(
        assert_page(&answer, 409, "visitor@example.com"),
        "That address <is> taken."
    );
    assert!(answer.boot()["form"].get("unreachable").is_none());
}

#[test]
fn out_of_reach_is_a_page_too_and_no_redirect() {
    let gateway = gateway(CLOSED, "");
    let words = assert_page(&post(&gateway, SOUND), 502, "visitor@example.com");
    assert_eq!(words, "Signup failed. Please try again.");
    let none = post(&Gateway::start_live("", &[]), SOUND);
    assert_page(&none, 503, "visitor@example.com");
    assert_eq!(none.boot()["form"]["unreachable"], true);
}

#[test]
fn before_anything_is_live_there_is_still_a_readable_answer() {
    let answer = post(&Gateway::start(), SOUND);
    assert_eq!(answer.status, 503);
    assert!(answer.text().contains("This site is being set up"));
}
