use std::future::poll_fn;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use colonnade_config::TelemetrySettings;
use colonnade_edge::middleware::catch_panic;
use colonnade_edge::{AllowedHosts, ConnectionHandle, CurrentSettings, Limits, Settings};
use colonnade_site::Site;
use colonnade_telemetry::{Exporter, Log, RecordedBody, Recorder};
use colonnade_web::body::RequestBody;
use colonnade_web::client::Client;
use colonnade_web::plain_page::PlainFrame;
use colonnade_web::problem::Audience;
use colonnade_web::request::Head;
use colonnade_web::response::{Response, text};
use http::header::HOST;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;

use super::{Routes, Stack};
use crate::metrics::Metrics;

/// Routes with a page, for this audience.
struct Page(Audience);

impl Routes<()> for Page {
    async fn handle(&self, _: &Head, (): ()) -> Response {
        text(StatusCode::OK, "hello")
    }

    fn audience(&self) -> Audience {
        self.0.clone()
    }
}

/// Routes that panic, for this audience.
struct Panicking(Audience);

impl Routes<()> for Panicking {
    async fn handle(&self, _: &Head, (): ()) -> Response {
        tokio::task::yield_now().await;
        // A panic message could contain what a visitor typed.
        assert_eq!("leaked-secret", "", "leaked-secret");
        text(StatusCode::OK, "never")
    }

    fn audience(&self) -> Audience {
        self.0.clone()
    }
}

fn person() -> Audience {
    Audience::Person {
        frame: PlainFrame {
            brand: "Brand".into(),
            footer: Box::default(),
            language: Box::default(),
        }
        .into(),
        live: true,
        back: None,
    }
}

fn recorder() -> Recorder {
    Recorder::new(
        &TelemetrySettings::default(),
        &Log::default(),
        Metrics::new(&Log::default())
            .requests
            .for_listener("site", &[], false),
        &Exporter::none(),
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
        hsts: http::HeaderValue::from_static("max-age=1"),
        websocket: false,
    };
    settings.into_current()
}

fn stack<R>(routes: R, is_secure: bool) -> Stack<R> {
    Stack {
        recorder: recorder(),
        settings: settings(),
        is_secure,
        shedder: None,
        routes,
    }
}

async fn send<R: Routes<()>>(stack: &Stack<R>, method: Method) -> http::Response<RecordedBody> {
    let request = Request::builder().method(method).header(HOST, "site.example");
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let client = Client {
        address: Ipv4Addr::LOCALHOST.into(),
        is_proxied: false,
        certificate: None,
    };
    stack.run(&Head { parts, client }, (), None).await
}

/// The C library keeps blocks of up to 1,032 bytes in a cache of each thread. That of a request has its
/// head, the future and what its connection adds.
#[test]
fn request_future_fits_into_cached_block() {
    fn size<F>(
        _: impl Fn(&'static Stack<Arc<Site>>, &'static Head, RequestBody, Option<ConnectionHandle>) -> F,
    ) -> usize {
        size_of::<F>()
    }
    let bytes = size_of::<Head>() + size(Stack::run);
    assert!(bytes <= 900, "{bytes}");
}

#[tokio::test]
async fn panic_response_has_no_details() {
    for (audience, text) in [
        (person(), "Something went wrong"),
        (Audience::Operator, "internal error"),
    ] {
        let response = send(&stack(Panicking(audience.clone()), false), Method::GET).await;
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
    let response = pin!(poll_fn(|_| -> Poll<Response> { panic!("at once") }));
    let response = catch_panic(response, person).await;
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn head_has_content_length_of_get_without_body() {
    let stack = stack(Page(person()), false);
    let get = send(&stack, Method::GET).await;
    assert_eq!(get.into_body().collect().await.unwrap().to_bytes(), "hello\n");
    let head = send(&stack, Method::HEAD).await;
    assert_eq!(head.headers()["content-length"], "6");
    assert_eq!(head.into_body().collect().await.unwrap().to_bytes(), Bytes::new());
}

#[tokio::test]
async fn each_response_has_unique_request_id() {
    let stack = stack(Page(person()), false);
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..8 {
        let response = send(&stack, Method::GET).await;
        ids.insert(response.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 8);
}

#[tokio::test]
async fn hsts_is_sent_only_over_tls() {
    for is_secure in [true, false] {
        let response = send(&stack(Page(person()), is_secure), Method::GET).await;
        assert_eq!(
            response.headers().get("strict-transport-security").cloned(),
            is_secure.then(|| settings().load().hsts.clone())
        );
    }
}
