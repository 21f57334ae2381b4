//! Listeners and their connections: accepting, the deadlines hyper leaves to us, and the way out.

mod connection;
mod rewind;
mod sniff;

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body::Body;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::Service;

use crate::reply::Request;

/// How long what is under way may take to finish once the gateway is told to stop.
const DRAIN: Duration = Duration::from_secs(10);

/// How long to wait after the system refused a connection, so that being out of file descriptors does not become
/// being out of CPU, too.
const BACKOFF: Duration = Duration::from_millis(100);

/// What a listener needs of a service.
pub(crate) trait Serve:
    Service<
        Request,
        Response = Response<Self::Body>,
        Error = std::convert::Infallible,
        Future: Send + 'static,
    > + Clone
    + Send
    + 'static
{
    /// The bodies it answers with.
    type Body: Body<Data = Bytes, Error = std::convert::Infallible> + Send + 'static;
}

impl<S, B> Serve for S
where
    S: Service<Request, Response = Response<B>, Error = std::convert::Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes, Error = std::convert::Infallible> + Send + 'static,
{
    type Body = B;
}

/// Serves connections until told to stop, then lets what is under way finish, but not for ever.
pub(crate) async fn serve<S: Serve>(listener: TcpListener, service: S, stop: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let mut stopped = stop.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // What goes wrong on a connection is the client's to see.
                    connections.spawn(connection::serve(stream, peer.ip(), service.clone(), stop.clone()));
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(event = "accept_failed", error = %error);
                    tokio::time::sleep(BACKOFF).await;
                }
            },
            Some(_) = connections.join_next() => {}
            () = asked(&mut stopped) => break,
        }
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN, all).await.is_err() {
        tracing::warn!(event = "drain_cut_short", connections = connections.len());
        connections.abort_all();
    }
}

/// Waits until the gateway is told to stop.
async fn asked(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Whether accepting failed because of the connection itself, which says nothing about the next.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
    )
}
