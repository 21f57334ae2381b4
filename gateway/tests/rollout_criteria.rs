//! Criteria of rollouts that Prometheus answers.

use serde_json::{Value, json};

use crate::support::{Backend, CLOSED_ORIGIN, Gateway, Prometheus, Release, Reply};

/// Steps end without requests.
const SETTINGS: &str = "[rollout.analysis]\nmin_requests = 0\nmax_extensions = 0\n";

/// A criterion about failed orders.
fn criterion(query: &str, limit: &str) -> String {
    format!("[[rollout.criteria]]\nname = \"orders\"\nquery = '{query}'\n{limit}\n")
}

/// A gateway that rolls out version 2.0.0 of `directory` in steps.
fn gateway(url: &str, criterion: &str, steps: &str) -> Gateway {
    let server = format!("[prometheus]\nurl = \"{url}\"\nbearer_token = {{ env = \"TOKEN\" }}\n");
    let extra = [SETTINGS, criterion, &server].concat();
    let gateway = Gateway::start_live(&extra, &[("TOKEN", "the-bearer-token")]);
    gateway.publish(&Release::section(
        "directory",
        "2.0.0",
        &["/", "/state/:state", "/signup"],
    ));
    let rollout = json!({ "releases": { "directory": "2.0.0" }, "steps": steps });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    gateway
}

/// The answer of the API of Prometheus with these samples.
fn samples(values: &[&str]) -> Reply {
    let samples: Vec<Value> = values
        .iter()
        .map(|value| json!({ "metric": {}, "value": [1_700_000_000.5, value] }))
        .collect();
    let data = json!({ "resultType": "vector", "result": samples });
    Reply::json(200, &json!({ "status": "success", "data": data }))
}

#[test]
fn result_above_its_limit_aborts_rollout() {
    let server = Backend::start(samples(&["0.5"]));
    let query =
        "failed{section=\"$section\",version=\"$version\",track=\"$track\",deployment=\"$deployment\"}";
    let gateway = gateway(
        &server.origin(),
        &criterion(query, "max = 0.1"),
        "50% for 1h, 100%",
    );
    let abort = gateway.wait_for_own_change();
    assert_eq!(abort["action"], "automatic-abort");
    assert_eq!(abort["reason"], "`orders` of directory is 0.5, of at most 0.1");
    let query = json!({ "name": "orders", "section": "directory", "candidate": 0.5, "live": null });
    assert_eq!(abort["figures"]["queries"], json!([query]));
    let request = &server.received()[0];
    assert!(
        request.starts_with("POST /api/v1/query HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.contains("authorization: Bearer the-bearer-token\r\n"),
        "{request}"
    );
    let (_, form) = request.split_once("\r\n\r\n").unwrap();
    let (_, asked) = url::form_urlencoded::parse(form.as_bytes()).next().unwrap();
    assert_eq!(
        asked,
        "failed{section=\"directory\",version=\"2.0.0\",track=\"candidate\",deployment=\"2\"}"
    );
    assert!(!gateway.output().contains("the-bearer-token"));
}

#[test]
fn missing_data_pauses_step_until_it_is_there() {
    let server = Backend::start(samples(&[]));
    let gateway = gateway(
        &server.origin(),
        &criterion("failed", "max = 0.1"),
        "50% for 1s, 100%",
    );
    let reason = gateway.wait_for_pause();
    assert!(
        reason.starts_with("end of step 1 of 1, 50% for 1s; no data: "),
        "{reason}"
    );
    assert!(
        reason.ends_with("; `orders` of directory: the query has no result"),
        "{reason}"
    );
    let analysis = &gateway.admin_get("/api/v1/rollouts")[0]["analysis"];
    assert_eq!(analysis["verdict"], "no-data");
    let query = json!({
        "name": "orders", "section": "directory", "verdict": "no-data", "candidate": null, "live": null, "max": 0.1,
        "problem": "the query has no result",
    });
    assert_eq!(analysis["queries"], json!([query]));
    server.set_reply(samples(&["0.05"]));
    gateway.admin_change("/api/v1/rollouts/directory/resume", &json!({}));
    let promoted = gateway.wait_for_promotion();
    let reason = promoted["reason"].as_str().unwrap();
    assert!(
        reason.ends_with("; `orders` of directory is 0.05, of at most 0.1"),
        "{reason}"
    );
}

#[test]
fn unreachable_prometheus_pauses_step() {
    let gateway = gateway(
        CLOSED_ORIGIN,
        &criterion("failed", "max = 0.1"),
        "50% for 1s, 100%",
    );
    let reason = gateway.wait_for_pause();
    assert!(
        reason.ends_with("; `orders` of directory: Prometheus cannot be reached"),
        "{reason}"
    );
}

#[test]
fn prometheus_compares_candidate_with_live() {
    let Some(prometheus) = Prometheus::start() else {
        return;
    };
    let url = prometheus.url();
    // The numbers of the deployments: 2 and 1.
    let ratio = criterion("vector($deployment)", "max_ratio = 1.5");
    let abort = gateway(&url, &ratio, "50% for 1h, 100%").wait_for_own_change();
    assert_eq!(abort["action"], "automatic-abort");
    assert_eq!(
        abort["reason"],
        "`orders` of directory is 2, of at most 1.5 times 1 of the live release"
    );
    let ratio = criterion("vector($deployment)", "max = 2\nmax_ratio = 2");
    gateway(&url, &ratio, "50% for 1s, 100%").wait_for_promotion();
    for (query, problem) in [
        ("vector(0) / vector(0)", "the result is NaN"),
        ("absent_metric", "the query has no result"),
        (
            "vector(",
            "Prometheus refused the query: invalid parameter \"query\": 1:8: parse error: unclosed left parenthesis",
        ),
    ] {
        let reason = gateway(&url, &criterion(query, "max = 1"), "50% for 1s, 100%").wait_for_pause();
        assert!(
            reason.ends_with(&format!("; `orders` of directory: {problem}")),
            "{reason}"
        );
    }
}
