//! Hits that are found without the headers for the upstream. `Gateway::serve` compares each one
//! with the response that the upstream's headers lead to.

use tokio::time::sleep;

use super::{Gateway, Reply, seconds};

const FRESH: (&str, &str) = ("cache-control", "max-age=60");

/// The headers of the stored response, those of a later request, and whether its hit is found.
type Case = (
    &'static [(&'static str, &'static str)],
    &'static [(&'static str, &'static str)],
    bool,
);

#[tokio::test(start_paused = true)]
async fn hit_is_found_by_visitor_headers_alone() {
    let cases: [Case; 11] = [
        (&[FRESH], &[], true),
        (&[FRESH], &[("if-none-match", "\"a\"")], true),
        (&[FRESH], &[("range", "bytes=0-0")], false),
        (&[FRESH], &[("if-match", "\"a\"")], false),
        (&[FRESH], &[("cookie", "a=1")], false),
        (
            &[("cache-control", "public, max-age=60")],
            &[("cookie", "a=1")],
            true,
        ),
        (&[FRESH, ("vary", "accept-encoding")], &[], true),
        (
            &[FRESH, ("vary", "accept-encoding")],
            &[("accept-encoding", "br")],
            false,
        ),
        // The upstream gets another value than the visitor has sent.
        (&[FRESH, ("vary", "x-forwarded-for")], &[], false),
        (&[("cache-control", "no-store")], &[], false),
        (
            &[("cache-control", "max-age=5, stale-while-revalidate=60")],
            &[],
            false,
        ),
    ];
    for (response, request, is_found) in cases {
        let gateway = Gateway::replying(200, response);
        gateway.get("/api/a", &[]).await;
        sleep(seconds(5)).await;
        let hit = gateway.find_hit("/api/a", request);
        assert_eq!(hit.is_some(), is_found, "{response:?} {request:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn hit_is_not_found_behind_unknown_variant() {
    let gateway = Gateway::new(|number, _| {
        let vary = ["accept", "x-forwarded-for"][number];
        Reply::new(200, &[FRESH], "").with_header("vary", vary)
    });
    gateway.get("/api/a", &[]).await;
    assert!(gateway.find_hit("/api/a", &[]).is_some());
    gateway.get("/api/a", &[("accept", "text/csv")]).await;
    assert!(gateway.find_hit("/api/a", &[]).is_none());
}
