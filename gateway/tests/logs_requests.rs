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
            "colonnade_http_requests_total{{listener=\"{listener}\",kind=\"health\",code_class=\"2xx\"}}"
        );
        assert_eq!(gateway.metric(&sample), 1, "the metrics count them");
    }
}

/// The events of requests with this listener.
fn requests(gateway: &Gateway) -> Vec<Value> {
    let output = gateway.output();
    let events = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["event"] == "request" && event["listener"] == "site")
        .collect()
}

#[test]
fn only_server_errors_are_logged_if_configured() {
    // Without a live deployment, documents are 503.
    let gateway = Gateway::start_with("[telemetry]\nlog_requests = \"errors\"\n", &[]);
    assert_eq!(gateway.get("/assets/nothing").status, 404);
    let failed = gateway.get("/");
    assert_eq!(failed.status, 503);
    assert_eq!(gateway.request_event(&failed)["level"], "ERROR");
    assert_eq!(requests(&gateway).len(), 1, "{}", gateway.output());
}

#[test]
fn share_of_requests_is_logged_with_path_templates() {
    let keys = "[telemetry]\nlog_requests_percent = 50\nlog_path_templates = true\n";
    let gateway = Gateway::start_with(keys, &[]);
    for number in 0..200 {
        gateway.get(&format!("/assets/wp-login.php/{number}?secret=1"));
    }
    let failed = gateway.get("/users/Jane");
    assert_eq!(gateway.request_event(&failed)["path"], "/users/*");
    let logged = requests(&gateway);
    // At random: fewer than 40 or more than 160 are as likely as to guess a key.
    assert!((40..160).contains(&logged.len()), "{}", logged.len());
    let first = &logged[0];
    assert_eq!(
        (&first["level"], &first["path"]),
        (&"INFO".into(), &"/assets/wp-login.php/*".into())
    );
    assert!(!gateway.output().contains("secret"));
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
