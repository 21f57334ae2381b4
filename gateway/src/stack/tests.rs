use std::convert::Infallible;

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::layer::from_fn;
use super::{guard, stack};
use crate::config::{Limits, Telemetry};
use crate::metrics::Metrics;
use crate::net::{CurrentSettings, Hosts, Settings};
use crate::reply::{Reply, text};
use crate::rescue::Audience;
use crate::telemetry::{Log, Recorder, Traces};

fn person() -> Audience {
    Audience::Person {
        brand: "Brand".into(),
        live: true,
    }
}

fn request(method: Method) -> Request<()> {
    let mut request = Request::new(());
    *request.method_mut() = method;
    let host = HeaderValue::from_static("site.example");
    request.headers_mut().insert(HOST, host);
    request
}

fn recorder() -> Recorder {
    Recorder::new(
        &Telemetry::default(),
        &Log::default(),
        Metrics::default().requests("site"),
        &Traces::none(),
    )
}

fn settings() -> CurrentSettings {
    let settings = Settings {
        limits: Limits::default(),
        hosts: Hosts::Any,
        proxies: Vec::new(),
        proxy_protocol: false,
    };
    settings.shared()
}

fn page(_: Request<()>) -> std::future::Ready<Result<Reply, Infallible>> {
    std::future::ready(Ok(text(StatusCode::OK, "hello")))
}

#[tokio::test]
async fn a_panic_is_answered_without_details() {
    let routes = service_fn(|_: Request<()>| async {
        tokio::task::yield_now().await;
        // Sign-up fields, say, that a slip of ours put into a message.
        assert_eq!("leaked-secret", "", "leaked-secret");
        Ok(text(StatusCode::OK, "never"))
    });
    for audience in [person(), Audience::Operator] {
        let reader = audience.clone();
        let response = stack(recorder(), routes, settings(), move || reader.clone(), false)
            .oneshot(request(Method::GET))
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        for name in [
            "x-content-type-options",
            "content-security-policy",
            "cross-origin-resource-policy",
        ] {
            assert!(response.headers().contains_key(name), "{name}");
        }
        assert!(response.headers().contains_key("x-request-id"));
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains("Something went wrong"), "{body}");
        assert!(!body.contains("leaked-secret"), "{body}");
        // A person gets a page with the site's face, its name and the way home.
        for part in [
            "<style>",
            "<h1>This did not work</h1>",
            "<a class=\"brand\" href=\"/\">",
            "<a class=\"button\" href=\"/\">Return to home</a>",
        ] {
            assert_eq!(body.contains(part), audience == person(), "{part}: {body}");
        }
    }
}

#[tokio::test]
async fn a_panic_before_there_is_anything_to_wait_for_is_answered_too() {
    let routes =
        service_fn(|_: Request<()>| -> std::future::Ready<Result<Reply, Infallible>> { panic!("at once") });
    let guarded = from_fn(|request, next| guard::answer(request, next, person)).layer(routes);
    let response = guarded.oneshot(request(Method::GET)).await.unwrap();
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn head_has_the_length_of_get_and_no_body() {
    let service = stack(recorder(), service_fn(page), settings(), person, false);
    let get = service.clone().oneshot(request(Method::GET)).await.unwrap();
    assert_eq!(get.into_body().collect().await.unwrap().to_bytes(), "hello\n");
    let head = service.oneshot(request(Method::HEAD)).await.unwrap();
    assert_eq!(head.headers()["content-length"], "6");
    assert_eq!(head.into_body().collect().await.unwrap().to_bytes(), Bytes::new());
}

#[tokio::test]
async fn every_answer_has_an_id_of_its_own() {
    let service = stack(recorder(), service_fn(page), settings(), person, false);
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..8 {
        let response = service.clone().oneshot(request(Method::GET)).await.unwrap();
        ids.insert(response.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 8);
}

#[tokio::test]
async fn only_who_came_by_tls_is_told_to_come_that_way() {
    for is_secure in [true, false] {
        let service = stack(recorder(), service_fn(page), settings(), person, is_secure);
        let response = service.oneshot(request(Method::GET)).await.unwrap();
        assert_eq!(
            response.headers().contains_key("strict-transport-security"),
            is_secure
        );
    }
}
