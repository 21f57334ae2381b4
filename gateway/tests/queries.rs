//! Pages with queries: their results in documents.

use http::StatusCode;
use serde_json::{Value, json};

use crate::support::{
    CLOSED_ORIGIN, Gateway, QueryUpstream, Request, Response, deploy_with_queries, is_rendered, query_shell,
    render_count, rendered_section, upstream_table, wait_until,
};

/// A page whose queries have the paths `/api/x/<name>`; the names are in the path of the page.
const PAGE: &str = r#"
const names = (key) => decodeURIComponent(key).split(",");
export default {
  queries: (key) => Object.fromEntries(names(key).map((name) => [name, `/api/x/${name}?in=New%20York`])),
  data: (key, results, form) => ({ ...results, ...(form && { form: form.message }) }),
};
"#;

fn target(name: &str) -> String {
    format!("/{name}?in=New%20York")
}

/// The data of the page, from the boot payload. The HTML contains the same.
fn data(response: &Response) -> Value {
    let data = response.boot()["view"]["data"].clone();
    let html = response.text();
    let (_, rendered) = html.split_once("<p>").unwrap();
    let rendered = rendered.split_once("</p>").unwrap().0.replace("&lt;", "<");
    assert_eq!(serde_json::from_str::<Value>(&rendered).unwrap(), data);
    data
}

fn failed(status: u16) -> Value {
    json!({ "ok": false, "status": status })
}

#[test]
fn document_contains_result_of_query() {
    let upstream = QueryUpstream::start();
    upstream.respond(
        &target("a"),
        "max-age=1000",
        r#"{ "zeta": 1e21, "text": "</script>" }"#,
    );
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    deploy_with_queries(&gateway, PAGE);
    let request = Request::new("GET", "/live/a?private=1")
        .header("cookie", "session=secret")
        .header("authorization", "Bearer secret");
    let response = gateway.site.send(request);
    assert_eq!(response.status, 200);
    assert_eq!(response.header("cache-control"), "no-cache, no-transform");
    let boot = r#""data":{"a":{"ok":true,"value":{"zeta":1e+21,"text":"\u003c/script>"}}}"#;
    let html = response.text();
    assert!(html.contains(boot), "{html}");
    assert!(
        html.contains(r#"<p>{"a":{"ok":true,"value":{"zeta":1e+21,"text":"&lt;/script>"}}}</p>"#),
        "{html}"
    );
    assert!(!html.contains("noindex"), "{html}");
    let etag = response.header("etag");
    let again = gateway
        .site
        .send(Request::new("GET", "/live/a").header("if-none-match", etag));
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(render_count(&gateway, "live", "queries"), 1);
    assert_eq!(render_count(&gateway, "live", "rendered"), 1);
    let received = upstream.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].target, "/a?in=New%20York");
    assert_eq!(received[0].headers["accept"], "application/json");
    assert!(
        !format!("{:?}", received[0].headers).contains("secret"),
        "{received:?}"
    );
}

#[test]
fn queries_of_a_page_are_fetched_in_parallel() {
    let upstream = QueryUpstream::start();
    let gateway = Gateway::start_with(
        &format!("[render]\nquery_deadline_ms = 60000\n{}", upstream.table()),
        &[],
    );
    deploy_with_queries(&gateway, PAGE);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for name in names {
        upstream.respond(&target(name), "max-age=1000", &format!("\"{name}\""));
    }
    upstream.hold();
    std::thread::scope(|scope| {
        let visitor = scope.spawn(|| gateway.get("/live/a%2Cb%2Cc%2Cd%2Ce%2Cf%2Cg%2Ch"));
        // All arrive before any is answered.
        upstream.wait_for_requests(8);
        upstream.release();
        let data = data(&visitor.join().unwrap());
        for name in names {
            assert_eq!(data[name], json!({ "ok": true, "value": name }));
        }
    });
}

#[test]
fn late_query_fails_with_504_and_document_is_not_stored() {
    let upstream = QueryUpstream::start();
    upstream.respond(&target("a"), "max-age=1000", "1");
    let gateway = Gateway::start_with(
        &format!("[render]\nquery_deadline_ms = 100\n{}", upstream.table()),
        &[],
    );
    deploy_with_queries(&gateway, PAGE);
    upstream.hold();
    let late = gateway.get("/live/a");
    assert_eq!((late.status, data(&late)), (200, json!({ "a": failed(504) })));
    assert_eq!(late.header("cache-control"), "no-store, no-transform");
    assert!(!late.has("etag"));
    let event = gateway.wait_for_event(|line| line["event"] == "upstream_query_invalid");
    assert_eq!(
        (&event["cause"], &event["upstream"]),
        (&json!("late"), &json!("x"))
    );
    upstream.release();
    // The document is tried again for each request, until the upstream is in time.
    wait_until("the result is in time", || {
        data(&gateway.get("/live/a"))["a"]["ok"] == true
    });
    assert_eq!(
        gateway.get("/live/a").header("cache-control"),
        "no-cache, no-transform"
    );
    assert_eq!(render_count(&gateway, "live", "queries"), 1);
    assert_eq!(render_count(&gateway, "live", "rendered"), 2);
}

#[test]
fn failed_query_leaves_others_of_page() {
    let upstream = QueryUpstream::start();
    upstream.respond(&target("a"), "max-age=1000", "[1]");
    upstream.respond_with(&target("b"), StatusCode::SERVICE_UNAVAILABLE, "no-store", "{}");
    upstream.respond(&target("c"), "max-age=1000", "<!doctype html>");
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    deploy_with_queries(&gateway, PAGE);
    let response = gateway.get("/live/a%2Cb%2Cc%2Cd");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("cache-control"), "no-store, no-transform");
    assert!(!response.has("etag"));
    assert_eq!(
        data(&response),
        json!({ "a": { "ok": true, "value": [1] }, "b": failed(503), "c": failed(502), "d": failed(404) })
    );
    gateway.wait_for_event(|line| {
        line["event"] == "upstream_query_invalid"
            && (&line["upstream"], &line["cause"]) == (&json!("x"), &json!("invalid_json"))
            && line["request_id"] == response.header("x-request-id")
    });
    upstream.respond(&target("b"), "max-age=1000", "[2]");
    assert_eq!(
        data(&gateway.get("/live/a%2Cb"))["b"],
        json!({ "ok": true, "value": [2] })
    );
}

#[test]
fn query_without_upstream_fails_with_503_and_is_logged() {
    let gateway = Gateway::start();
    deploy_with_queries(&gateway, PAGE);
    let response = gateway.get("/live/a");
    assert_eq!(
        (response.status, data(&response)),
        (200, json!({ "a": failed(503) }))
    );
    let id = response.header("x-request-id");
    gateway.wait_for_event(|line| line["event"] == "query_without_upstream" && line["request_id"] == id);
    // A browser that navigates to the page finds out the same.
    let response = gateway.get("/api/x/a?in=New%20York");
    assert_eq!(
        (response.status, response.header("proxy-status")),
        (404, "colonnade; error=destination_not_found")
    );
}

#[test]
fn page_redirects_or_is_not_found_by_its_results() {
    const MODULE: &str = r"
export default {
  queries: (key) => ({ item: `/api/x/${key}` }),
  data: (key, { item }) => !item.ok && item.status === 404 ? { isMissing: true } : { location: item.value },
};
";
    let upstream = QueryUpstream::start();
    upstream.respond("/old", "max-age=1000", r#""/live/new%20one?a=b#c""#);
    upstream.respond("/gone", "max-age=1000", "0");
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    deploy_with_queries(&gateway, MODULE);
    for _ in 0..2 {
        let response = gateway.get("/live/old");
        assert_eq!(
            (response.status, response.header("location"), response.body.len()),
            (307, "/live/new%20one?a=b#c", 0)
        );
        assert_eq!(response.header("cache-control"), "no-store");
    }
    assert_eq!(upstream.received().len(), 1, "the redirect is cached");
    let missing = gateway.get("/live/nothing");
    assert_eq!(
        (missing.status, missing.header("cache-control")),
        (404, "no-store, no-transform")
    );
    assert!(is_rendered(&missing) && !missing.has("etag"));
}

#[test]
fn page_without_queries_sends_no_request() {
    const MODULE: &str = r#"
export default {
  queries: (key) => key === "none" ? undefined : {},
  data: (key, results) => ({ results: results ?? null }),
};
"#;
    let upstream = QueryUpstream::start();
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    deploy_with_queries(&gateway, MODULE);
    assert_eq!(data(&gateway.get("/live/none")), json!({ "results": null }));
    assert_eq!(render_count(&gateway, "live", "queries"), 0);
    assert_eq!(render_count(&gateway, "live", "rendered"), 1);
    assert_eq!(data(&gateway.get("/live/empty")), json!({ "results": {} }));
    assert_eq!(
        gateway.get("/live/empty").header("cache-control"),
        "no-cache, no-transform"
    );
    assert_eq!(render_count(&gateway, "live", "rendered"), 2);
    assert!(upstream.received().is_empty());
}

#[test]
fn upstream_that_is_down_does_not_fail_deploy() {
    const STRICT: &str = r#"
export default {
  queries: (key) => ({ a: `/api/x/${key}` }),
  data: (key, { a }) => { if (!a.ok) throw new Error("no result"); if (a.value === 1) throw new Error("one"); return a; },
};
"#;
    let upstream = QueryUpstream::start();
    upstream.respond("/bad", "max-age=1000", "1");
    let down = upstream_table(&[CLOSED_ORIGIN], "");
    let gateway = Gateway::start_with(&format!("{}{down}", upstream.table()), &[]);
    deploy_with_queries(&gateway, &PAGE.replace("/api/x/", "/api/events/"));
    let strict = |version, path| rendered_section("live", version, "/live/:key", STRICT).with_paths(&[path]);
    gateway.publish(&strict("2.0.0", "/live/unknown"));
    gateway.deploy(&json!({ "live": "2.0.0" }));
    let received = upstream.received().len();
    assert!(received > 0, "trial renders fetch queries");
    // A result that arrives must not make the page fail.
    gateway.publish(&strict("3.0.0", "/live/bad"));
    let response = gateway.post_deployment(&json!({ "releases": { "live": "3.0.0" } }));
    assert_eq!(response.status, 422);
    let problem = "rendering /live/bad (page /live/:key of live@3.0.0) failed: one";
    assert!(
        response.json()["problems"][0]
            .as_str()
            .unwrap()
            .starts_with(problem),
        "{}",
        response.text()
    );
    gateway.publish(&rendered_section(
        "live",
        "4.0.0",
        "/live/:key",
        &PAGE.replace("/api/x/", "/api/events/"),
    ));
    gateway.deploy(&json!({ "live": "4.0.0" }));
    let response = gateway.get("/live/a");
    assert_eq!(response.header("cache-control"), "no-store, no-transform");
    assert_eq!(data(&response)["a"]["ok"], false);
}

#[test]
fn deploy_warms_queries_but_fetches_no_results() {
    let upstream = QueryUpstream::start();
    for name in ["a", "b", "c"] {
        upstream.respond(&target(name), "max-age=1000", "1");
    }
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    gateway.publish(&query_shell());
    let section = rendered_section("live", "1.0.0", "/live/:key", PAGE);
    gateway.publish(&section.with_paths(&["/live/a", "/live/b", "/live/c"]));
    gateway.deploy(&json!({ "shell": "1.0.0", "live": "1.0.0" }));
    wait_until("the queries of all paths are evaluated", || {
        render_count(&gateway, "live", "queries") == 3
    });
    // Only the trial render of the first path has fetched its results.
    let received = upstream.received();
    assert_eq!(
        received
            .iter()
            .filter(|request| request.target != target("a"))
            .count(),
        0
    );
    assert_eq!(data(&gateway.get("/live/b"))["b"]["ok"], true);
    assert_eq!(render_count(&gateway, "live", "rendered"), 2);
}

#[test]
fn form_result_is_rendered_with_results() {
    let upstream = QueryUpstream::start();
    upstream.respond(&target("signup"), "max-age=1000", "7");
    let signup = "[signup]\nbackend = \"http://127.0.0.1:9\"\nbackend_api_key = { env = \"KEY\" }\naffiliate_subid = \"tag\"\n";
    let gateway = Gateway::start_with(&format!("{signup}{}", upstream.table()), &[("KEY", "the-key")]);
    // Queries that would send the visitor's address to the upstream.
    let module = PAGE.replace("queries: (key)", "queries: (key, form)").replace(
        "`/api/x/${name}?in=New%20York`",
        "`/api/x/${form ? encodeURIComponent(form.values.email) : name}?in=New%20York`",
    );
    let module = module.replace("form: form.message", "email: form.values.email");
    gateway.publish(&query_shell());
    gateway.publish(&rendered_section("signup", "1.0.0", "/signup", &module));
    gateway.deploy(&json!({ "shell": "1.0.0", "signup": "1.0.0" }));
    for _ in 0..2 {
        let request = Request::new("POST", "/functions/v1/signup")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded");
        let response = gateway
            .site
            .send(request.body("email=secret%40example.com&password=short&age=30"));
        assert_eq!(
            (response.status, response.header("cache-control")),
            (422, "no-store, no-transform")
        );
        let data = data(&response);
        assert_eq!(data["signup"], json!({ "ok": true, "value": 7 }));
        assert_eq!(data["email"], "secret@example.com");
    }
    assert_eq!(render_count(&gateway, "signup", "queries"), 1);
    assert!(!gateway.get("/signup").text().contains("secret"));
    let received = upstream.received();
    assert!(
        received.iter().all(|request| request.target == target("signup")),
        "{received:?}"
    );
    assert!(!gateway.output().contains("secret"));
}
