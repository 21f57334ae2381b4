//! Requests with cookies or `Authorization`.

use colonnade_testing::cases;
use proptest::collection::vec;
use proptest::prelude::*;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{CacheOutcome, Gateway, Headers, Reply, seconds};

#[tokio::test(start_paused = true)]
async fn credentials_need_public_in_both_directions() {
    const COOKIE: Headers = &[("cookie", "a=b")];
    const TOKEN: Headers = &[("authorization", "Bearer a")];
    for (cache_control, is_shared) in [
        ("max-age=60", false),
        // RFC 9111, section 3.5 would allow these two for `Authorization`.
        ("s-maxage=60", false),
        ("max-age=60, must-revalidate", false),
        ("public, max-age=60", true),
    ] {
        for (first, second) in [
            (COOKIE, &[][..]),
            (&[], COOKIE),
            (TOKEN, &[]),
            (&[], TOKEN),
            (COOKIE, TOKEN),
        ] {
            let gateway = Gateway::new(move |number, _| {
                let mut reply = Reply::new(200, &[], &number.to_string());
                reply.headers = vec![("cache-control".to_owned(), cache_control.to_owned())];
                reply
            });
            gateway.get("/api/a", first).await;
            let received = gateway.get("/api/a", second).await;
            let is_hit = received.outcome == CacheOutcome::Hit;
            assert_eq!(is_hit, is_shared, "{cache_control} {first:?} {second:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn public_response_that_varies_by_cookie_is_not_stored() {
    let gateway = Gateway::replying(
        200,
        &[("cache-control", "public, max-age=60"), ("vary", "cookie")],
    );
    for _ in 0..2 {
        assert_eq!(
            gateway.get("/api/a", &[("cookie", "a=b")]).await.outcome,
            CacheOutcome::Bypass
        );
    }
    gateway.get("/api/a", &[]).await;
    assert_eq!(gateway.get("/api/a", &[]).await.outcome, CacheOutcome::Hit);
    assert_ne!(
        gateway.get("/api/a", &[("cookie", "a=b")]).await.outcome,
        CacheOutcome::Hit
    );
}

/// A request of a test: who sends it, for which path, how it is cached, and after how long.
#[derive(Debug, Clone)]
struct Step {
    /// 0 is a visitor without credentials.
    visitor: u8,
    is_token: bool,
    path: u8,
    cache_control: &'static str,
    vary: Option<&'static str>,
    status: u16,
    etag: bool,
    wait: u64,
}

fn step() -> impl Strategy<Value = Step> {
    let cache_control = prop::sample::select(vec![
        "max-age=5",
        "s-maxage=5",
        "max-age=5, must-revalidate",
        "no-cache",
        "max-age=0, stale-while-revalidate=10",
        "max-age=2, stale-if-error=20",
        "private, max-age=5",
        "",
    ]);
    let vary = prop::sample::select(vec![None, Some("cookie"), Some("accept")]);
    let status = prop::sample::select(vec![200, 200, 200, 404, 503]);
    let who = (0..4_u8, any::<bool>(), 0..2_u8);
    (who, cache_control, vary, status, any::<bool>(), 0..4_u64).prop_map(
        |((visitor, is_token, path), cache_control, vary, status, etag, wait)| Step {
            visitor,
            is_token,
            path,
            cache_control,
            vary,
            status,
            etag,
            wait,
        },
    )
}

proptest! {
    #![proptest_config(cases(64))]

    /// Without `public`, what a request with credentials gets is for it alone, and others get
    /// nothing of it, whether requests are sequential or concurrent.
    #[test]
    fn response_to_credentials_is_never_served_to_another(steps in vec(step(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(run(steps));
    }
}

async fn run(steps: Vec<Step>) {
    let script = steps.clone();
    let gateway = Gateway::new(move |_, request| {
        // The body is what the upstream knows about the visitor.
        let credentials = ["cookie", "authorization"].map(|name| request.headers.get(name));
        let visitor = credentials
            .into_iter()
            .flatten()
            .next()
            .map_or("0", |value| value.to_str().unwrap());
        let number: usize = request.headers["x-step"].to_str().unwrap().parse().unwrap();
        let step = &script[number];
        let mut reply = Reply::new(step.status, &[], visitor).after(seconds(1));
        let mut header = |name: &str, value: &str| reply.headers.push((name.to_owned(), value.to_owned()));
        header("cache-control", step.cache_control);
        if let Some(vary) = step.vary {
            header("vary", vary);
        }
        if step.etag {
            header("etag", &format!("\"{visitor}\""));
        }
        if request
            .headers
            .get("if-none-match")
            .is_some_and(|tag| *tag == format!("\"{visitor}\""))
        {
            reply.status = 304;
            reply.chunks.clear();
        }
        reply
    });
    let mut tasks = JoinSet::new();
    for (number, step) in steps.into_iter().enumerate() {
        sleep(seconds(step.wait)).await;
        let gateway = gateway.clone();
        tasks.spawn(async move {
            let (number, visitor) = (number.to_string(), step.visitor.to_string());
            let mut headers = vec![("x-step", number.as_str())];
            if step.visitor > 0 {
                headers.push((if step.is_token { "authorization" } else { "cookie" }, &visitor));
            }
            let received = gateway.get(&format!("/api/{}", step.path), &headers).await;
            assert_eq!(received.body, Ok(visitor), "{step:?}");
        });
    }
    tasks.join_all().await;
}
