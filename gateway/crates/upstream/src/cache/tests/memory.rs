//! Bounded memory.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::sleep;

use super::{CacheOutcome, Gateway, KIB, Reply, receive, seconds, settle};

fn of_size(bytes: usize, has_length: bool) -> Reply {
    let mut reply = Reply::new(200, &[("cache-control", "max-age=600")], "");
    let chunk = Bytes::from(vec![b'a'; KIB]);
    reply.chunks = vec![Some(chunk); bytes / KIB];
    reply.has_length = has_length;
    reply
}

#[tokio::test(start_paused = true)]
async fn large_response_is_streamed_and_not_stored() {
    for (size, has_length, status) in [
        (64, true, "fwd=uri-miss; fwd-status=200; stored; ttl=600"),
        (65, true, "fwd=uri-miss; fwd-status=200"),
        (65, false, "fwd=uri-miss; fwd-status=200; stored; ttl=600"),
    ] {
        let gateway = Gateway::new(move |_, _| of_size(size * KIB, has_length));
        let received = gateway.get("/api/a", &[]).await;
        assert_eq!(received.cache_status, status);
        assert_eq!(received.body.unwrap().len(), size * KIB);
        settle().await;
        let is_hit = gateway.get("/api/a", &[]).await.outcome == CacheOutcome::Hit;
        assert_eq!(is_hit, size == 64);
    }
}

#[tokio::test(start_paused = true)]
async fn memory_of_all_responses_is_bounded() {
    let size = 256 * KIB;
    let gateway = Gateway::with_limits(size, 64 * KIB, |_, _| of_size(32 * KIB, false));
    let mut readers = Vec::new();
    for number in 0..100 {
        // Half of the readers stop reading.
        let response = gateway
            .serve("GET", &format!("/api/{number}"), &[])
            .await
            .unwrap();
        settle().await;
        if number % 2 == 0 {
            readers.push(response);
        } else {
            assert_eq!(receive(response).await.body.unwrap().len(), 32 * KIB);
        }
        assert!(gateway.cache.budget().used() <= size);
    }
    // They get the rest when they go on.
    for response in readers {
        assert_eq!(receive(response).await.body.unwrap().len(), 32 * KIB);
    }
    gateway.cache.purge("/");
    assert_eq!(gateway.cache.budget().used(), 0);
    gateway.get("/api/a", &[]).await;
    assert_eq!(gateway.get("/api/a", &[]).await.outcome, CacheOutcome::Hit);
}

#[tokio::test(start_paused = true)]
async fn body_that_is_read_counts_after_its_removal() {
    let gateway = Gateway::new(|_, _| of_size(32 * KIB, true));
    gateway.get("/api/a", &[]).await;
    let reader = gateway.serve("GET", "/api/a", &[]).await.unwrap();
    assert_eq!(reader.outcome, CacheOutcome::Hit);
    assert_eq!(gateway.cache.purge("/"), 1);
    assert!(gateway.cache.budget().used() >= 32 * KIB);
    assert_eq!(receive(reader).await.body.unwrap().len(), 32 * KIB);
    assert_eq!(gateway.cache.budget().used(), 0);
}

#[tokio::test(start_paused = true)]
async fn heads_keys_and_variants_count() {
    let size = 256 * KIB;
    let gateway = Gateway::with_limits(size, 64 * KIB, |_, _| {
        let mut reply = Reply::new(200, &[("cache-control", "max-age=600"), ("vary", "accept")], "");
        reply.headers.push(("x-large".to_owned(), "a".repeat(8 * KIB)));
        reply
    });
    for number in 0..200 {
        gateway
            .get(
                &format!("/api/{}/{}", "k".repeat(KIB), number % 20),
                &[("accept", &number.to_string())],
            )
            .await;
        assert!(gateway.cache.budget().used() <= size);
    }
    assert!(gateway.cache.budget().used() > size / 2);
    // At most 16 variants of one URL stay.
    let gateway =
        Gateway::new(|_, _| Reply::new(200, &[("cache-control", "max-age=600"), ("vary", "accept")], ""));
    for number in 0..17 {
        gateway.get("/api/a", &[("accept", &number.to_string())]).await;
    }
    assert_eq!(gateway.cache.purge("/"), 16);
}

#[tokio::test(start_paused = true)]
async fn unstorable_responses_leave_little_memory() {
    let size = 64 * KIB;
    let gateway = Gateway::with_limits(size, 64 * KIB, |_, _| {
        Reply::new(404, &[("cache-control", "no-store")], "")
    });
    for number in 0..1000 {
        gateway.get(&format!("/api/{number}"), &[]).await;
        assert!(gateway.cache.budget().used() <= size);
    }
    sleep(seconds(1)).await;
    assert_eq!(gateway.cache.purge("/"), 0);
    assert_eq!(gateway.cache.budget().used(), 0);
}

#[tokio::test(start_paused = true)]
async fn unread_pieces_keep_no_buffer_and_count_with_overhead() {
    struct Buffer(#[expect(dead_code, reason = "it counts the buffers")] Arc<()>);
    impl AsRef<[u8]> for Buffer {
        fn as_ref(&self) -> &[u8] {
            b"a"
        }
    }
    let (pieces, buffers) = (1000, Arc::new(()));
    let counted = Arc::clone(&buffers);
    let gateway = Gateway::new(move |_, _| {
        let mut reply = of_size(0, false);
        let buffer = || Some(Bytes::from_owner(Buffer(Arc::clone(&counted))));
        reply.chunks = std::iter::repeat_with(buffer).take(pieces).collect();
        reply
    });
    let response = gateway.serve("GET", "/api/a", &[]).await.unwrap();
    settle().await;
    // Those of the handler and of this test.
    assert_eq!(Arc::strong_count(&buffers), 2);
    assert!(gateway.cache.budget().used() > pieces * 64);
    assert_eq!(receive(response).await.body.unwrap().len(), pieces);
    assert!(gateway.cache.budget().used() < 3 * KIB);
}
