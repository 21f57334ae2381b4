//! Listeners and their connections: accepting, limits, the deadlines hyper leaves to us, and the way out.

mod answer;
mod body;
mod connection;
mod faults;
mod http1;
mod http2;
mod idle;
mod linger;
mod listen;
mod meter;
mod pace;
mod proxy;
mod rewind;
mod room;
mod seats;
mod settings;
mod sniff;
mod tap;
mod tls;
mod visitor;
mod watch;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body::Body;
use tokio::net::{TcpListener, TcpStream};
use tower::Service;

use crate::metrics::{ConnectionMetrics, Refusal};
use crate::reply::Request;
pub(crate) use body::RequestBody;
use connection::Connection;
use faults::Faults;
use linger::Farewells;
pub(crate) use listen::{Inherited, raise_descriptors};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz {
    //! What must hold of what a connection brings.

    pub(crate) use super::http2::fuzz::frames;
    pub(crate) use super::proxy::fuzz::proxy_header;
}
use room::Room;
pub(crate) use seats::{Client, Seat};
pub(crate) use settings::{CurrentSettings, Hosts, Settings};
pub(crate) use tls::Tls;
pub(crate) use visitor::Line;
use watch::Watch;

/// How long to wait after the system refused a connection, so that being out of file descriptors does not become
/// being out of CPU, too.
const BACKOFF: Duration = Duration::from_millis(100);

/// The most connections too many that are heard out at a time. They have descriptors, too, so where there are few of those
/// it is one in so many of them.
const LINGERING: usize = 64;
const LINGERING_OF: usize = 16;

/// The protocol a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Http1,
    Http2,
}

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
    type Body: Body<Data = Bytes, Error = std::convert::Infallible> + Send + Unpin + 'static;
}

impl<S, B> Serve for S
where
    S: Service<Request, Response = Response<B>, Error = std::convert::Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes, Error = std::convert::Infallible> + Send + Unpin + 'static,
{
    type Body = B;
}

/// A listener with all it goes by.
pub(crate) struct Listener {
    /// Where connections come from.
    pub(crate) socket: TcpListener,
    /// How it is encrypted, if it is.
    pub(crate) tls: Option<Tls>,
    /// What it goes by.
    pub(crate) settings: CurrentSettings,
    /// The most connections that the system's file descriptors allow, whatever the settings say.
    pub(crate) capacity: usize,
    /// What is counted.
    pub(crate) metrics: ConnectionMetrics,
    /// Whether events name clients' addresses.
    pub(crate) addresses: bool,
}

impl Listener {
    /// Serves connections until told to stop, then lets what is under way finish, but not for ever.
    pub(crate) async fn serve<S: Serve>(self, routes: S, stop: tokio::sync::watch::Receiver<bool>) {
        let mut room = Room::default();
        let mut stopped = stop.clone();
        let faults = Arc::new(Faults::new(self.metrics.listener(), self.addresses));
        let farewells = Farewells::new(self.lingering(), stop.clone());
        loop {
            let (stream, peer) = tokio::select! {
                accepted = self.accept() => accepted,
                Some(()) = room.ended() => continue,
                () = asked(&mut stopped) => break,
            };
            let settings = self.settings.load_full();
            let seat = match self.seat(&mut room, &settings, peer.ip()).await {
                Ok(seat) => seat,
                Err(refusal) => {
                    self.metrics.refused(refusal);
                    if self.tls.is_none()
                        && let Some(farewell) = farewells.say(&stream)
                    {
                        let mut stream = stream;
                        room.serve(async move { farewell.hear_out(&mut stream).await });
                    }
                    continue;
                }
            };
            let connection = Connection {
                routes: routes.clone(),
                watch: Watch::new(settings.limits, room.idle()),
                settings,
                current: Arc::clone(&self.settings),
                tls: self.tls.clone(),
                seat,
                stop: stop.clone(),
                metrics: self.metrics.clone(),
                faults: Arc::clone(&faults),
                farewells: farewells.clone(),
            };
            room.serve(connection.serve(stream, peer.ip()));
        }
        drop(self.socket);
        let all = async { while room.ended().await.is_some() {} };
        let drain = self.settings.load().limits.drain;
        if tokio::time::timeout(drain, all).await.is_err() {
            // What is left is dropped with the room.
            tracing::warn!(event = "drain_cut_short", connections = room.len());
        }
    }

    /// How many connections too many are heard out at a time.
    fn lingering(&self) -> usize {
        LINGERING.min(self.capacity / LINGERING_OF)
    }

    /// A seat for who has just connected.
    async fn seat(&self, room: &mut Room, settings: &Settings, peer: IpAddr) -> Result<Seat, Refusal> {
        // Behind a proxy are many.
        let is_one = !proxy::is_known(&settings.proxies, peer.to_canonical());
        let capacity = self.capacity - self.lingering();
        let most = settings.limits.connections.min(capacity);
        let client = is_one.then(|| Client::at(peer));
        room.seat(most, client, &settings.limits).await
    }

    /// The next connection. Waits out what the system cannot do just now.
    async fn accept(&self) -> (TcpStream, SocketAddr) {
        loop {
            match self.socket.accept().await {
                Ok(accepted) => return accepted,
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    self.metrics.refused(Refusal::System);
                    tracing::warn!(event = "accept_failed", error = %error);
                    tokio::time::sleep(BACKOFF).await;
                }
            }
        }
    }
}

/// Waits until the gateway is told to stop.
async fn asked(stop: &mut tokio::sync::watch::Receiver<bool>) {
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
