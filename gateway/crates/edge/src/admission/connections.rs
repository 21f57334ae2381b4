//! Admission of connections: takes a free permit, or evicts the longest idle connection.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use colonnade_web::client::ClientKey;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::connection_limit::{ConnectionLimit, ConnectionPermit};
use super::idle_connections::IdleConnections;
use crate::Limits;
use crate::metrics::RejectReason;

/// How long a new connection waits for an evicted one to close. Closing takes one poll of its task.
const EVICTION_TIMEOUT: Duration = Duration::from_secs(1);

/// The connections of a listener and their permits.
#[derive(Default)]
pub(crate) struct ConnectionAdmission {
    limit: ConnectionLimit,
    idle: Arc<IdleConnections>,
    connections: JoinSet<()>,
}

impl ConnectionAdmission {
    /// Takes one of `max_connections` permits for a new connection; if all are taken, evicts the longest idle
    /// connection. A client at its own limit, if the client is known yet, evicts none.
    pub(crate) async fn acquire(
        &mut self,
        max_connections: usize,
        client: Option<ClientKey>,
        limits: &Limits,
    ) -> Result<ConnectionPermit, RejectReason> {
        if let Some(permit) = self.limit.try_acquire(max_connections) {
            return Ok(permit);
        }
        let max_per_client = limits.max_connections_per_client;
        if client.is_some_and(|client| !self.limit.allows_client(client, max_per_client)) {
            return Err(RejectReason::ClientLimit);
        }
        while self.idle.evict_longest_idle() {
            let mut timeout = pin!(sleep(EVICTION_TIMEOUT));
            loop {
                tokio::select! {
                    Some(_) = self.connections.join_next() => {
                        if let Some(permit) = self.limit.try_acquire(max_connections) {
                            return Ok(permit);
                        }
                    }
                    () = self.idle.eviction_declined() => break,
                    () = &mut timeout => return Err(RejectReason::Limit),
                }
            }
        }
        Err(RejectReason::Limit)
    }

    /// Returns the idle connections of the listener.
    pub(crate) fn idle_connections(&self) -> Arc<IdleConnections> {
        Arc::clone(&self.idle)
    }

    /// Runs a connection in its own task.
    pub(crate) fn spawn(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        self.connections.spawn(connection);
    }

    /// Waits until a connection closes. Returns `None` if there is none.
    pub(crate) async fn join_next(&mut self) -> Option<()> {
        // A panic of the task is already logged.
        self.connections.join_next().await.map(drop)
    }

    /// Returns the number of connections.
    pub(crate) fn len(&self) -> usize {
        self.connections.len()
    }
}
