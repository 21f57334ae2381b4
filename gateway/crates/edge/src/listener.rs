//! A listener: accepts connections and serves each one in its own task.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use colonnade_admission::{Full, Permit, Pool};
use colonnade_clock::poll::read_once;
use colonnade_memory::Pressure;
use colonnade_web::client::ClientKey;

use crate::connection::{CloseLog, Connection};
use crate::lingering_close::LingeringCloses;
use crate::metrics::{ListenerConnectionMetrics, RejectReason};
use crate::service::HttpService;
use crate::settings::{CurrentSettings, Settings};
use crate::shutdown::shutdown_requested;
use crate::state::ConnectionState;
use crate::tls::Tls;

/// The delay after a failed `accept`, so that a lack of file descriptors does not become a busy
/// loop.
const BACKOFF: Duration = Duration::from_millis(100);

/// How long a new connection waits for an open connection to close, which takes one poll of its
/// task.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The maximum number of rejected connections in a lingering close at a time.
const MAX_LINGERING: usize = 64;

/// How many connections may be open although memory is short. They take little, and operators and
/// health checks need some.
const MIN_CONNECTIONS: usize = 64;

/// Lingering closes use at most one of this many file descriptors.
const LINGERING_SHARE: usize = 16;

/// A listener and its configuration.
pub struct Listener {
    /// The listening socket. `serve` closes it, unless an upgrade passes it on at that moment.
    pub socket: Arc<TcpListener>,
    /// TLS, unless the listener is cleartext.
    pub tls: Option<Tls>,
    /// The current settings.
    pub settings: CurrentSettings,
    /// The number of connections that the system's file descriptors allow. It bounds
    /// `max_connections`.
    pub capacity: usize,
    /// The metrics of its connections.
    pub metrics: ListenerConnectionMetrics,
    /// Whether log events contain the client's IP address.
    pub log_client_ip: bool,
}

/// How many connections may be open while memory is short: those that were when it became so.
#[derive(Debug, Default)]
struct OpenAtPressure(Option<usize>);

impl OpenAtPressure {
    /// The most connections while `open` are open.
    fn limit(&mut self, open: usize) -> usize {
        if !Pressure::is_high() {
            self.0 = None;
            return usize::MAX;
        }
        *self.0.get_or_insert(open.max(MIN_CONNECTIONS))
    }
}

impl Listener {
    /// Serves connections until `shutdown` becomes true. Then drains them for up to
    /// `drain_timeout`.
    pub async fn serve<S: HttpService>(self, service: S, shutdown: watch::Receiver<bool>) {
        let service = Arc::new(service);
        let pool = Pool::default();
        let mut connections = JoinSet::new();
        let mut shutdown_receiver = shutdown.clone();
        let close_log = Arc::new(CloseLog::new(self.metrics.listener(), self.log_client_ip));
        let lingering_closes = LingeringCloses::new(self.max_lingering(), shutdown.clone());
        let mut open_at_pressure = OpenAtPressure::default();
        loop {
            let (stream, peer) = tokio::select! {
                accepted = self.accept() => accepted,
                // A panic of the task is already logged.
                Some(_) = connections.join_next() => continue,
                () = shutdown_requested(&mut shutdown_receiver) => break,
            };
            let settings = self.settings.load_full();
            let state = ConnectionState::new(settings.limits);
            let total = self.total(&settings).min(open_at_pressure.limit(pool.in_use()));
            let permit = match Self::admit(&pool, &state, &settings, total, peer.ip()).await {
                Ok(permit) => permit,
                Err(full) => {
                    self.metrics.rejected(full.into());
                    if self.tls.is_none()
                        && let Some(close) = lingering_closes.reject(&stream)
                    {
                        let mut stream = stream;
                        connections.spawn(async move { close.finish(&mut stream).await });
                    }
                    continue;
                }
            };
            let connection = Connection {
                service: Arc::clone(&service),
                state,
                settings,
                current_settings: Arc::clone(&self.settings),
                tls: self.tls.clone(),
                permit,
                shutdown: shutdown.clone(),
                metrics: self.metrics.clone(),
                close_log: Arc::clone(&close_log),
                lingering_closes: lingering_closes.clone(),
            };
            connections.spawn(read_once(connection.serve(stream, peer.ip())));
        }
        drop(self.socket);
        let drain = async { while connections.join_next().await.is_some() {} };
        let drain_timeout = self.settings.load().limits.drain_timeout;
        if tokio::time::timeout(drain_timeout, drain).await.is_err() {
            // Dropping `connections` aborts the remaining ones.
            tracing::warn!(event = "drain_timeout", connections = connections.len());
        }
    }

    /// The maximum number of rejected connections in a lingering close at a time.
    fn max_lingering(&self) -> usize {
        MAX_LINGERING.min(self.capacity / LINGERING_SHARE)
    }

    /// The maximum number of connections.
    fn total(&self, settings: &Settings) -> usize {
        let available = self.capacity - self.max_lingering();
        settings.limits.max_connections.min(available)
    }

    /// Waits for a permit for a new connection. At the limit, another connection must yield to
    /// it.
    async fn admit(
        pool: &Pool<ConnectionState>,
        state: &ConnectionState,
        settings: &Settings,
        total: usize,
        peer: IpAddr,
    ) -> Result<Permit<ConnectionState>, Full> {
        let limits = colonnade_admission::Limits {
            total,
            per_client: settings.max_connections_of(peer),
            per_network: usize::MAX,
            max_wait: MAX_WAIT,
            max_waiting: 0,
        };
        pool.acquire(Some(ClientKey::new(peer)), Some(state.clone()), limits)
            .await
    }

    /// Returns the next connection. Retries after errors.
    async fn accept(&self) -> (TcpStream, SocketAddr) {
        loop {
            match self.socket.accept().await {
                Ok(accepted) => return accepted,
                Err(error) if is_connection_error(&error) => {}
                Err(error) => {
                    self.metrics.rejected(RejectReason::AcceptError);
                    tracing::warn!(event = "accept_failed", error = %error);
                    tokio::time::sleep(BACKOFF).await;
                }
            }
        }
    }
}

/// Returns whether `accept` failed because of the accepted connection, so that the next one may
/// succeed at once.
fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
    )
}
