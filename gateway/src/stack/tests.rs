use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use colonnade_config::TelemetrySettings;
use colonnade_edge::middleware::catch_panic;
use colonnade_edge::{AllowedHosts, CurrentSettings, Limits, Settings};
use colonnade_telemetry::{Log, Recorder, Traces};
use colonnade_web::middleware::from_fn;
use colonnade_web::plain_page::PlainFrame;
use colonnade_web::problem::Audience;
use colonnade_web::response::{Response, text};
use http::header::HOST;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::stack;
use crate::metrics::Metrics;

fn person() -> Audience {
    Audience::Person {
        frame: PlainFrame {
            brand: "Brand".into(),
            footer: Box::default(),
        }
        .into(),
        live: true,
        back: None,
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
        &TelemetrySettings::default(),
        &Log::default(),
        Metrics::new(&Log::default()).requests.for_listener("site", []),
        &Traces::none(),
        Arc::default(),
    )
}

fn settings() -> CurrentSettings {
    let settings = Settings {
        is_tls: false,
        limits: Limits::default(),
        allowed_hosts: AllowedHosts::Any,
        trusted_proxies: Vec::new(),
        proxy_protocol: false,
        hsts: HeaderValue::from_static("max-age=1"),
    };
    settings.into_current()
}

fn page(_: Request<()>) -> std::future::Ready<Result<Response, Infallible>> {
    std::future::ready(Ok(text(StatusCode::OK, "hello")))
}

#[tokio::test]
async fn panic_response_has_no_details() {
    let routes = service_fn(|_: Request<()>| async {
        tokio::task::yield_now().await;
        // A panic message could contain sign-up fields.
        assert_eq!("leaked-secret", "", "leaked-secret");
        Ok(text(StatusCode::OK, "never"))
    });
    for (audience, text) in [
        (person(), "Something went wrong"),
        (Audience::Operator, "internal error"),
    ] {
        let reader = audience.clone();
        let response = stack(
            recorder(),
            routes,
            settings(),
            move || reader.clone(),
            |_, _| (),
            false,
        )
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
        assert!(body.contains(text), "{body}");
        assert!(!body.contains("leaked-secret"), "{body}");
        // Visitors get a page in the site's style with its name and a link home.
        for part in [
            "<style>",
            "<h1>Something went wrong</h1>",
            "<a class=\"brand\" href=\"/\">",
            "<a class=\"button\" href=\"/\">Return to home</a>",
        ] {
            assert_eq!(body.contains(part), audience == person(), "{part}: {body}");
        }
    }
}

#[tokio::test]
async fn panic_before_first_await_gets_response() {
    let routes = service_fn(
        |_: Request<()>| -> std::future::Ready<Result<Response, Infallible>> { panic!("at once") },
    );
    let guarded = from_fn(|request, next| catch_panic(request, next, person)).layer(routes);
    let response = guarded.oneshot(request(Method::GET)).await.unwrap();
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn head_has_content_length_of_get_without_body() {
    let service = stack(recorder(), service_fn(page), settings(), person, |_, _| (), false);
    let get = service.clone().oneshot(request(Method::GET)).await.unwrap();
    assert_eq!(get.into_body().collect().await.unwrap().to_bytes(), "hello\n");
    let head = service.oneshot(request(Method::HEAD)).await.unwrap();
    assert_eq!(head.headers()["content-length"], "6");
    assert_eq!(head.into_body().collect().await.unwrap().to_bytes(), Bytes::new());
}

#[tokio::test]
async fn each_response_has_unique_request_id() {
    let service = stack(recorder(), service_fn(page), settings(), person, |_, _| (), false);
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..8 {
        let response = service.clone().oneshot(request(Method::GET)).await.unwrap();
        ids.insert(response.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 8);
}

#[tokio::test]
async fn hsts_is_sent_only_over_tls() {
    for is_secure in [true, false] {
        let service = stack(
            recorder(),
            service_fn(page),
            settings(),
            person,
            |_, _| (),
            is_secure,
        );
        let response = service.oneshot(request(Method::GET)).await.unwrap();
        assert_eq!(
            response.headers().get("strict-transport-security").cloned(),
            is_secure.then(|| settings().load().hsts.clone())
        );
    }
}
