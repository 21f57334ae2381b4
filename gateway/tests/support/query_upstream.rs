//! A JSON API behind the gateway, on a real socket.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;

use super::client::TIMEOUT;

/// A running upstream.
pub(crate) struct QueryUpstream {
    address: SocketAddr,
    shared: Arc<Shared>,
    held: watch::Sender<bool>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The status, `Cache-Control` and body by path and query.
    responses: HashMap<String, (StatusCode, String, String)>,
    received: Vec<ReceivedRequest>,
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    /// The path and query.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
}

impl QueryUpstream {
    /// Starts an upstream that responds with 404 to every path.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let (held, is_held) = watch::channel(false);
        let served = Arc::clone(&shared);
        // The thread ends with the test process.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(serve(listener, served, is_held));
        });
        Self {
            address,
            shared,
            held,
        }
    }

    /// Responds to a path and query with 200 and JSON.
    pub(crate) fn respond(&self, target: &str, cache_control: &str, body: &str) {
        self.respond_with(target, StatusCode::OK, cache_control, body);
    }

    /// Responds to a path and query with this status.
    pub(crate) fn respond_with(&self, target: &str, status: StatusCode, cache_control: &str, body: &str) {
        let response = (status, cache_control.to_owned(), body.to_owned());
        self.shared
            .state
            .lock()
            .responses
            .insert(target.to_owned(), response);
    }

    /// Holds back all responses until [`Self::release`]. They are those of the time when their requests arrive.
    pub(crate) fn hold(&self) {
        self.held.send_replace(true);
    }

    /// Sends the responses that are held back.
    pub(crate) fn release(&self) {
        self.held.send_replace(false);
    }

    /// The configuration of a gateway that serves it below `/api/x`.
    pub(crate) fn table(&self) -> String {
        let address = self.address;
        format!("[upstreams.x]\npath = \"/api/x\"\nurls = [\"http://{address}\"]\n")
    }

    /// All requests so far.
    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.shared.state.lock().received.clone()
    }

    /// Waits for this many requests in total.
    pub(crate) fn wait_for_requests(&self, count: usize) {
        let mut state = self.shared.state.lock();
        let is_waiting = |state: &mut State| state.received.len() < count;
        let waited = self
            .shared
            .changed
            .wait_while_for(&mut state, is_waiting, TIMEOUT);
        assert!(!waited.timed_out(), "timed out: {count} queries arrive");
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>, is_held: watch::Receiver<bool>) {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let (shared, is_held) = (Arc::clone(&shared), is_held.clone());
        let service = service_fn(move |request| respond(request, Arc::clone(&shared), is_held.clone()));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}

async fn respond(
    request: http::Request<Incoming>,
    shared: Arc<Shared>,
    mut is_held: watch::Receiver<bool>,
) -> Result<http::Response<Full<Bytes>>, Infallible> {
    let target = request.uri().to_string();
    let received = ReceivedRequest {
        target: target.clone(),
        headers: request.headers().clone(),
    };
    let response = {
        let mut state = shared.state.lock();
        state.received.push(received);
        state.responses.get(&target).cloned()
    };
    shared.changed.notify_all();
    // Fails only when the test has ended.
    let _ = is_held.wait_for(|is_held| !is_held).await;
    let (status, cache_control, body) =
        response.unwrap_or_else(|| (StatusCode::NOT_FOUND, "no-store".to_owned(), String::new()));
    let response = http::Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .header("cache-control", cache_control);
    Ok(response.body(Full::new(Bytes::from(body))).unwrap())
}
