//! One connection, from its first byte to its end.

use std::net::IpAddr;
use std::pin::pin;
use std::time::Duration;

use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::rewind::Rewind;
use super::sniff::{Protocol, sniff};
use super::{Serve, asked};
use crate::reply::{Peer, Request};

/// How long the head of a request may take, and how long a connection may wait for the next one: hyper has one knob
/// for both.
const HEAD: Duration = Duration::from_secs(30);

/// The most bytes of a request's head. This is what bounds it: hyper's own limit counts headers, not bytes.
const MAX_HEAD: usize = 16 * 1024;

/// How often an HTTP/2 client is asked whether it is still there, and how long it may take to say so.
const PING: Duration = Duration::from_secs(20);

/// The most requests of one HTTP/2 connection at a time.
const MAX_STREAMS: u32 = 100;

/// Serves one connection.
pub(super) async fn serve<S: Serve>(
    mut stream: TcpStream,
    peer: IpAddr,
    service: S,
    mut stop: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let sniffed = tokio::select! {
        sniffed = sniff(&mut stream) => sniffed,
        () = asked(&mut stop) => None,
    };
    let Some((protocol, start)) = sniffed else {
        return;
    };
    let io = TokioIo::new(Rewind::new(start, stream));
    let service = TowerToHyperService::new(service.map_request(move |mut request: Request| {
        request.extensions_mut().insert(Peer(peer));
        request
    }));
    match protocol {
        Protocol::Http1 => {
            let mut builder = http1::Builder::new();
            // Without a timer the deadline would do nothing.
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_buf_size(MAX_HEAD);
            drive(builder.serve_connection(io, service), stop).await;
        }
        Protocol::Http2 => {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .keep_alive_interval(PING)
                .keep_alive_timeout(PING)
                .max_concurrent_streams(MAX_STREAMS)
                .max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX));
            drive(builder.serve_connection(io, service), stop).await;
        }
    }
}

/// Runs a connection to its end. Once told to stop it takes no new request and ends after those under way.
async fn drive<C: GracefulConnection>(connection: C, mut stop: watch::Receiver<bool>) {
    let mut connection = pin!(connection);
    let stopping = tokio::select! {
        // How a connection ends is no news: clients leave as they please.
        _ = &mut connection => false,
        () = asked(&mut stop) => true,
    };
    if stopping {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}
