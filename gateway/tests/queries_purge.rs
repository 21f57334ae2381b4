//! Pages with queries: what happens to their documents once the results are purged or invalidated.

use serde_json::{Value, json};

use crate::support::{Gateway, QueryUpstream, Request, deploy_with_queries, render_count, wait_until};

const FRESH: &str = "max-age=1000, stale-while-revalidate=1000";

const PAGE: &str = r"
export default {
  queries: (key) => ({ item: `/api/x/${key}` }),
  data: (key, { item }) => (item.value === 0 ? { location: '/live/elsewhere' } : item),
};
";

fn gateway(upstream: &QueryUpstream) -> Gateway {
    let keys = "methods = [\"GET\", \"POST\"]\n";
    let settings = format!("[render]\nquery_deadline_ms = 60000\n{}{keys}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy_with_queries(&gateway, PAGE);
    gateway
}

fn purge(gateway: &Gateway, prefix: &str) -> Value {
    let response = gateway.admin_post("/api/v1/upstreams/purge", &json!({ "prefix": prefix }));
    assert_eq!(response.status, 200, "{response:?}");
    response.json()["purged"].clone()
}

fn value(gateway: &Gateway, key: &str) -> Value {
    gateway.get(&format!("/live/{key}")).boot()["view"]["data"]["value"].clone()
}

fn misses(gateway: &Gateway) -> u64 {
    gateway.metric("colonnade_document_cache_misses_total")
}

#[test]
fn document_after_purge_has_new_result() {
    let upstream = QueryUpstream::start();
    for key in ["a", "b", "moved"] {
        upstream.respond(&format!("/{key}"), FRESH, "1");
    }
    let gateway = gateway(&upstream);
    let before = gateway.get("/live/a");
    assert_eq!(
        (value(&gateway, "b"), value(&gateway, "moved")),
        (json!(1), json!(1))
    );
    upstream.respond("/a", FRESH, "2");
    upstream.respond("/moved", FRESH, "0");
    assert_eq!((value(&gateway, "a"), upstream.received().len()), (json!(1), 3));
    assert_eq!(purge(&gateway, "/api/x/a"), 1);
    // A browser that has the old document gets the new one, in each coding.
    for coding in ["identity", "gzip", "br"] {
        let request = Request::new("GET", "/live/a").header("accept-encoding", coding);
        let request = request.header("if-none-match", before.header("etag"));
        let response = gateway.site.send(request);
        assert_eq!(response.status, 200, "{coding}");
        assert_ne!(response.header("etag"), before.header("etag"), "{coding}");
    }
    assert_eq!(value(&gateway, "a"), 2);
    // Results that are not purged are neither requested nor rendered again.
    let (composed, rendered) = (misses(&gateway), render_count(&gateway, "live", "rendered"));
    assert_eq!(value(&gateway, "b"), 1);
    assert_eq!(upstream.received().len(), 4);
    assert_eq!(misses(&gateway), composed);
    assert_eq!(render_count(&gateway, "live", "rendered"), rendered);
    assert_eq!(purge(&gateway, "/api/"), 3);
    assert_eq!(gateway.get("/live/moved").header("location"), "/live/elsewhere");
}

#[test]
fn request_after_purge_waits_for_no_earlier_document() {
    let upstream = QueryUpstream::start();
    upstream.respond("/a", FRESH, "1");
    let gateway = gateway(&upstream);
    upstream.hold();
    std::thread::scope(|scope| {
        let early = scope.spawn(|| value(&gateway, "a"));
        upstream.wait_for_requests(1);
        upstream.respond("/a", FRESH, "2");
        assert_eq!(purge(&gateway, "/api/"), 0);
        let open = || gateway.metric("colonnade_connections_open{listener=\"site\"}");
        let before = open();
        let late = scope.spawn(|| value(&gateway, "a"));
        wait_until("the later request arrives", || open() == before + 1);
        upstream.release();
        assert_eq!(early.join().unwrap(), 1);
        assert_eq!(late.join().unwrap(), 2);
    });
    assert_eq!(value(&gateway, "a"), 2);
}

#[test]
fn document_after_post_to_its_query_has_new_result() {
    let upstream = QueryUpstream::start();
    for key in ["a", "b"] {
        upstream.respond(&format!("/{key}"), FRESH, "1");
    }
    let gateway = gateway(&upstream);
    assert_eq!((value(&gateway, "a"), value(&gateway, "b")), (json!(1), json!(1)));
    upstream.respond("/a", FRESH, "2");
    upstream.respond("/b", FRESH, "2");
    // RFC 9111, section 4.4: as after a form without JavaScript.
    let post = Request::new("POST", "/api/x/a").header("sec-fetch-site", "same-origin");
    assert_eq!(gateway.site.send(post.body("name=Ada")).status, 200);
    assert_eq!((value(&gateway, "a"), value(&gateway, "b")), (json!(2), json!(1)));
}
