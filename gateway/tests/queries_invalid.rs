//! Pages with queries: results that do not fit the schema of their page.

use serde_json::json;

use crate::support::{Gateway, QueryUpstream, deploy_with_queries, render_count};

/// A page whose results must be numbers: others fail, as the kit does with a schema. It redirects if its key says so.
const PAGE: &str = r#"
export default {
  queries: () => ({ a: "/api/x/a", b: "/api/x/b" }),
  data: (key, results) => {
    const isValid = ([, { ok, value }]) => !ok || typeof value === "number";
    const invalid = Object.entries(results).filter((entry) => !isValid(entry)).map(([name]) => name);
    return { invalid, ...(key === "elsewhere" && { location: "/live/x" }) };
  },
};
"#;

#[test]
fn document_with_invalid_result_is_not_stored_and_is_logged() {
    let upstream = QueryUpstream::start();
    upstream.respond("/a", "max-age=1000", r#"{"secret":"value"}"#);
    upstream.respond("/b", "max-age=1000", "1");
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    deploy_with_queries(&gateway, PAGE);
    let metric = "colonnade_upstream_queries_total{upstream=\"x\",outcome=\"schema_mismatch\"}";
    for count in 1..=2 {
        let response = gateway.get("/live/x");
        assert_eq!(
            (response.status, response.header("cache-control")),
            (200, "no-store, no-transform")
        );
        assert!(!response.has("etag"));
        assert_eq!(response.boot()["view"]["data"]["invalid"], json!(["a"]));
        assert_eq!(gateway.metric(metric), count);
        let id = response.header("x-request-id");
        gateway.wait_for_event(|line| {
            line["event"] == "upstream_query_invalid"
                && line["cause"] == "schema_mismatch"
                && line["upstream"] == "x"
                && line["release"] == "live@1.0.0"
                && line["request_id"] == id
        });
    }
    assert_eq!(
        render_count(&gateway, "live", "rendered"),
        1,
        "the page is cached"
    );
    assert!(!gateway.output().contains("secret"));
    // The result of a redirect counts, too.
    let redirect = || gateway.get("/live/elsewhere").status;
    assert_eq!((redirect(), redirect()), (307, 307));
    assert_eq!(gateway.metric(metric), 4);
    // A result that fits ends it.
    let purge = json!({ "prefix": "/api/x/" });
    assert_eq!(gateway.admin_post("/api/v1/upstreams/purge", &purge).status, 200);
    upstream.respond("/a", "max-age=1000", "1");
    assert_eq!(
        gateway.get("/live/x").header("cache-control"),
        "no-cache, no-transform"
    );
    assert_eq!(gateway.metric(metric), 4);
}

/// A page whose data is its result.
const ECHO: &str = r#"
export default {
  queries: (key) => ({ a: `/api/x/${key}` }),
  data: (key, results) => results,
};
"#;

#[test]
fn result_that_a_page_cannot_hold_is_failed_query() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let unusable = [
        ("deep", deep(65)),
        ("deeper", deep(100_000)),
        // A string that was cut in the middle of an emoji.
        ("surrogate", r#"{"title":"cut \ud83d"}"#.to_owned()),
        ("surrogate-name", r#"{"\udc00":1}"#.to_owned()),
        ("huge", r#"{"price":1e999}"#.to_owned()),
    ];
    let upstream = QueryUpstream::start();
    for (name, body) in &unusable {
        upstream.respond(&format!("/{name}"), "max-age=1000", body);
    }
    upstream.respond("/usable", "max-age=1000", &deep(64));
    let settings = format!("[render]\nbreaker_failure_threshold = 1\n{}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy_with_queries(&gateway, ECHO);
    for (name, _) in &unusable {
        let response = gateway.get(&format!("/live/{name}"));
        let data = &response.boot()["view"]["data"];
        assert_eq!(*data, json!({ "a": { "ok": false, "status": 502 } }), "{name}");
        assert_eq!(
            response.header("cache-control"),
            "no-store, no-transform",
            "{name}"
        );
        let id = response.header("x-request-id");
        gateway.wait_for_event(|line| {
            line["event"] == "upstream_query_invalid"
                && line["cause"] == "invalid_json"
                && line["request_id"] == id
        });
    }
    // No render has failed, so other pages of the section are rendered.
    let usable = gateway.get("/live/usable");
    assert_eq!(usable.boot()["view"]["data"]["a"]["ok"], true);
    assert_eq!(render_count(&gateway, "live", "exception"), 0);
}

#[test]
fn largest_results_of_a_page_fail_beyond_a_total() {
    const EIGHT: &str = r#"
const names = (key) => key === "healthy" ? ["h"] : ["a", "b", "c", "d", "e", "f", "g", "h"];
export default {
  queries: (key) => Object.fromEntries(names(key).map((name) => [name, `/api/x/${name}`])),
  data: (key, results) => results,
};
"#;
    let arrays = |bytes: usize| format!("[[]{}]", ",[]".repeat(bytes / 3 - 2));
    let upstream = QueryUpstream::start();
    for name in ["a", "b", "c", "d", "e"] {
        upstream.respond(&format!("/{name}"), "max-age=1000", &arrays(255 * 1024));
    }
    upstream.respond("/f", "max-age=1000", &arrays(254 * 1024));
    upstream.respond("/g", "max-age=1000", &arrays(128 * 1024));
    upstream.respond("/h", "max-age=1000", "1");
    // However slow the machine is.
    let render =
        "deadline_ms = 60000\nquery_deadline_ms = 60000\ncpu_limit_ms = 60000\nbreaker_failure_threshold = 1";
    let gateway = Gateway::start_with(&format!("[render]\n{render}\n{}", upstream.table()), &[]);
    deploy_with_queries(&gateway, EIGHT);
    let response = gateway.get("/live/all");
    assert_eq!(response.header("cache-control"), "no-store, no-transform");
    let data = &response.boot()["view"]["data"];
    for name in ["a", "b", "c", "d", "e"] {
        assert_eq!(data[name], json!({ "ok": false, "status": 502 }), "{name}");
    }
    // 382 KiB are within the limit.
    for name in ["f", "g", "h"] {
        assert_eq!(data[name]["ok"], true, "{name}");
    }
    let (id, cause) = (response.header("x-request-id"), "too_large_together");
    let event = gateway.wait_for_event(|line| line["cause"] == cause && line["request_id"] == id);
    assert_eq!(
        (&event["event"], &event["upstream"], &event["release"]),
        (
            &json!("upstream_query_invalid"),
            &json!("x"),
            &json!("live@1.0.0")
        )
    );
    let metric = format!("colonnade_upstream_queries_total{{upstream=\"x\",outcome=\"{cause}\"}}");
    assert_eq!(gateway.metric(&metric), 5);
    assert_eq!(
        gateway.get("/live/healthy").header("cache-control"),
        "no-cache, no-transform"
    );
    assert_eq!(render_count(&gateway, "live", "exception"), 0);
}
