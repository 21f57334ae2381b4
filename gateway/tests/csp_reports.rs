//! CSP violation reports.

use serde_json::{Value, json};

use crate::support::{Gateway, Request, Response, attack};

const SINGLE: &str = "application/csp-report";
const LIST: &str = "application/reports+json";

fn report(gateway: &Gateway, media_type: &str, body: &str) -> Response {
    let request = Request::new("POST", "/_csp")
        .header("content-type", media_type)
        .body(body);
    gateway.site.send(request)
}

fn single(directive: &str) -> String {
    json!({ "csp-report": {
        "document-uri": "https://site.example/city/secret-place?q=secret-query",
        "effective-directive": directive, "blocked-uri": "https://secret.example/", "script-sample": "secret-sample",
        "original-policy": "default-src 'none'",
    } })
    .to_string()
}

fn listed(directive: &str) -> Value {
    json!({
        "type": "csp-violation", "age": 10, "url": "https://site.example/secret-place", "user_agent": "secret-agent",
        "body": { "effectiveDirective": directive, "sample": "secret-sample", "disposition": "enforce" },
    })
}

fn count(gateway: &Gateway, directive: &str) -> u64 {
    gateway.metric(&format!(
        "colonnade_csp_violations_total{{directive=\"{directive}\"}}"
    ))
}

#[test]
fn csp_reports_are_counted_by_directive_only() {
    let gateway = Gateway::start_live("", &[]);
    for _ in 0..2 {
        let response = report(&gateway, SINGLE, &single("script-src-elem"));
        assert_eq!((response.status, response.body.len()), (204, 0));
    }
    let list = json!([
        listed("require-trusted-types-for"),
        listed("secret-directive"),
        { "type": "deprecation", "body": { "id": "secret-id" } },
    ]);
    assert_eq!(report(&gateway, LIST, &list.to_string()).status, 204);
    assert_eq!(
        report(
            &gateway,
            "Application/CSP-Report; charset=utf-8",
            &single("img-src")
        )
        .status,
        204
    );
    assert_eq!(count(&gateway, "script-src-elem"), 2);
    assert_eq!(count(&gateway, "require-trusted-types-for"), 1);
    assert_eq!(count(&gateway, "img-src"), 1);
    assert_eq!(count(&gateway, "other"), 1);
    let metrics = gateway.admin.get("/metrics").text();
    let response = gateway.get("/");
    gateway.request_event(&response);
    let log = gateway.output();
    assert!(log.contains("\"/_csp\""));
    assert!(!metrics.contains("secret") && !log.contains("secret"));
}

#[test]
fn invalid_csp_report_is_rejected() {
    let gateway = Gateway::start_live("", &[]);
    for (media_type, body, status) in [
        ("application/json", &*single("img-src"), 415),
        ("text/plain", &single("img-src"), 415),
        (SINGLE, "{}", 400),
        (SINGLE, "not JSON", 400),
        (SINGLE, "[]", 400),
        (LIST, "{}", 400),
        (LIST, "[1]", 400),
        (
            SINGLE,
            &format!("{{\"csp-report\": {}", " ".repeat(8 * 1024)),
            413,
        ),
    ] {
        assert_eq!(
            report(&gateway, media_type, body).status,
            status,
            "{media_type} {body:.30}"
        );
    }
    assert_eq!(
        gateway.site.send(Request::new("POST", "/_csp").body("{}")).status,
        415
    );
    let get = gateway.get("/_csp");
    assert_eq!((get.status, get.header("allow")), (405, "POST, OPTIONS"));
    assert_eq!(count(&gateway, "img-src"), 0);
}

#[test]
fn csp_report_preflight_is_not_allowed() {
    let gateway = Gateway::start_live("", &[]);
    // Both media types require a CORS preflight, which must not allow the origin.
    let request = Request::new("OPTIONS", "/_csp")
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type");
    let response = gateway.site.send(request);
    assert!(!response.has("access-control-allow-origin"));
}

#[test]
fn csp_reports_are_rate_limited_per_client() {
    let gateway = Gateway::start_live("", &[]);
    let report = || report(&gateway, SINGLE, &single("img-src")).status;
    let statuses: Vec<u16> = attack(&gateway, || (0..25).map(|_| report()).collect());
    assert_eq!(statuses, [[204].repeat(20), [429].repeat(5)].concat());
    let other = Request::new("POST", "/_csp")
        .header("content-type", SINGLE)
        .body(single("img-src"));
    let other = gateway.site.with_source_ip([127, 0, 0, 9].into()).send(other);
    assert_eq!(other.status, 204);
}
