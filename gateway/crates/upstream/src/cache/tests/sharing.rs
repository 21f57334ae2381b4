//! Request coalescing.

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::{CacheOutcome, Failure, Gateway, Received, Reply, receive, seconds, settle};

/// The responses to `count` requests at a time.
async fn burst(
    gateway: &Gateway,
    count: usize,
    headers: &'static [(&'static str, &'static str)],
) -> Vec<Result<Received, Failure>> {
    let mut tasks = JoinSet::new();
    for _ in 0..count {
        let gateway = gateway.clone();
        tasks.spawn(async move { Ok(receive(gateway.serve("GET", "/api/a", headers).await?).await) });
    }
    tasks.join_all().await
}

fn count(responses: &[Result<Received, Failure>], outcome: CacheOutcome) -> usize {
    let outcomes = responses.iter().flatten().map(|received| received.outcome);
    outcomes.filter(|other| *other == outcome).count()
}

#[tokio::test(start_paused = true)]
async fn concurrent_misses_send_one_request() {
    let gateway = Gateway::new(|_, _| {
        Reply::new(200, &[("cache-control", "max-age=10"), ("etag", "\"a\"")], "body").after(seconds(1))
    });
    for round in 1..=2 {
        let responses = burst(&gateway, 10, &[]).await;
        assert_eq!(gateway.requests(), round);
        assert_eq!(count(&responses, CacheOutcome::Miss), 1);
        assert_eq!(count(&responses, CacheOutcome::Collapsed), 9);
        assert!(
            responses
                .iter()
                .flatten()
                .all(|received| received.body.as_deref() == Ok("body"))
        );
        let collapsed = responses
            .iter()
            .flatten()
            .find(|received| received.outcome == CacheOutcome::Collapsed);
        let forward = if round == 1 { "uri-miss" } else { "stale" };
        let expected = format!("fwd={forward}; fwd-status=200; collapsed; ttl=9");
        assert_eq!(collapsed.unwrap().cache_status, expected);
        sleep(seconds(10)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn response_that_is_not_storable_is_not_shared() {
    for headers in [
        &[("cache-control", "no-store")][..],
        &[("cache-control", "no-cache"), ("etag", "\"a\"")],
        &[("cache-control", "max-age=10"), ("set-cookie", "a=b")],
        &[("cache-control", "max-age=10"), ("vary", "*")],
    ] {
        let gateway =
            Gateway::new(move |number, _| Reply::new(200, headers, &number.to_string()).after(seconds(1)));
        let responses = burst(&gateway, 10, &[]).await;
        let mut bodies: Vec<_> = responses
            .into_iter()
            .map(|received| received.unwrap().body.unwrap())
            .collect();
        bodies.sort();
        let expected: Vec<_> = (0..10).map(|number| number.to_string()).collect();
        assert_eq!(bodies, expected, "{headers:?}");
        // Now it is known that requests need not wait for each other.
        let start = Instant::now();
        burst(&gateway, 10, &[]).await;
        assert_eq!(start.elapsed().as_secs(), 1, "{headers:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn variants_are_fetched_once_each() {
    let gateway = Gateway::new(|_, request| {
        let body = format!("{:?}", request.headers.get("accept-language"));
        Reply::new(
            200,
            &[("cache-control", "max-age=10"), ("vary", "accept-language")],
            &body,
        )
        .after(seconds(1))
    });
    let (german, french) = tokio::join!(
        burst(&gateway, 5, &[("accept-language", "de")]),
        burst(&gateway, 5, &[("accept-language", "fr")]),
    );
    assert!(
        german
            .iter()
            .flatten()
            .all(|received| received.body.as_deref() == Ok("Some(\"de\")"))
    );
    assert!(
        french
            .iter()
            .flatten()
            .all(|received| received.body.as_deref() == Ok("Some(\"fr\")"))
    );
    assert_eq!(gateway.requests(), 2);
}

#[tokio::test(start_paused = true)]
async fn limit_of_one_client_rejects_no_other() {
    let gateway = Gateway::new(|number, _| match number {
        0..3 => Reply::rejected().after(seconds(1)),
        _ => Reply::new(200, &[("cache-control", "max-age=10")], "body").after(seconds(1)),
    });
    let responses = burst(&gateway, 10, &[]).await;
    let rejected = responses.iter().filter(|response| response.is_err());
    assert_eq!(rejected.count(), 3, "the clients that asked");
    assert_eq!(count(&responses, CacheOutcome::Collapsed), 6);
    assert_eq!(
        gateway.requests(),
        4,
        "the others wait for the same response again"
    );
}

#[tokio::test(start_paused = true)]
async fn first_reader_leaving_keeps_the_request() {
    for (delay, body_delay) in [(2, 0), (0, 2)] {
        let gateway = Gateway::new(move |_, _| {
            let mut reply = Reply::new(200, &[("cache-control", "max-age=10")], "body").after(seconds(delay));
            reply.body_delay = seconds(body_delay);
            reply
        });
        let leaving = async {
            let response = timeout(seconds(1), gateway.serve("GET", "/api/a", &[])).await;
            drop(response);
        };
        let staying = async {
            settle().await;
            gateway.get("/api/a", &[]).await
        };
        let ((), received) = tokio::join!(leaving, staying);
        assert_eq!(
            (received.outcome, received.body.as_deref()),
            (CacheOutcome::Collapsed, Ok("body"))
        );
        assert_eq!(gateway.requests(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn first_reader_gets_the_body_as_it_arrives() {
    let gateway = Gateway::new(|_, _| {
        let mut reply = Reply::new(200, &[("cache-control", "max-age=10")], "body");
        reply.body_delay = seconds(5);
        reply
    });
    let start = Instant::now();
    let response = gateway.serve("GET", "/api/a", &[]).await.unwrap();
    assert_eq!(start.elapsed(), seconds(0));
    assert_eq!(receive(response).await.body.as_deref(), Ok("body"));
    assert_eq!(start.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn failure_is_shared() {
    let gateway = Gateway::new(|_, _| Reply::failing().after(seconds(1)));
    let responses = burst(&gateway, 10, &[]).await;
    assert!(responses.iter().all(|response| response == &Err(Failure::Closed)));
    assert_eq!(gateway.requests(), 1);
    // So is one within the body.
    let gateway = Gateway::new(|_, _| {
        let mut reply = Reply::new(200, &[("cache-control", "max-age=10")], "half").after(seconds(1));
        reply.chunks.push(None);
        reply.has_length = false;
        reply
    });
    let responses = burst(&gateway, 10, &[]).await;
    let (own, others): (Vec<_>, Vec<_>) = responses.into_iter().partition(Result::is_ok);
    assert_eq!(own[0].as_ref().unwrap().body, Err(Failure::Closed));
    assert_eq!((own.len(), others.len(), gateway.requests()), (1, 9, 1));
    // Nothing of it was stored.
    assert_eq!(gateway.get("/api/a", &[]).await.outcome, CacheOutcome::Miss);
}

#[tokio::test(start_paused = true)]
async fn failing_revalidation_is_shared_as_stale() {
    for status in [Some(503), None] {
        let gateway = Gateway::new(move |number, _| match (number, status) {
            (0, _) => Reply::new(200, &[("cache-control", "max-age=10, stale-if-error=60")], "old"),
            (_, Some(status)) => Reply::new(status, &[], "new").after(seconds(1)),
            (_, None) => Reply::failing().after(seconds(1)),
        });
        gateway.get("/api/a", &[]).await;
        sleep(seconds(10)).await;
        let responses = burst(&gateway, 10, &[]).await;
        assert_eq!(count(&responses, CacheOutcome::Stale), 10);
        assert_eq!(gateway.requests(), 2);
    }
}
