//! Tests of the cache with an upstream that a closure plays, in paused time.

mod credentials;
mod hit;
mod memory;
mod purge;
mod rules;
mod sharing;
mod stale;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, request};
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Sleep, sleep};

use super::policy::has_credentials;
use super::{CacheLimits, CacheOutcome, CacheResponse, Fetch, Interrupted, ResponseCache, VisitorRequest};
use crate::base_path::prefix_segments;

const KIB: usize = 1024;

/// The headers of a message.
type Headers = &'static [(&'static str, &'static str)];

/// Why the upstream of a test fails.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Failure {
    Closed,
    OfClient,
    Interrupted,
    NotCached,
}

impl From<Interrupted> for Failure {
    fn from(Interrupted: Interrupted) -> Self {
        Self::Interrupted
    }
}

/// What the upstream of a test does.
#[derive(Debug, Clone)]
struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    /// The chunks of the body. `None` is a failure.
    chunks: Vec<Option<Bytes>>,
    has_length: bool,
    /// Before the head, and before each chunk.
    delay: Duration,
    /// Before the first chunk.
    body_delay: Duration,
    /// Instead of the response.
    fails: Option<Failure>,
}

impl Reply {
    fn new(status: u16, headers: Headers, body: &str) -> Self {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            status,
            headers: headers.collect(),
            chunks: vec![Some(Bytes::from(body.to_owned()))],
            has_length: true,
            delay: Duration::ZERO,
            body_delay: Duration::ZERO,
            fails: None,
        }
    }

    fn failing() -> Self {
        Self {
            fails: Some(Failure::Closed),
            ..Self::new(200, &[], "")
        }
    }

    /// The request is not sent, because of its client.
    fn rejected() -> Self {
        Self {
            fails: Some(Failure::OfClient),
            ..Self::failing()
        }
    }

    fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// The body of a reply.
#[derive(Debug)]
struct ReplyBody {
    chunks: VecDeque<Option<Bytes>>,
    has_length: bool,
    delay: Pin<Box<Sleep>>,
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        if self.delay.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        let chunk = self.chunks.pop_front();
        Poll::Ready(chunk.map(|chunk| chunk.map(Frame::data).ok_or(Failure::Closed)))
    }

    fn size_hint(&self) -> SizeHint {
        if !self.has_length {
            return SizeHint::default();
        }
        let length: usize = self.chunks.iter().flatten().map(Bytes::len).sum();
        SizeHint::with_exact(length as u64)
    }
}

type Handler = dyn Fn(usize, &request::Parts) -> Reply + Send + Sync;

/// An upstream. It gives its handler the number of the request, from 0.
#[derive(Clone)]
struct Upstream {
    handler: Arc<Handler>,
    requests: Arc<Mutex<Vec<request::Parts>>>,
}

impl Fetch for Upstream {
    type Body = ReplyBody;
    type Error = Failure;

    async fn fetch(&self, request: &request::Parts) -> Result<Response<ReplyBody>, Failure> {
        let number = {
            let mut requests = self.requests.lock();
            requests.push(request.clone());
            requests.len() - 1
        };
        let reply = (self.handler)(number, request);
        sleep(reply.delay).await;
        if let Some(failure) = reply.fails {
            return Err(failure);
        }
        let mut response = Response::new(ReplyBody {
            chunks: reply.chunks.into(),
            has_length: reply.has_length,
            delay: Box::pin(sleep(reply.body_delay)),
        });
        *response.status_mut() = reply.status.try_into().unwrap();
        for (name, value) in reply.headers {
            let name: HeaderName = name.parse().unwrap();
            // One character is one byte, so that tests can send any.
            let value: Vec<u8> = value.chars().map(|c| u8::try_from(c).unwrap()).collect();
            response
                .headers_mut()
                .append(name, HeaderValue::from_bytes(&value).unwrap());
        }
        Ok(response)
    }

    fn is_shared(error: &Failure) -> bool {
        *error != Failure::OfClient
    }

    fn not_cached() -> Failure {
        Failure::NotCached
    }
}

/// A cache in front of an upstream.
#[derive(Clone)]
struct Gateway {
    cache: Arc<ResponseCache<Failure>>,
    upstream: Upstream,
}

/// A response that was read to its end.
#[derive(Debug, PartialEq, Eq)]
struct Received {
    status: u16,
    headers: HeaderMap,
    /// What follows `colonnade; ` in `Cache-Status`.
    cache_status: String,
    body: Result<String, Failure>,
    outcome: CacheOutcome,
}

impl Gateway {
    fn new(handler: impl Fn(usize, &request::Parts) -> Reply + Send + Sync + 'static) -> Self {
        Self::with_limits(1024 * KIB, 64 * KIB, handler)
    }

    fn with_limits(
        size: usize,
        max_response: usize,
        handler: impl Fn(usize, &request::Parts) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let prefixes = ["/api/events", "/api"].map(prefix_segments);
        Self {
            cache: ResponseCache::new(CacheLimits { size, max_response }, prefixes.into()),
            upstream: Upstream {
                handler: Arc::new(handler),
                requests: Arc::default(),
            },
        }
    }

    /// A gateway whose upstream always replies the same, with the number of the request as its
    /// body.
    fn replying(status: u16, headers: Headers) -> Self {
        Self::new(move |number, _| Reply::new(status, headers, &number.to_string()))
    }

    async fn serve(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<CacheResponse<ReplyBody>, Failure> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (request, ()) = request.body(()).unwrap().into_parts();
        let hit = self.find_hit(path, headers);
        let request = VisitorRequest::new(request, self.upstream.clone());
        let served = self.cache.serve(&request).await;
        if let Some(hit) = hit {
            let served = served.as_ref().expect("a hit");
            assert_eq!(format!("{hit:?}"), format!("{served:?}"));
        }
        served
    }

    /// The hit that is found without the headers for the upstream.
    fn find_hit(&self, path: &str, headers: &[(&str, &str)]) -> Option<CacheResponse<ReplyBody>> {
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let headers = request.headers_ref().expect("valid headers");
        self.cache.find_hit(path, headers, has_credentials(headers))
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Received {
        receive(self.serve("GET", path, headers).await.expect("a response")).await
    }

    /// The outcome and the body of a GET.
    async fn outcome(&self, path: &str, headers: &[(&str, &str)]) -> (CacheOutcome, String) {
        let received = self.get(path, headers).await;
        (received.outcome, received.body.unwrap())
    }

    fn requests(&self) -> usize {
        self.upstream.requests.lock().len()
    }

    fn last_request(&self) -> request::Parts {
        self.upstream.requests.lock().last().expect("a request").clone()
    }
}

async fn receive(response: CacheResponse<ReplyBody>) -> Received {
    let (head, mut body) = response.response.into_parts();
    let mut bytes = Vec::new();
    let body = loop {
        match poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            None => break Ok(String::from_utf8(bytes).unwrap()),
            Some(Ok(frame)) => bytes.extend_from_slice(&frame.into_data().unwrap()),
            Some(Err(error)) => break Err(error),
        }
    };
    let cache_status = head.headers.get_all("cache-status").iter().next_back();
    let cache_status = cache_status.map_or("", |value| value.to_str().unwrap());
    let cache_status = cache_status.strip_prefix("colonnade; ").unwrap_or(cache_status);
    Received {
        status: head.status.as_u16(),
        cache_status: cache_status.to_owned(),
        headers: head.headers,
        body,
        outcome: response.outcome,
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Lets the tasks in the background run.
async fn settle() {
    sleep(Duration::from_millis(1)).await;
}
