//! Requests and responses pass between visitors and an upstream.

use http::Response;
use serde_json::json;

use crate::support::{Gateway, Request, Upstream, upstream_table};

#[test]
fn request_and_response_are_forwarded() {
    let upstream = Upstream::start(|request| {
        let body = json!({ "path": request.target, "length": request.body.len() });
        let response = Response::builder()
            .status(201)
            .header("content-type", "application/json");
        response.body(body.to_string().into()).unwrap()
    });
    let keys = "methods = [\"GET\", \"POST\"]";
    let gateway = Gateway::start_with(
        &upstream_table(&[&format!("{}/v1", upstream.origin())], keys),
        &[],
    );
    let request = Request::new("POST", "/api/events/a%20b/?x=1&y=%2F")
        .header("sec-fetch-site", "same-origin")
        .header("x-own", "kept")
        .body("the body");
    let response = gateway.site.send(request);
    assert_eq!(response.status, 201, "{response:?}");
    assert_eq!(
        response.json(),
        json!({ "path": "/v1/a%20b/?x=1&y=%2F", "length": 8 })
    );
    let received = upstream.only_request();
    assert_eq!(
        (received.method.as_str(), &*received.body),
        ("POST", &b"the body"[..])
    );
    assert_eq!(received.values("x-own"), ["kept"]);
    let event = gateway.request_event(&response);
    assert_eq!(
        (&event["upstream"], &event["route"]),
        (&json!("events"), &json!("/api"))
    );
    let sample = "colonnade_upstream_requests_total{upstream=\"events\",outcome=\"2xx\"}";
    assert_eq!(gateway.metric(sample), 1);
}
