//! The rules of RFC 9111 and RFC 9110: what is stored, how long it is used, and for which requests.

use std::time::{Duration, SystemTime};

use tokio::time::sleep;

use super::{CacheOutcome, Failure, Gateway, Headers, Reply, receive, seconds};

const ETAG: (&str, &str) = ("etag", "\"a\"");

/// A request, the response to it, and a later request after some seconds: the rule, the status and
/// headers of the response, the seconds, and `Cache-Status` of the response to the later request.
type Case = (&'static str, u16, Headers, u64, &'static str);

#[rustfmt::skip]
const FRESHNESS: &[Case] = &[
    ("5.2.2.1 max-age: fresh", 200, &[("cache-control", "max-age=60")], 59, "hit; ttl=1"),
    ("4.2 stale at its lifetime", 200, &[("cache-control", "max-age=60")], 60, "fwd=stale; fwd-status=200; stored; ttl=60"),
    ("5.2.2.10 s-maxage before max-age", 200, &[("cache-control", "max-age=1, s-maxage=60")], 30, "hit; ttl=30"),
    ("5.2.2.10 s-maxage=0", 200, &[("cache-control", "max-age=60, s-maxage=0"), ETAG], 1, "fwd=stale; fwd-status=200; stored; ttl=0"),
    ("5.3 Expires", 200, &[("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 30, "hit; ttl=30"),
    ("9110 5.6.7 obsolete date", 200, &[("date", "Sunday, 06-Nov-94 08:49:37 GMT"), ("expires", "Sun Nov  6 08:50:37 1994")], 30, "hit; ttl=30"),
    ("5.3 max-age before Expires", 200, &[("cache-control", "max-age=60"), ("expires", "0")], 30, "hit; ttl=30"),
    ("5.3 invalid Expires", 200, &[("expires", "0"), ETAG], 0, "fwd=stale; fwd-status=200; stored; ttl=0"),
    ("4.2.1 conflicting max-age", 200, &[("cache-control", "max-age=60, max-age=61"), ETAG], 0, "fwd=stale; fwd-status=200; stored; ttl=0"),
    ("4.2.2 no heuristics", 200, &[("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")], 0, "fwd=stale; fwd-status=200; stored; ttl=0"),
    ("4.2.2 no freshness, no validator", 200, &[], 0, "fwd=uri-miss; fwd-status=200"),
    ("4.2.3 Age of the response", 200, &[("cache-control", "max-age=60"), ("age", "50")], 5, "hit; ttl=5"),
    ("4.2.3 Age beyond the lifetime", 200, &[("cache-control", "max-age=60"), ("age", "70"), ETAG], 0, "fwd=stale; fwd-status=200; stored; ttl=-10"),
    ("4.2.3 Age that overflows", 200, &[("cache-control", "max-age=60"), ("age", "18446744073709551615"), ETAG], 1, "fwd=stale; fwd-status=200; stored; ttl=-2147483588"),
    ("5.1 invalid Age", 200, &[("cache-control", "max-age=60"), ("age", "x")], 1, "hit; ttl=59"),
    ("1.2.2 max-age that overflows", 200, &[("cache-control", "max-age=99999999999999999999")], 48, "hit; ttl=2147483600"),
    ("5.2.2.4 no-cache", 200, &[("cache-control", "no-cache, max-age=60"), ETAG], 0, "fwd=stale; fwd-status=200; stored; ttl=0"),
    ("5.2.2.4 no-cache with fields", 200, &[("cache-control", "no-cache=\"a, b\", max-age=60"), ETAG], 0, "fwd=stale; fwd-status=200; stored; ttl=0"),
    ("5.2.2.8 proxy-revalidate while fresh", 200, &[("cache-control", "proxy-revalidate, max-age=60")], 30, "hit; ttl=30"),
    ("5.2.2.5 no-store", 200, &[("cache-control", "no-store, max-age=60"), ETAG], 0, "fwd=uri-miss; fwd-status=200"),
    ("5.2 directives have no case", 200, &[("cache-control", "No-Store, Max-Age=60"), ETAG], 0, "fwd=uri-miss; fwd-status=200"),
    ("5.2.2.7 private", 200, &[("cache-control", "Private, max-age=60")], 0, "fwd=uri-miss; fwd-status=200"),
    ("5.2.2.7 private with fields", 200, &[("cache-control", "private=\"x\", max-age=60")], 0, "fwd=uri-miss; fwd-status=200"),
    ("5.2 unreadable Cache-Control", 200, &[("cache-control", "max-age=60, \u{e9}")], 0, "fwd=uri-miss; fwd-status=200"),
    ("5.2 two lines of Cache-Control", 200, &[("cache-control", "max-age=60"), ("cache-control", "no-store")], 0, "fwd=uri-miss; fwd-status=200"),
    ("Set-Cookie", 200, &[("cache-control", "public, max-age=60"), ("set-cookie", "a=b")], 0, "fwd=uri-miss; fwd-status=200"),
    ("4.1 Vary: *", 200, &[("cache-control", "max-age=60"), ("vary", "accept, *")], 0, "fwd=uri-miss; fwd-status=200"),
    ("4.1 unreadable Vary", 200, &[("cache-control", "max-age=60"), ("vary", "a b")], 0, "fwd=uri-miss; fwd-status=200"),
    ("3 status 404 with freshness", 404, &[("cache-control", "max-age=60")], 0, "hit; ttl=60"),
    ("3 status 307 with freshness", 307, &[("cache-control", "max-age=60"), ("location", "/a")], 0, "hit; ttl=60"),
    ("3 status 307 without", 307, &[("location", "/a"), ETAG], 0, "fwd=uri-miss; fwd-status=307"),
    ("3 status 206", 206, &[("cache-control", "max-age=60"), ETAG], 0, "fwd=uri-miss; fwd-status=206"),
    ("3 status 500", 500, &[("cache-control", "max-age=60")], 0, "fwd=uri-miss; fwd-status=500"),
    ("3 status that is not understood", 299, &[("cache-control", "max-age=60")], 0, "fwd=uri-miss; fwd-status=299"),
];

#[tokio::test(start_paused = true)]
async fn response_is_used_as_rfc_9111_says() {
    for (rule, status, headers, wait, expected) in FRESHNESS {
        let gateway = Gateway::replying(*status, headers);
        gateway.get("/api/a", &[]).await;
        sleep(seconds(*wait)).await;
        let second = gateway.get("/api/a", &[]).await;
        assert_eq!(&second.cache_status, expected, "{rule}");
        let is_hit = expected.starts_with("hit");
        assert_eq!(
            second.body.as_deref(),
            Ok(if is_hit { "0" } else { "1" }),
            "{rule}"
        );
        assert_eq!(second.status, *status, "{rule}");
    }
}

/// A directive or header of a visitor, and what becomes of a request for a fresh response with it.
#[rustfmt::skip]
const VISITORS: &[(&str, Headers, &str)] = &[
    ("no-cache is ignored", &[("cache-control", "no-cache")], "hit; ttl=60"),
    ("no-store is ignored", &[("cache-control", "no-store")], "hit; ttl=60"),
    ("max-age is ignored", &[("cache-control", "max-age=0")], "hit; ttl=60"),
    ("min-fresh is ignored", &[("cache-control", "min-fresh=100")], "hit; ttl=60"),
    ("Pragma is ignored", &[("pragma", "no-cache")], "hit; ttl=60"),
    ("only-if-cached", &[("cache-control", "only-if-cached")], "hit; ttl=60"),
    ("Range", &[("range", "bytes=0-0")], "fwd=bypass; fwd-status=200"),
    ("9110 13.1.1 If-Match", &[("if-match", "\"a\"")], "fwd=bypass; fwd-status=200"),
    ("9110 13.1.4 If-Unmodified-Since", &[("if-unmodified-since", "Sun, 06 Nov 1994 08:49:37 GMT")], "fwd=bypass; fwd-status=200"),
    ("Cookie", &[("cookie", "a=b")], "fwd=request; fwd-status=200"),
    ("3.5 Authorization", &[("authorization", "Basic YTpi")], "fwd=request; fwd-status=200"),
];

#[tokio::test(start_paused = true)]
async fn visitor_cannot_force_load() {
    for (rule, headers, expected) in VISITORS {
        let gateway = Gateway::replying(200, &[("cache-control", "max-age=60"), ETAG]);
        gateway.get("/api/a", &[]).await;
        let second = gateway.get("/api/a", headers).await;
        assert_eq!(&second.cache_status, expected, "{rule}");
    }
    // Caches behind the gateway cannot be forced either.
    let gateway = Gateway::replying(200, &[("cache-control", "max-age=60")]);
    let headers = [
        ("cache-control", "no-cache"),
        ("pragma", "no-cache"),
        ("accept", "*/*"),
    ];
    gateway.get("/api/a", &headers).await;
    let names: Vec<_> = gateway
        .last_request()
        .headers
        .into_iter()
        .filter_map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["accept"]);
}

#[tokio::test(start_paused = true)]
async fn only_if_cached_without_response_fails() {
    let gateway = Gateway::replying(200, &[("cache-control", "max-age=60")]);
    let headers = [("cache-control", "only-if-cached")];
    let missing = gateway.serve("GET", "/api/a", &headers).await;
    assert_eq!(missing.err(), Some(Failure::NotCached));
    assert_eq!(gateway.requests(), 0);
}

#[tokio::test(start_paused = true)]
async fn only_if_cached_revalidates_nothing() {
    let gateway = Gateway::replying(200, &[("cache-control", "max-age=10, stale-while-revalidate=20")]);
    gateway.get("/api/a", &[]).await;
    sleep(seconds(15)).await;
    let headers = [("cache-control", "only-if-cached")];
    assert_eq!(gateway.get("/api/a", &headers).await.outcome, CacheOutcome::Stale);
    sleep(seconds(1)).await;
    assert_eq!(gateway.requests(), 1);
}

/// The validators of a response, those of a request, and the status of the answer from the cache
/// (RFC 9111, 4.3.2).
#[rustfmt::skip]
const PRECONDITIONS: &[(Headers, Headers, u16)] = &[
    (&[ETAG], &[("if-none-match", "\"a\"")], 304),
    (&[ETAG], &[("if-none-match", "\"b\", W/\"a\"")], 304),
    (&[("etag", "W/\"a\"")], &[("if-none-match", "W/\"a\"")], 304),
    (&[ETAG], &[("if-none-match", "\"b\"")], 200),
    (&[ETAG], &[("if-none-match", "*")], 304),
    (&[("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")], &[("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT")], 304),
    (&[("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")], &[("if-modified-since", "Sun, 06 Nov 1994 08:49:36 GMT")], 200),
    (&[ETAG, ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")], &[("if-none-match", "\"b\""), ("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT")], 200),
];

#[tokio::test(start_paused = true)]
async fn precondition_is_evaluated_by_the_cache() {
    for (validators, preconditions, expected) in PRECONDITIONS {
        let gateway = Gateway::new(|_, _| {
            let headers = [
                ("cache-control", "max-age=60"),
                ("content-type", "application/json"),
            ];
            let mut reply = Reply::new(200, &[], "body");
            let headers = headers.iter().chain(*validators);
            reply.headers = headers
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            reply
        });
        // The first one is a miss: the upstream gets no preconditions.
        for expected_status in ["fwd=uri-miss; fwd-status=200; stored; ttl=60", "hit; ttl=60"] {
            let received = gateway.get("/api/a", preconditions).await;
            assert_eq!(received.status, *expected, "{validators:?} {preconditions:?}");
            assert_eq!(received.cache_status, expected_status);
            let body = if *expected == 304 { "" } else { "body" };
            assert_eq!(received.body.as_deref(), Ok(body));
            assert_eq!(received.headers.contains_key("content-type"), *expected == 200);
            super::settle().await;
        }
        assert_eq!(gateway.requests(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn variants_are_stored_by_request_headers() {
    let gateway = Gateway::new(|_, request| {
        let language = request
            .headers
            .get("accept-language")
            .map_or("-", |value| value.to_str().unwrap());
        Reply::new(
            200,
            &[("cache-control", "max-age=60"), ("vary", "Accept-Language")],
            language,
        )
    });
    let miss = "fwd=vary-miss; fwd-status=200; stored; ttl=60";
    for (value, body, expected) in [
        (Some("de"), "de", "fwd=uri-miss; fwd-status=200; stored; ttl=60"),
        (Some("fr"), "fr", miss),
        (None, "-", miss),
        (Some("de"), "de", "hit; ttl=60"),
        (Some(" fr "), "fr", "hit; ttl=60"),
        (None, "-", "hit; ttl=60"),
    ] {
        let headers: Vec<_> = value
            .map(|value| ("accept-language", value))
            .into_iter()
            .collect();
        let received = gateway.get("/api/a", &headers).await;
        assert_eq!(
            (received.cache_status.as_str(), received.body.as_deref()),
            (expected, Ok(body))
        );
    }
    // Two lines are one value (RFC 9110, section 5.2).
    for expected in [miss, "hit; ttl=60"] {
        let headers = [("accept-language", "de"), ("accept-language", "fr")];
        assert_eq!(gateway.get("/api/a", &headers).await.cache_status, expected);
    }
    assert_eq!(gateway.get("/api/a?b", &[]).await.outcome, CacheOutcome::Miss);
}

#[tokio::test(start_paused = true)]
async fn head_is_answered_from_get() {
    let gateway = Gateway::replying(200, &[("cache-control", "max-age=60"), ETAG]);
    let miss = receive(gateway.serve("HEAD", "/api/a", &[]).await.unwrap()).await;
    assert_eq!(miss.cache_status, "fwd=uri-miss; fwd-status=200");
    assert_eq!(gateway.last_request().method, "HEAD");
    gateway.get("/api/a", &[]).await;
    let hit = receive(gateway.serve("HEAD", "/api/a", &[]).await.unwrap()).await;
    assert_eq!(
        (hit.cache_status.as_str(), gateway.requests()),
        ("hit; ttl=60", 2)
    );
    sleep(seconds(60)).await;
    receive(gateway.serve("HEAD", "/api/a", &[]).await.unwrap()).await;
    assert_eq!(gateway.last_request().method, "GET");
}

#[tokio::test(start_paused = true)]
async fn hit_has_age_date_and_status_behind_upstream() {
    let gateway = Gateway::new(|_, _| {
        let headers: Headers = &[
            ("cache-control", "max-age=60"),
            ("age", "10"),
            ("cache-status", "Origin; hit"),
        ];
        Reply::new(200, headers, "").after(seconds(2))
    });
    let miss = gateway.get("/api/a", &[]).await;
    // The response was under way for 2 s.
    assert_eq!(miss.cache_status, "fwd=uri-miss; fwd-status=200; stored; ttl=48");
    sleep(Duration::from_millis(3500)).await;
    let hit = gateway.get("/api/a", &[]).await;
    assert_eq!(hit.headers.get_all("age").iter().collect::<Vec<_>>(), ["15"]);
    let status: Vec<_> = hit.headers.get_all("cache-status").iter().collect();
    assert_eq!(status, ["Origin; hit", "colonnade; hit; ttl=45"]);
    let date = httpdate::parse_http_date(hit.headers["date"].to_str().unwrap()).unwrap();
    let now = SystemTime::from(colonnade_clock::precise());
    assert!(now.duration_since(date).unwrap() < seconds(60));
}

#[tokio::test(start_paused = true)]
async fn encoded_response_without_vary_is_only_for_same_codings() {
    let gateway = Gateway::new(|number, request| {
        let mut reply = Reply::new(200, &[("cache-control", "max-age=600")], &number.to_string());
        if request.headers.contains_key("accept-encoding") {
            reply
                .headers
                .push(("content-encoding".to_owned(), "gzip".to_owned()));
        }
        reply
    });
    let gzip = [("accept-encoding", "gzip")];
    for (headers, expected) in [
        (&gzip[..], (CacheOutcome::Miss, "0")),
        (&[], (CacheOutcome::Miss, "1")),
        (&[], (CacheOutcome::Hit, "1")),
        // Everyone can read the one without coding.
        (&gzip, (CacheOutcome::Hit, "1")),
    ] {
        let (outcome, body) = gateway.outcome("/api/a", headers).await;
        assert_eq!((outcome, &*body), expected, "{headers:?}");
    }
}
