//! Purges, and invalidation by unsafe methods.

use http::header::LOCATION;
use http::{HeaderMap, Method, Request, StatusCode, request};

use super::{CacheOutcome, Gateway, Reply, receive, seconds, settle};

fn slow() -> Gateway {
    Gateway::new(|number, _| {
        let headers = &[("cache-control", "max-age=600, stale-while-revalidate=600")];
        Reply::new(200, headers, &number.to_string()).after(seconds(1))
    })
}

fn request(method: &Method, path: &str) -> request::Parts {
    let request = Request::builder().method(method).uri(path);
    request.body(()).expect("a request").into_parts().0
}

#[tokio::test(start_paused = true)]
async fn purge_removes_responses_by_prefix() {
    let gateway = Gateway::replying(200, &[("cache-control", "max-age=600")]);
    let paths = [
        "/api/events",
        "/api/events?page=2",
        "/api/%65vents/1",
        "/api/news",
    ];
    for path in paths {
        gateway.get(path, &[]).await;
    }
    assert_eq!(gateway.cache.purge("/api/other"), 0);
    assert_eq!(gateway.cache.purge("/api/events/"), 1);
    assert_eq!(gateway.cache.purge("/api/events"), 2);
    for (path, expected) in paths.into_iter().zip([
        CacheOutcome::Miss,
        CacheOutcome::Miss,
        CacheOutcome::Miss,
        CacheOutcome::Hit,
    ]) {
        assert_eq!(gateway.get(path, &[]).await.outcome, expected, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn purge_aborts_storing_of_earlier_requests() {
    let gateway = slow();
    let before = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.get("/api/a", &[]).await }
    });
    settle().await;
    gateway.cache.purge("/api/");
    // A request after the purge does not wait for one before it.
    let after = gateway.get("/api/a", &[]).await;
    assert_eq!(
        (after.outcome, after.body.as_deref()),
        (CacheOutcome::Miss, Ok("1"))
    );
    assert_eq!(before.await.unwrap().body.as_deref(), Ok("0"));
    // Only the later response was stored.
    assert_eq!(
        gateway.outcome("/api/a", &[]).await,
        (CacheOutcome::Hit, "1".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn purge_aborts_revalidation_in_the_background() {
    let gateway = slow();
    gateway.get("/api/a", &[]).await;
    tokio::time::sleep(seconds(600)).await;
    assert_eq!(gateway.get("/api/a", &[]).await.outcome, CacheOutcome::Stale);
    settle().await;
    assert_eq!(gateway.cache.purge("/api/a"), 1);
    tokio::time::sleep(seconds(2)).await;
    assert_eq!(
        gateway.outcome("/api/a", &[]).await,
        (CacheOutcome::Miss, "2".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn unsafe_method_invalidates_its_url() {
    // RFC 9111, section 4.4.
    for (method, status, headers, expected) in [
        (Method::POST, 200, None, CacheOutcome::Miss),
        (Method::DELETE, 303, None, CacheOutcome::Miss),
        (Method::POST, 500, None, CacheOutcome::Hit),
        (Method::POST, 404, None, CacheOutcome::Hit),
        (Method::OPTIONS, 200, None, CacheOutcome::Hit),
    ]
    .into_iter()
    .chain([
        (
            Method::POST,
            201,
            Some(("content-location", "/api/a")),
            CacheOutcome::Miss,
        ),
        (
            Method::POST,
            303,
            Some(("location", "/api/a")),
            CacheOutcome::Miss,
        ),
        (
            Method::POST,
            303,
            Some(("location", "/api/a#thanks")),
            CacheOutcome::Miss,
        ),
        // It is not the upstream's.
        (
            Method::POST,
            303,
            Some(("location", "//api/a")),
            CacheOutcome::Hit,
        ),
    ]) {
        let gateway = slow();
        gateway.get("/api/a", &[]).await;
        let path = if headers.is_some() { "/api/b" } else { "/api/a" };
        let request = request(&method, path);
        let mut response = HeaderMap::new();
        if let Some((name, value)) = headers {
            response.insert(name, value.parse().unwrap());
        }
        let status = StatusCode::from_u16(status).unwrap();
        gateway.cache.record_forwarded(&request, status, &mut response);
        let expected_status = format!("colonnade; fwd=method; fwd-status={}", status.as_u16());
        assert_eq!(response["cache-status"], expected_status);
        assert_eq!(
            gateway.get("/api/a", &[]).await.outcome,
            expected,
            "{method} {status} {headers:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn unsafe_method_keeps_responses_of_other_upstreams() {
    // The upstreams of the tests serve `/api/events` and the rest of `/api`.
    for (path, location, expected) in [
        ("/api/b", "/api/events/7", CacheOutcome::Hit),
        ("/api/b", "/api/%65vents/7", CacheOutcome::Hit),
        ("/api/events", "/api/b", CacheOutcome::Hit),
        ("/api/events", "/api/events/7?a", CacheOutcome::Miss),
        ("/api/%65vents", "/api/events/7", CacheOutcome::Miss),
        ("/api/b", "/api/eventsource", CacheOutcome::Miss),
    ] {
        let gateway = slow();
        gateway.get(location, &[]).await;
        let request = request(&Method::POST, path);
        let mut response = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
        gateway
            .cache
            .record_forwarded(&request, StatusCode::CREATED, &mut response);
        let outcome = gateway.get(location, &[]).await.outcome;
        assert_eq!(outcome, expected, "{path} {location}");
    }
}

#[tokio::test(start_paused = true)]
async fn invalidation_aborts_storing_of_earlier_requests() {
    let gateway = slow();
    let before = gateway.serve("GET", "/api/a", &[]);
    let invalidate = async {
        settle().await;
        let request = request(&Method::POST, "/api/a");
        gateway
            .cache
            .record_forwarded(&request, StatusCode::OK, &mut HeaderMap::new());
    };
    let (before, ()) = tokio::join!(before, invalidate);
    receive(before.unwrap()).await;
    assert_eq!(gateway.get("/api/a", &[]).await.outcome, CacheOutcome::Miss);
}
