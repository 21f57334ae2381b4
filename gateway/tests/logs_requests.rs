//! Which requests are logged, and how a visitor names a request.

use serde_json::Value;

use crate::support::{Gateway, Request};

#[test]
fn request_event_names_its_listener() {
    let gateway = Gateway::start();
    for (client, listener) in [(gateway.site, "site"), (gateway.admin, "admin")] {
        let response = client.get("/readyz");
        assert_eq!(gateway.request_event(&response)["listener"], listener);
    }
}

#[test]
fn health_checks_can_be_left_out_of_the_log() {
    let gateway = Gateway::start_with("[telemetry]\nlog_health_checks = false\n", &[]);
    for client in [gateway.site, gateway.admin] {
        for target in ["/healthz", "/readyz"] {
            client.get(target);
        }
        gateway.request_event(&client.send(Request::new("GET", "/nowhere")));
    }
    let output = gateway.output();
    let events = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let health = events.filter(|event| event["route"] == "/healthz" || event["route"] == "/readyz");
    assert_eq!(health.collect::<Vec<_>>(), Vec::<Value>::new());
    for listener in ["site", "admin"] {
        let sample = format!(
            "colonnade_http_requests_total{{listener=\"{listener}\",route=\"/healthz\",code_class=\"2xx\"}}"
        );
        assert_eq!(gateway.metric(&sample), 1, "the metrics count them");
    }
}

#[test]
fn error_page_shows_the_request_id() {
    let gateway = Gateway::start();
    for request in [
        Request::new("GET", "/"),
        Request::new("GET", "/state/%F0%28"),
        Request::new("GET", "/").header("host", "a b"),
    ] {
        let response = gateway.site.send(request);
        assert!(response.status >= 400, "{}", response.status);
        let id = response.header("x-request-id");
        let text = response.text();
        assert!(text.contains(&format!("<p>Request ID: {id}</p>")), "{text}");
    }
}
