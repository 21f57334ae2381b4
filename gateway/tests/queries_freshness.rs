//! Pages with queries: how long their documents are used.

use serde_json::Value;

use crate::support::{Gateway, QueryUpstream, deploy_with_queries, render_count, wait_until};

const PAGE: &str = r#"
export default {
  queries: () => ({ a: "/api/x/a", b: "/api/x/b" }),
  data: (key, { a, b }) => [a.value, b.value],
};
"#;

fn gateway(upstream: &QueryUpstream) -> Gateway {
    let settings = format!("[render]\nquery_deadline_ms = 60000\n{}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy_with_queries(&gateway, PAGE);
    gateway
}

fn value(gateway: &Gateway) -> Value {
    let response = gateway.get("/live/x");
    assert_eq!(
        (response.status, response.header("cache-control")),
        (200, "no-cache, no-transform")
    );
    response.boot()["view"]["data"][0].clone()
}

fn requests(upstream: &QueryUpstream, target: &str) -> usize {
    let received = upstream.received();
    received.iter().filter(|request| request.target == target).count()
}

#[test]
fn fresh_document_sends_no_query() {
    let upstream = QueryUpstream::start();
    upstream.respond("/a", "max-age=1000", "1");
    upstream.respond("/b", "s-maxage=2000, max-age=1000", "1");
    let gateway = gateway(&upstream);
    assert_eq!(value(&gateway), 1);
    upstream.respond("/a", "max-age=1000", "2");
    assert_eq!(value(&gateway), 1);
    assert_eq!(upstream.received().len(), 2);
    assert_eq!(gateway.metric("colonnade_document_cache_misses_total"), 1);
}

#[test]
fn document_is_as_fresh_as_its_stalest_result() {
    let upstream = QueryUpstream::start();
    upstream.respond("/a", "max-age=0", "1");
    upstream.respond("/b", "max-age=1000", "1");
    let gateway = gateway(&upstream);
    assert_eq!(value(&gateway), 1);
    assert_eq!(value(&gateway), 1);
    assert_eq!(requests(&upstream, "/a"), 2);
    // The same results give the same document.
    assert_eq!(gateway.metric("colonnade_document_cache_misses_total"), 1);
    assert_eq!(render_count(&gateway, "live", "rendered"), 1);
    upstream.respond("/a", "max-age=0", "2");
    assert_eq!(value(&gateway), 2);
    assert_eq!(gateway.metric("colonnade_document_cache_misses_total"), 2);
    assert_eq!(render_count(&gateway, "live", "rendered"), 2);
    assert_eq!(render_count(&gateway, "live", "queries"), 1);
}

#[test]
fn stale_document_is_served_while_it_is_refreshed_once() {
    let stale = "max-age=0, stale-while-revalidate=1000";
    let upstream = QueryUpstream::start();
    upstream.respond("/a", stale, "1");
    upstream.respond("/b", "max-age=1000", "1");
    let gateway = gateway(&upstream);
    assert_eq!(value(&gateway), 1);
    upstream.respond("/a", "max-age=1000", "2");
    upstream.hold();
    for _ in 0..5 {
        assert_eq!(value(&gateway), 1, "nobody waits for the upstream");
    }
    upstream.wait_for_requests(3);
    assert_eq!(value(&gateway), 1);
    upstream.release();
    wait_until("the document is refreshed", || value(&gateway) == 2);
    assert_eq!(requests(&upstream, "/a"), 2, "one refresh");
    assert_eq!(value(&gateway), 2);
    assert_eq!(requests(&upstream, "/a"), 2, "the new document is fresh");
}
