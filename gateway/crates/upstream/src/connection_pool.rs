//! The idle connections to an endpoint.

use std::ops::RangeInclusive;
use std::time::Duration;

use colonnade_clock::poll;
use parking_lot::Mutex;
use tokio::time::{Instant, interval};

use crate::connection::Connection;

/// How often idle connections are checked: as often as they may time out, within these limits.
const CLOSE_INTERVAL: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(1);

/// How long a connection is used, so that changed addresses of a name are used.
const MAX_CONNECTION_AGE: Duration = Duration::from_mins(10);

/// The idle connections to an endpoint.
#[derive(Debug)]
pub(crate) struct ConnectionPool {
    /// How long a connection may be idle.
    keepalive_timeout: Duration,
    /// Most recently used connection last.
    idle: Mutex<Vec<IdleConnection>>,
}

#[derive(Debug)]
struct IdleConnection {
    connection: Box<Connection>,
    since: Instant,
}

impl ConnectionPool {
    /// An empty pool. It keeps no connection if the timeout is zero.
    pub(crate) fn new(keepalive_timeout: Duration) -> Self {
        Self {
            keepalive_timeout,
            idle: Mutex::default(),
        }
    }

    /// Keeps an idle connection for the next request.
    pub(crate) fn keep(&self, connection: Box<Connection>) {
        if !self.keepalive_timeout.is_zero() {
            let since = poll::now();
            self.idle.lock().push(IdleConnection { connection, since });
        }
    }

    /// Takes the most recently used connection. The endpoint may have closed it:
    /// [`Connection::send`] then returns the request.
    pub(crate) fn take(&self) -> Option<Box<Connection>> {
        let now = poll::now();
        loop {
            let last = self.idle.lock().pop()?;
            if self.is_usable(&last, now) {
                return Some(last.connection);
            }
        }
    }

    /// Closes connections that are idle for too long, and those that the endpoint has closed. Never
    /// returns.
    pub(crate) async fn close_idle(&self) {
        let mut ticks = interval(
            self.keepalive_timeout
                .clamp(*CLOSE_INTERVAL.start(), *CLOSE_INTERVAL.end()),
        );
        loop {
            ticks.tick().await;
            let now = Instant::now();
            let mut idle = self.idle.lock();
            idle.retain_mut(|idle| self.is_usable(idle, now) && idle.connection.is_idle());
        }
    }

    fn is_usable(&self, idle: &IdleConnection, now: Instant) -> bool {
        let is_young = now.duration_since(idle.connection.opened_at()) < MAX_CONNECTION_AGE;
        is_young && now.duration_since(idle.since) < self.keepalive_timeout
    }
}
