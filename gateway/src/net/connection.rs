//! One connection, from its first byte to its end.

use std::future::{pending, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulConnection;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::unconstrained;
use tokio::time::{sleep, timeout};

use super::faults::{self, Faults};
use super::http1::{self, Http1};
use super::http2::{self, Http2};
use super::linger::Farewells;
use super::meter::Meter;
use super::rewind::Rewind;
use super::seats::{Client, Seat};
use super::settings::{CurrentSettings, Settings};
use super::sniff::sniff;
use super::tap::Tap;
use super::tls::Tls;
use super::visitor::Visitor;
use super::watch::{End, Lasting, Watch};
use super::{Protocol, Serve, asked, proxy};
use crate::metrics::{ConnectionMetrics, Ended, Refusal};

/// How long a client that had connected when the gateway was told to stop may take to begin, and one over HTTP/1 then for
/// its first request, or its next: it must not be turned away for having come a moment before.
const LAST_CALL: Duration = Duration::from_millis(500);

/// A connection that was just made.
pub(super) struct Connection<S> {
    pub(super) routes: S,
    /// Those it began with.
    pub(super) settings: Arc<Settings>,
    pub(super) current: CurrentSettings,
    pub(super) tls: Option<Tls>,
    pub(super) seat: Seat,
    /// From the moment it was accepted, and for as long as it lasts.
    pub(super) watch: (Watch, Lasting),
    pub(super) stop: watch::Receiver<bool>,
    pub(super) metrics: ConnectionMetrics,
    pub(super) faults: Arc<Faults>,
    pub(super) farewells: Farewells,
}

impl<S: Serve> Connection<S> {
    /// Serves it.
    pub(super) async fn serve(mut self, stream: TcpStream, peer: IpAddr) {
        let watch = self.watch.0.clone();
        // Answers are written whole; waiting for more to send would only delay them.
        let _ = stream.set_nodelay(true);
        let open = self.metrics.opened();
        let mut stop = self.stop.clone();
        let last_call = async {
            asked(&mut stop).await;
            sleep(LAST_CALL).await;
            // Who has begun is heard out: what a greeting may take has limits of its own.
            if watch.is_heard() {
                pending::<()>().await;
            }
        };
        let greeted = tokio::select! {
            // What has been said already is heard first.
            biased;
            greeted = self.greet(stream, peer, &watch) => greeted,
            () = watch.dismissed() => Err(Refusal::All.into()),
            () = last_call => return,
        };
        let greeted = match greeted {
            Ok(greeted) => greeted,
            Err(unwanted) => {
                self.metrics.refused(unwanted.refusal);
                // Nobody's place from here on.
                drop((self.seat, self.watch, open));
                return unwanted.leave(&self.farewells).await;
            }
        };
        let client = greeted.connected;
        let visitor = Visitor {
            routes: self.routes,
            connected: client,
            settings: self.current,
            watch: watch.clone(),
            metrics: self.metrics.clone(),
        };
        watch.begin();
        let ended = match greeted.stream {
            Stream::Clear(io) => speak(greeted.protocol, io, visitor, watch.clone(), self.stop).await,
            Stream::Tls(io) => speak(greeted.protocol, io, visitor, watch.clone(), self.stop).await,
        };
        if ended.is_fault() {
            self.faults.tell(ended, client);
        }
        self.metrics.ended(ended);
        drop(self.seat);
    }

    /// Finds out who connected and what they speak.
    async fn greet(&mut self, stream: TcpStream, peer: IpAddr, watch: &Watch) -> Result<Greeted, Unwanted> {
        let limits = self.settings.limits;
        let mut connected = peer.to_canonical();
        let mut stream = Meter::new(stream, watch.clone());
        let mut start = bytes::Bytes::new();
        if self.settings.proxy_protocol && proxy::is_known(&self.settings.proxies, connected) {
            let header = timeout(limits.first_byte, proxy::read(&mut stream)).await;
            let header = header.ok().and_then(Result::ok);
            let (source, rest) = header.ok_or(Refusal::Greeting)?;
            connected = source.unwrap_or(connected).to_canonical();
            start = rest;
        }
        stream.introduce(!start.is_empty());
        // Behind a proxy are many.
        let is_one = !proxy::is_known(&self.settings.proxies, connected);
        if is_one
            && !self
                .seat
                .belongs_to(Client::at(connected), limits.connections_per_client)
        {
            return Err(Unwanted {
                refusal: Refusal::Client,
                told: self.tls.is_none().then_some(stream),
            });
        }
        let mut stream = Rewind::new(start, stream);
        let (stream, protocol) = if let Some(tls) = &self.tls {
            let accepted = timeout(limits.handshake, tls.accept(stream)).await;
            let accepted = accepted.ok().and_then(Result::ok);
            let (stream, protocol) = accepted.ok_or(Refusal::Greeting)?;
            (Stream::Tls(Box::new(stream)), protocol)
        } else {
            let sniffed = sniff(&mut stream, limits.first_byte).await;
            let (protocol, start) = sniffed.ok_or(Refusal::Greeting)?;
            (Stream::Clear(Rewind::new(start, stream)), protocol)
        };
        Ok(Greeted {
            connected,
            protocol,
            stream,
        })
    }
}

/// A client that said what it speaks.
struct Greeted {
    connected: IpAddr,
    protocol: Protocol,
    stream: Stream,
}

/// A client that is not served.
struct Unwanted {
    refusal: Refusal,
    /// How it is told, if it is.
    told: Option<Meter>,
}

impl From<Refusal> for Unwanted {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, told: None }
    }
}

impl Unwanted {
    /// Says good-bye.
    async fn leave(self, farewells: &Farewells) {
        if let Some(mut stream) = self.told
            && let Some(farewell) = farewells.say(stream.get_mut())
        {
            farewell.hear_out(stream.get_mut()).await;
        }
    }
}

type Socket = Rewind<Meter>;

enum Stream {
    Clear(Rewind<Socket>),
    Tls(Box<tokio_rustls::server::TlsStream<Socket>>),
}

/// Answers the requests of a connection. Back comes why it ended.
async fn speak<S, I>(
    protocol: Protocol,
    io: I,
    visitor: Visitor<S>,
    watch: Watch,
    stop: watch::Receiver<bool>,
) -> Ended
where
    S: Serve,
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = watch.limits();
    match protocol {
        Protocol::Http1 => {
            let builder = http1::builder(&limits);
            let io = TokioIo::new(Tap::new(io, Http1::new(watch.clone())));
            drive(builder.serve_connection(io, visitor), protocol, watch, stop).await
        }
        Protocol::Http2 => {
            let builder = http2::builder(&limits);
            let io = TokioIo::new(Tap::new(io, Http2::new(watch.clone())));
            drive(builder.serve_connection(io, visitor), protocol, watch, stop).await
        }
    }
}

/// Runs a connection to its end. Once told to stop, or at the end of its life, it ends after what is under way, for as long
/// as the client does its part.
///
/// A client that never pauses has its connection use up all that tokio lets a task do in one turn, after which a deadline looks
/// as if it had not come. So deadlines are waited for without that limit.
async fn drive<C>(connection: C, protocol: Protocol, watch: Watch, mut stop: watch::Receiver<bool>) -> Ended
where
    C: GracefulConnection<Error = hyper::Error>,
{
    let mut connection = pin!(connection);
    let (ended, may_take) = tokio::select! {
        // The connection first: what it reads moves the deadlines, and a request that has arrived is not turned away.
        biased;
        outcome = &mut connection => return ended(&watch, outcome, Ended::Closed),
        end = unconstrained(watch.end()) => match end {
            End::Retire(cause) => (cause, watch.limits().drain),
            End::Abandon(Ended::Crowded) => {
                say_goodbye(connection).await;
                return ended(&watch, Ok(()), Ended::Crowded);
            }
            End::Abandon(cause) => return cause,
        },
        // The listener keeps the deadline for all of them.
        () = unconstrained(asked(&mut stop)) => (Ended::Stopped, Duration::MAX),
    };
    // An HTTP/1 client hears of the end only with an answer. A request that is on its way now must get one, so whoever was
    // asking just before is waited for.
    if protocol == Protocol::Http1 && ended != Ended::Idle {
        watch.leave();
        tokio::select! {
            biased;
            outcome = &mut connection => return self::ended(&watch, outcome, ended),
            () = unconstrained(sleep(LAST_CALL.min(may_take))) => {}
        }
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        biased;
        outcome = &mut connection => return self::ended(&watch, outcome, ended),
        () = unconstrained(watch.abandoned()) => return self::ended(&watch, Ok(()), ended),
        () = unconstrained(sleep(may_take)) => {}
    }
    // An HTTP/2 client may go on to ask until it has heard of the end, and never say that it has.
    watch.close();
    tokio::select! {
        biased;
        outcome = connection => self::ended(&watch, outcome, ended),
        () = unconstrained(watch.abandoned()) => self::ended(&watch, Ok(()), ended),
        () = unconstrained(watch.rested()) => ended,
    }
}

/// Tells the client of an idle connection that it ends, as far as that can be done without waiting.
async fn say_goodbye<C: GracefulConnection>(mut connection: Pin<&mut C>) {
    connection.as_mut().graceful_shutdown();
    poll_fn(|cx| {
        let _ = connection.as_mut().poll(cx);
        Poll::Ready(())
    })
    .await;
}

/// Why a connection ended: for what its client did wrong, or else `otherwise`.
fn ended(watch: &Watch, outcome: hyper::Result<()>, otherwise: Ended) -> Ended {
    let told = outcome.err().and_then(|error| faults::of(&error));
    watch.fault().or(told).unwrap_or(otherwise)
}
