//! The metrics that operators alert on.

use std::fmt::Debug;
use std::net::Ipv4Addr;
use std::str::FromStr;

use serde_json::json;

use crate::support::{
    Browser, Gateway, QueryUpstream, Release, Request, configuration, deploy_with_queries, query_shell,
    rendered_section, rollout_cookie, token, wait_until,
};

fn metrics(gateway: &Gateway) -> String {
    gateway.admin.get("/metrics").text()
}

/// The value of a sample, which must exist.
fn value<T: FromStr<Err: Debug>>(gateway: &Gateway, sample: &str) -> T {
    let text = metrics(gateway);
    let value = text.lines().find_map(|line| line.strip_prefix(sample));
    let value = value.unwrap_or_else(|| panic!("no {sample} in\n{text}"));
    value.trim().parse().unwrap()
}

/// The value of a sample that counts.
fn number(gateway: &Gateway, sample: &str) -> u64 {
    value(gateway, sample)
}

#[test]
fn build_and_process_are_described() {
    let gateway = Gateway::start();
    let text = metrics(&gateway);
    let version = env!("CARGO_PKG_VERSION");
    let build = format!("colonnade_build_info{{version=\"{version}\",commit=\"");
    assert!(text.contains(&build), "{text}");
    assert!(value::<f64>(&gateway, "process_start_time_seconds ") > 1.7e9);
    assert!(value::<f64>(&gateway, "process_cpu_seconds_total ") > 0.0);
    assert!(number(&gateway, "process_resident_memory_bytes ") > 1_000_000);
    let open = number(&gateway, "process_open_fds ");
    assert!(open > 5 && open < number(&gateway, "process_max_fds "));
    wait_until("workers are started", || {
        number(
            &gateway,
            "colonnade_render_worker_starts_total{outcome=\"started\"} ",
        ) > 0
    });
}

#[test]
fn counters_exist_before_the_first_event() {
    let gateway = Gateway::start_live("", &[]);
    let text = metrics(&gateway);
    for sample in [
        "admin_auth_failures_total{cause=\"token_expired\"}",
        "changes_total{action=\"automatic_abort\",outcome=\"succeeded\"}",
        "changes_total{action=\"deploy\",outcome=\"rejected\"}",
        "client_error_reports_total{section=\"directory\",cause=\"load\"}",
        "connections_rejected_total{listener=\"site\",cause=\"client_limit\"}",
        "deployment_requests_total{track=\"candidate\",code_class=\"5xx\"}",
        "http_requests_total{listener=\"admin\",kind=\"other\",code_class=\"5xx\"}",
        "http_requests_total{listener=\"site\",kind=\"document\",code_class=\"5xx\"}",
        "log_lines_dropped_total",
        "requests_shed_total{cause=\"limit\"}",
        "section_errors_total{section=\"directory\",kind=\"render\"}",
        "signups_total{outcome=\"unreachable\"}",
        "store_errors_total{operation=\"put_release\"}",
    ] {
        let line = format!("colonnade_{sample} 0");
        assert!(text.lines().any(|found| found == line), "{line}:\n{text}");
    }
    let slowest =
        "colonnade_http_request_duration_seconds_bucket{le=\"60.0\",listener=\"admin\",kind=\"other\"";
    assert!(text.contains(slowest), "{text}");
}

#[test]
fn live_deployment_rollouts_and_changes_are_exposed() {
    let gateway = Gateway::start_live("", &[]);
    let percent = "colonnade_rollout_candidate_percent{rollout=\"directory\"} ";
    assert_eq!(number(&gateway, "colonnade_live_deployment "), 1);
    assert!(!metrics(&gateway).contains(percent));
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let rollout = json!({ "releases": { "directory": "2.0.0" }, "percent": 25 });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    assert_eq!(number(&gateway, percent), 25);
    gateway.admin_change("/api/v1/rollouts/directory/abort", &json!({}));
    assert!(!metrics(&gateway).contains(percent));
    let unknown = json!({ "releases": { "directory": "9.0.0" } });
    assert_eq!(gateway.post_deployment(&unknown).status, 422);
    for (labels, count) in [
        ("action=\"deploy\",outcome=\"succeeded\"", 1),
        ("action=\"deploy\",outcome=\"rejected\"", 1),
        ("action=\"abort\",outcome=\"succeeded\"", 1),
        ("action=\"automatic_abort\",outcome=\"succeeded\"", 0),
    ] {
        assert_eq!(
            number(&gateway, &format!("colonnade_changes_total{{{labels}}} ")),
            count
        );
    }
}

#[test]
fn requests_count_by_track() {
    let gateway = Gateway::start_live("", &[]);
    let count = |track: &str| {
        let sample = format!("colonnade_deployment_requests_total{{track=\"{track}\",code_class=\"2xx\"}} ");
        number(&gateway, &sample)
    };
    let of_section = |track: &str| {
        let sample =
            format!("colonnade_section_requests_total{{section=\"directory\",kind=\"document\"{track}}} ");
        number(&gateway, &sample)
    };
    gateway.request_event(&gateway.get("/"));
    assert_eq!((count("live"), count("candidate")), (1, 0));
    assert!(!metrics(&gateway).contains("kind=\"document\",track="));
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 50 }));
    for is_candidate in [true, false] {
        let mut browser = Browser::new(gateway.site);
        browser.set_cookie(
            "__Host-colonnade-rollout",
            &rollout_cookie(&gateway, &[is_candidate]),
        );
        gateway.request_event(&browser.get("/"));
    }
    assert_eq!((count("live"), count("candidate")), (2, 1));
    let sides = [",track=\"live\"", ",track=\"candidate\""].map(of_section);
    assert_eq!((of_section(""), sides), (1, [1, 1]));
    // Assets do not depend on a deployment.
    gateway.request_event(&gateway.get("/assets/shell/1.0.0/main.js"));
    assert_eq!(count("live") + count("candidate") + count("other"), 3);
}

#[test]
fn sections_count_requests_renders_and_queries() {
    const PAGE: &str = r#"
export default {
  queries: () => ({ a: "/api/x/a", b: "/api/x/b" }),
  data: (key) => {
    if (key === "throws") throw new Error();
    return {};
  },
};
"#;
    let upstream = QueryUpstream::start();
    upstream.respond("/a", "no-store", "{}");
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    deploy_with_queries(&gateway, PAGE);
    let counts = |kind: &str| {
        let of = |metric: &str| {
            let labels = format!("{{section=\"live\",kind=\"{kind}\"}} ");
            number(&gateway, &format!("colonnade_section_{metric}_total{labels}"))
        };
        (of("requests"), of("errors"))
    };
    let deployed = [counts("render"), counts("query")];
    for target in [
        "/live/a",
        "/live/throws",
        "/_page/1?path=/live/a",
        "/assets/live/1.0.0/entry.js",
    ] {
        let response = gateway.get(target);
        assert_eq!(response.status, 200, "{target}");
        gateway.request_event(&response);
    }
    assert_eq!(
        ["document", "page_data", "asset"].map(counts),
        [(2, 0), (1, 0), (1, 0)]
    );
    let since = |kind: &str, before: (u64, u64)| {
        let (requests, errors) = counts(kind);
        (requests - before.0, errors - before.1)
    };
    assert_eq!(
        (since("render", deployed[0]), since("query", deployed[1])),
        ((2, 1), (4, 2))
    );
    let documents = "colonnade_section_request_duration_seconds_count{section=\"live\",kind=\"document\"} ";
    assert_eq!(number(&gateway, documents), 2);
}

/// The series of a gateway.
fn series(gateway: &Gateway) -> usize {
    metrics(gateway)
        .lines()
        .filter(|line| !line.starts_with('#'))
        .count()
}

#[test]
fn sections_105_with_20_rollouts_have_4500_series() {
    const MODULE: &str = "export default { data: () => ({}) };";
    let gateway = Gateway::start();
    gateway.publish(&query_shell());
    gateway.publish(&Release::section("directory", "1.0.0", &["/"]));
    gateway.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
    let before = series(&gateway);
    gateway.publish(&rendered_section("more", "1.0.0", "/more/:key", MODULE));
    gateway.deploy(&json!({ "more": "1.0.0" }));
    for target in ["/more/a", "/_page/2?path=/more/a", "/assets/more/1.0.0/entry.js"] {
        gateway.request_event(&gateway.get(target));
    }
    let of_section = series(&gateway) - before;
    assert!(of_section > 30, "{of_section}");
    gateway.publish(&rendered_section("more", "2.0.0", "/more/:key", MODULE));
    let rollout = json!({ "releases": { "more": "2.0.0" }, "percent": 50 });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    for is_candidate in [true, false] {
        let mut browser = Browser::new(gateway.site);
        browser.set_cookie(
            "__Host-colonnade-rollout",
            &rollout_cookie(&gateway, &[is_candidate]),
        );
        gateway.request_event(&browser.get("/more/a"));
    }
    let of_rollout = series(&gateway) - before - of_section;
    assert!(of_rollout > 7, "{of_rollout}");
    let all = before + 104 * of_section + 20 * of_rollout;
    assert!(
        all <= 4500,
        "{all}: {of_section} of each section, {of_rollout} of each rollout, {before} before"
    );
}

#[test]
fn metrics_have_two_formats_and_are_compressed() {
    let gateway = Gateway::start();
    let request = |accept: &str| {
        let request = Request::new("GET", "/metrics").header("accept", accept);
        gateway.admin.send(request.header("accept-encoding", "gzip, br"))
    };
    let prometheus =
        "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
    for (accept, content_type, counter) in [
        (
            prometheus,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
            "# TYPE colonnade_renders counter\n",
        ),
        (
            "*/*",
            "text/plain; version=0.0.4; charset=utf-8",
            "# TYPE colonnade_renders_total counter\n",
        ),
    ] {
        let response = request(accept);
        assert_eq!(response.header("content-type"), content_type);
        assert_eq!(response.header("content-encoding"), "gzip");
        let text = String::from_utf8(response.decoded()).unwrap();
        assert!(text.contains(counter), "{text}");
        assert_eq!(text.ends_with("# EOF\n"), accept == prometheus);
    }
    let plain = gateway.admin.get("/metrics");
    assert!(!plain.has("content-encoding"));
}

#[test]
fn failed_tokens_reloads_and_store_operations_count() {
    let expired = token("old", &["*"], &["deploy"]) + "expires = 2020-01-01T00:00:00Z\n";
    let gateway = Gateway::start_with(&expired, &[]).with_live_site();
    let list = || Request::new("GET", "/api/v1/sections");
    gateway.send_admin(list());
    gateway.admin_request_as("old", list());
    let auth = |cause: &str| {
        number(
            &gateway,
            &format!("colonnade_admin_auth_failures_total{{cause=\"{cause}\"}} "),
        )
    };
    assert_eq!((auth("token_missing"), auth("token_expired")), (1, 1));
    let put = "colonnade_store_operation_duration_seconds_count{operation=\"put_release\"} ";
    assert_eq!(number(&gateway, put), 2);

    let is_reloaded = || number(&gateway, "colonnade_config_last_reload_successful ");
    let time = "colonnade_config_last_reload_success_timestamp_seconds ";
    let at_start: String = value(&gateway, time);
    assert_eq!(is_reloaded(), 1);
    gateway.reload("broken");
    gateway.wait_for_event(|line| line["event"] == "config_reload_failed");
    assert_eq!((is_reloaded(), value::<String>(&gateway, time)), (0, at_start));
    gateway.reload(&configuration(""));
    gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    assert_eq!(is_reloaded(), 1);
}

#[test]
fn client_error_reports_count_by_section() {
    let gateway = Gateway::start_live("", &[]);
    let report =
        json!({ "deployment": "1", "release": "directory@1.0.0", "phase": "render", "error": "TypeError" });
    let client = gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 0, 9));
    let request = Request::new("POST", "/_report")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json")
        .body(report.to_string());
    assert_eq!(client.send(request).status, 204);
    let sample = "colonnade_client_error_reports_total{section=\"directory\",cause=\"render\"} ";
    assert_eq!(number(&gateway, sample), 1);
}
