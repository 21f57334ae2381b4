//! Revalidation (RFC 9111, section 4.3) and stale responses (RFC 5861).

use colonnade_web::query::Freshness;
use tokio::runtime::Handle;
use tokio::time::sleep;

use super::{CacheOutcome, Failure, Gateway, Headers, Reply, seconds, settle};

#[tokio::test(start_paused = true)]
async fn confirmed_response_is_fresh_again() {
    let gateway = Gateway::new(|number, _| match number {
        0 => Reply::new(
            200,
            &[
                ("cache-control", "max-age=10"),
                ("etag", "\"a\""),
                ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ("content-type", "application/json"),
                ("link", "<a>"),
                ("x-count", "0"),
            ],
            "body",
        ),
        _ => Reply::new(
            304,
            &[
                ("etag", "\"a\""),
                ("cache-control", "max-age=20"),
                ("x-count", "1"),
                ("x-count", "2"),
                ("x-new", "n"),
                ("content-type", "text/html"),
            ],
            "",
        ),
    });
    gateway.get("/api/a", &[]).await;
    sleep(seconds(10)).await;
    // The visitor's own validator goes nowhere.
    let confirmed = gateway.get("/api/a", &[("if-none-match", "\"z\"")]).await;
    let request = gateway.last_request();
    assert_eq!(request.headers["if-none-match"], "\"a\"");
    assert_eq!(
        request.headers["if-modified-since"],
        "Sun, 06 Nov 1994 08:49:37 GMT"
    );
    assert_eq!(confirmed.outcome, CacheOutcome::Revalidated);
    assert_eq!(
        confirmed.cache_status,
        "fwd=stale; fwd-status=304; stored; ttl=20"
    );
    let hit = gateway.get("/api/a", &[]).await;
    assert_eq!(
        (hit.cache_status.as_str(), hit.body.as_deref()),
        ("hit; ttl=20", Ok("body"))
    );
    // RFC 9111, section 3.2: all header fields of the 304 replace the stored ones, except those of
    // the content.
    let count: Vec<_> = hit.headers.get_all("x-count").iter().collect();
    assert_eq!(count, ["1", "2"]);
    assert_eq!(["x-new", "link"].map(|name| &hit.headers[name]), ["n", "<a>"]);
    assert_eq!(hit.headers["content-type"], "application/json");
}

/// The headers of a 304, what the response to the stale request is, and the number of requests to
/// the upstream until then.
#[rustfmt::skip]
const CONFIRMATIONS: &[(&str, Headers, &str, usize)] = &[
    ("4.3.4 another validator", &[("etag", "\"b\"")], "fwd=stale; fwd-status=200; stored; ttl=10", 3),
    ("4.3.4 weak comparison", &[("etag", "W/\"a\"")], "fwd=stale; fwd-status=304; stored; ttl=10", 2),
    ("4.3.4 no validator", &[], "fwd=stale; fwd-status=304; stored; ttl=10", 2),
    ("5.2.2.5 no-store", &[("cache-control", "no-store")], "fwd=stale; fwd-status=304; ttl=0", 2),
];

#[tokio::test(start_paused = true)]
async fn not_modified_confirms_only_its_representation() {
    for (rule, headers, expected, requests) in CONFIRMATIONS {
        let gateway = Gateway::new(|_, request| {
            if request.headers.contains_key("if-none-match") {
                Reply::new(304, headers, "")
            } else {
                Reply::new(200, &[("cache-control", "max-age=10"), ("etag", "\"a\"")], "body")
            }
        });
        gateway.get("/api/a", &[]).await;
        sleep(seconds(10)).await;
        let received = gateway.get("/api/a", &[]).await;
        assert_eq!(&received.cache_status, expected, "{rule}");
        assert_eq!(
            (received.status, received.body.as_deref()),
            (200, Ok("body")),
            "{rule}"
        );
        assert_eq!(gateway.requests(), *requests, "{rule}");
    }
}

/// What the upstream does when the stored response is stale.
#[derive(Debug, Clone, Copy)]
enum Later {
    Replies(u16),
    Fails,
}

/// `Cache-Control`, the seconds after which the response is requested again, what the upstream then
/// does, and the answer.
#[rustfmt::skip]
const STALE: &[(&str, &str, u64, Later, &str)] = &[
    ("5861 3 in the window", "max-age=10, stale-while-revalidate=20", 29, Later::Replies(200), "hit; ttl=-19"),
    ("5861 3 after it", "max-age=10, stale-while-revalidate=20", 30, Later::Replies(200), "fwd=stale; fwd-status=200; stored; ttl=10"),
    ("5861 3 max-age=0", "max-age=0, stale-while-revalidate=20", 5, Later::Replies(200), "hit; ttl=-5"),
    ("5861 3 beside s-maxage", "s-maxage=10, stale-while-revalidate=20", 15, Later::Replies(200), "hit; ttl=-5"),
    ("5.2.2.2 must-revalidate", "max-age=10, stale-while-revalidate=20, must-revalidate", 15, Later::Replies(200), "fwd=stale; fwd-status=200; stored; ttl=10"),
    ("5.2.2.8 proxy-revalidate", "max-age=10, stale-while-revalidate=20, proxy-revalidate", 15, Later::Replies(200), "fwd=stale; fwd-status=200; stored; ttl=10"),
    ("5.2.2.4 no-cache", "max-age=10, stale-while-revalidate=20, no-cache", 5, Later::Replies(200), "fwd=stale; fwd-status=200; stored; ttl=0"),
    ("5861 4 on 503", "max-age=10, stale-if-error=20", 15, Later::Replies(503), "fwd=stale; fwd-status=503; ttl=-5"),
    ("5861 4 on a closed connection", "max-age=10, stale-if-error=20", 15, Later::Fails, "fwd=stale; ttl=-5"),
    ("5861 4 after its window", "max-age=10, stale-if-error=20", 30, Later::Replies(500), "fwd=stale; fwd-status=500"),
    ("5861 4 not on 501", "max-age=10, stale-if-error=20", 15, Later::Replies(501), "fwd=stale; fwd-status=501; stored; ttl=10"),
    ("5861 4 not on 404", "max-age=10, stale-if-error=20", 15, Later::Replies(404), "fwd=stale; fwd-status=404; stored; ttl=10"),
    ("5861 4 not without it", "max-age=10", 15, Later::Replies(502), "fwd=stale; fwd-status=502"),
    ("5861 4 must-revalidate", "max-age=10, stale-if-error=20, must-revalidate", 15, Later::Replies(504), "fwd=stale; fwd-status=504"),
    ("5861 3 after a failure in the background", "max-age=10, stale-while-revalidate=20", 15, Later::Fails, "hit; ttl=-5"),
];

#[tokio::test(start_paused = true)]
async fn stale_response_is_used_as_rfc_5861_says() {
    for (rule, cache_control, wait, later, expected) in STALE {
        let gateway = Gateway::new(move |number, _| {
            let mut reply = match (number, later) {
                (0, _) => Reply::new(200, &[], "0"),
                (_, Later::Replies(status)) => Reply::new(*status, &[], "1"),
                (_, Later::Fails) => Reply::failing(),
            };
            let headers = [("cache-control", *cache_control), ("etag", "\"a\"")];
            reply.headers = headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into();
            reply
        });
        gateway.get("/api/a", &[]).await;
        sleep(seconds(*wait)).await;
        let received = gateway.get("/api/a", &[]).await;
        assert_eq!(&received.cache_status, expected, "{rule}");
        let is_old = received.outcome == CacheOutcome::Stale;
        assert_eq!(
            received.body.as_deref(),
            Ok(if is_old { "0" } else { "1" }),
            "{rule}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn failure_without_stale_if_error_is_returned() {
    let gateway = Gateway::new(|number, _| match number {
        0 => Reply::new(200, &[("cache-control", "max-age=10")], "0"),
        _ => Reply::failing(),
    });
    gateway.get("/api/a", &[]).await;
    sleep(seconds(10)).await;
    let failed = gateway.serve("GET", "/api/a", &[]).await;
    assert_eq!(failed.err(), Some(Failure::Closed));
}

#[tokio::test(start_paused = true)]
async fn background_revalidation_is_single_flight() {
    for failure in [Reply::failing, Reply::rejected] {
        let gateway = Gateway::new(move |number, _| {
            let headers: Headers = &[("cache-control", "max-age=10, stale-while-revalidate=60")];
            let reply = Reply::new(200, headers, &number.to_string());
            match number {
                0 => reply,
                1 => failure().after(seconds(1)),
                _ => reply.after(seconds(1)),
            }
        });
        gateway.get("/api/a", &[]).await;
        sleep(seconds(10)).await;
        for (requests, seconds_after) in [(2, 1), (3, 1)] {
            for _ in 0..10 {
                assert_eq!(
                    gateway.outcome("/api/a", &[]).await,
                    (CacheOutcome::Stale, "0".to_owned())
                );
            }
            // One task, whatever the number of visitors.
            assert_eq!(Handle::current().metrics().num_alive_tasks(), 1);
            settle().await;
            assert_eq!(gateway.requests(), requests);
            sleep(seconds(seconds_after)).await;
        }
        // The first one failed; the second one stored its response.
        assert_eq!(
            gateway.outcome("/api/a", &[]).await,
            (CacheOutcome::Hit, "2".to_owned())
        );
    }
}

#[tokio::test(start_paused = true)]
async fn response_that_is_not_storable_replaces_the_stale_one() {
    let gateway = Gateway::new(|number, _| match number {
        0 => Reply::new(200, &[("cache-control", "max-age=10, stale-if-error=600")], "0"),
        1 => Reply::new(200, &[("cache-control", "no-store")], "1"),
        _ => Reply::new(500, &[], "2"),
    });
    gateway.get("/api/a", &[]).await;
    sleep(seconds(10)).await;
    for body in ["1", "2"] {
        assert_eq!(
            gateway.outcome("/api/a", &[]).await,
            (CacheOutcome::Miss, body.to_owned())
        );
    }
}

#[tokio::test(start_paused = true)]
async fn freshness_of_response_is_what_remains() {
    let headers: Headers = &[
        ("cache-control", "max-age=10, stale-while-revalidate=20"),
        ("age", "4"),
    ];
    let gateway = Gateway::new(move |number, _| match number {
        0 => Reply::new(200, headers, ""),
        _ => Reply::failing(),
    });
    for (wait, fresh_for, stale_while_revalidate) in [(0, 6, 20), (5, 1, 20), (5, 0, 16)] {
        sleep(seconds(wait)).await;
        let response = gateway.serve("GET", "/api/a", &[]).await.unwrap();
        assert_eq!(response.freshness.fresh_for, seconds(fresh_for));
        assert_eq!(
            response.freshness.stale_while_revalidate,
            seconds(stale_while_revalidate)
        );
    }
    let gateway = Gateway::replying(200, &[("cache-control", "no-store, max-age=10")]);
    let response = gateway.serve("GET", "/api/a", &[]).await.unwrap();
    assert_eq!(response.freshness, Freshness::default());
}
