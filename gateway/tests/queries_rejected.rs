//! What a section may not do with queries and redirects: its code is not trusted.

use serde_json::{Value, json};

use crate::support::{
    Gateway, QueryUpstream, SCRIPT, deploy_with_queries, is_rendered, query_shell, render_count,
    rendered_section,
};

/// Paths of queries, and the rule that each breaks.
fn hostile_queries() -> Vec<(Value, &'static str)> {
    let path = |path: &str| json!({ "a": path });
    let nine: serde_json::Map<_, _> = (0..9).map(|n| (format!("q{n}"), json!("/api/x/a"))).collect();
    vec![
        (
            Value::Object(nine),
            "the page has 9 queries; a page may have at most 8",
        ),
        (path("//evil.example/api/x/a"), "two slashes in a row"),
        (path("/other"), "the path of query \"a\" is not below /api/"),
        (path("/api/../admin"), "parent folder"),
        (path("/api/%2e%2e/admin"), "parent folder"),
        (path("/api/x\\a"), "must be percent-encoded"),
        (path("/api/x/a#fragment"), "must be percent-encoded"),
        (path("/api/x/a\r\nx-header: 1"), "must be percent-encoded"),
        (path("http://evil.example/api/x/a"), "must begin with a slash"),
        (
            path(&format!("/api/x/{}", "a".repeat(10 * 1024))),
            "the path of query \"a\" exceeds 2048 bytes",
        ),
        (json!({ "a": 1 }), "render returned an invalid page"),
        (json!({ "a".repeat(65): "/api/x/a" }), "1 to 64 bytes"),
        (json!([]), "render returned an invalid page"),
    ]
}

#[test]
fn hostile_queries_fail_render_and_send_no_request() {
    let cases = hostile_queries();
    let list: Value = cases.iter().map(|(queries, _)| queries.clone()).collect();
    let module =
        format!("const list = {list}; export default {{ queries: (key) => list[key], data: () => ({{}}) }};");
    let upstream = QueryUpstream::start();
    let settings = format!("[render]\nbreaker_failure_threshold = 1000\n{}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy_with_queries(&gateway, &module);
    for (index, (queries, _)) in cases.iter().enumerate() {
        let response = gateway.get(&format!("/live/{index}"));
        assert_eq!(
            (response.status, is_rendered(&response)),
            (200, false),
            "{queries}"
        );
        assert_eq!(
            response.header("cache-control"),
            "no-store, no-transform",
            "{queries}"
        );
    }
    let failures = u64::try_from(cases.len()).unwrap();
    assert_eq!(render_count(&gateway, "live", "exception"), failures);
    // A deploy names the rule, in its response and in the log of the section.
    for (index, (_, rule)) in cases.iter().enumerate() {
        let version = format!("2.{index}.0");
        let section = rendered_section("live", &version, "/live/:key", &module);
        gateway.publish(&section.with_paths(&[&format!("/live/{index}")]));
        let response = gateway.post_deployment(&json!({ "releases": { "live": version } }));
        assert_eq!(response.status, 422);
        let problem = response.json()["problems"][0].as_str().unwrap().to_owned();
        assert!(problem.contains(rule) && problem.len() < 300, "{rule}: {problem}");
        let log = gateway.admin_get("/api/v1/sections/live/logs").to_string();
        assert!(log.contains(&json!(problem).to_string()), "{problem}\n{log}");
    }
    assert!(upstream.received().is_empty());
}

#[test]
fn queries_after_results_fail_render() {
    const SHELL: &str = "export async function render() { return { queries: {}, readsToday: false }; }";
    let gateway = Gateway::start();
    let shell = query_shell();
    gateway.publish(&shell.bytes("server/index.js", SCRIPT, SHELL));
    let section = rendered_section("live", "1.0.0", "/live/:key", "export default {};");
    gateway.publish(&section.with_paths(&["/live/a"]));
    let response = gateway.post_deployment(&json!({ "releases": { "shell": "1.0.0", "live": "1.0.0" } }));
    assert_eq!(response.status, 422);
    let rule = "render returned queries, although it had their results";
    assert!(response.text().contains(rule), "{}", response.text());
}

#[test]
fn redirect_never_leaves_site() {
    const CASES: [(&str, bool); 4] = [
        ("/a?b#c", true),
        ("//evil.example/", false),
        ("/a\\b", false),
        ("#a", false),
    ];
    let list: Value = CASES.iter().map(|(text, _)| json!(text)).collect();
    let module =
        format!("const list = {list}; export default {{ data: (key) => ({{ location: list[key] }}) }};");
    let gateway = Gateway::start_with("[render]\nbreaker_failure_threshold = 1000\n", &[]);
    deploy_with_queries(&gateway, &module);
    for (index, (text, is_valid)) in CASES.iter().enumerate() {
        let response = gateway.get(&format!("/live/{index}"));
        let is_redirected = response.status == 307 && response.header("location") == *text;
        assert_eq!(is_redirected, *is_valid, "{text:?}: {}", response.status);
        assert!(*is_valid || !is_rendered(&response), "{text:?}");
    }
}
