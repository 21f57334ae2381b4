//! Admission of requests: a concurrency limit with preemption.
//!
//! A request holds its permit until the client has read the response, so a few slow readers could hold all
//! permits at little cost. When all are taken, a client that holds fewer permits takes one from the client
//! that holds the most: a connection of that client is closed if its requests wait only for the client.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use colonnade_web::client::ClientKey;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::ConnectionHandle;

/// How long a request waits for the permits of a preempted connection. Closing it takes no time, but its task
/// may have to wait for a busy CPU.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How often a waiting request checks whether a connection can be preempted by now.
const RECHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The maximum number of requests that wait although no connection was preempted for them.
const MAX_SPECULATIVE_WAITERS: usize = 64;

/// The number of clients, those with the most permits, that are considered for preemption.
const MAX_CANDIDATES: usize = 8;

/// The permits in use and the requests that wait for one.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdmissionControl(Arc<Mutex<AdmissionState>>);

#[derive(Debug, Default)]
struct AdmissionState {
    in_use: usize,
    /// Contains only clients that hold a permit or wait for one.
    clients: HashMap<ClientKey, ClientState>,
    /// The same clients, ordered by their `count`.
    ranking: BTreeSet<(usize, ClientKey)>,
    /// The requests that get the next permits, in order.
    waiters: VecDeque<oneshot::Sender<()>>,
    /// The permits of preempted connections that are not released yet.
    releasing: usize,
}

/// The requests of one client.
#[derive(Debug, Default)]
struct ClientState {
    /// Its permits and its waiting requests.
    count: usize,
    /// Its connections that can be preempted: at most as many as its permits, and rarely more than a few.
    connections: Vec<ConnectionPermits>,
}

#[derive(Debug)]
struct ConnectionPermits {
    connection: ConnectionHandle,
    permits: usize,
    is_preempted: bool,
}

/// Where a request comes from.
#[derive(Debug, Clone)]
pub(crate) struct RequestSource {
    /// The client.
    pub(crate) client: ClientKey,
    /// Its connection, if that can be preempted.
    pub(crate) connection: Option<ConnectionHandle>,
}

/// Which limit rejects a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saturated {
    /// All permits are taken, by clients that hold no more than this one.
    Limit,
    /// The client has reached its own limit.
    ClientLimit,
}

/// The permit of one request. Dropping it releases it.
#[derive(Debug)]
pub(crate) struct RequestPermit {
    admission: AdmissionControl,
    source: Option<RequestSource>,
}

/// A request that waits for a permit. Dropping it cancels the wait.
struct Waiter {
    admission: AdmissionControl,
    source: RequestSource,
    limit: usize,
    granted: oneshot::Receiver<()>,
}

impl AdmissionControl {
    /// Takes one of `limit` permits, of which each client may have `client_limit`. If all are taken, may
    /// preempt a connection of another client and wait for its permits.
    ///
    /// # Errors
    ///
    /// The limit that rejects the request.
    pub(crate) async fn acquire(
        &self,
        source: Option<RequestSource>,
        limit: usize,
        client_limit: usize,
    ) -> Result<RequestPermit, Saturated> {
        let waiter = {
            let mut state = self.0.lock();
            if let Some(source) = &source
                && state.count(source.client) >= client_limit
            {
                return Err(Saturated::ClientLimit);
            }
            if state.in_use < limit {
                state.in_use += 1;
                if let Some(source) = &source {
                    state.increment(source.client);
                    state.add_permit(source);
                }
                return Ok(RequestPermit {
                    admission: self.clone(),
                    source,
                });
            }
            let source = source.ok_or(Saturated::Limit)?;
            state.increment(source.client);
            if !state.may_wait(source.client, limit) {
                state.decrement(source.client);
                return Err(Saturated::Limit);
            }
            let (grant, granted) = oneshot::channel();
            state.waiters.push_back(grant);
            Waiter {
                admission: self.clone(),
                source,
                limit,
                granted,
            }
        };
        waiter.wait().await.ok_or(Saturated::Limit)
    }
}

impl Waiter {
    /// Returns the permit, if one is granted within [`MAX_WAIT`].
    async fn wait(mut self) -> Option<RequestPermit> {
        timeout(MAX_WAIT, self.granted()).await.ok()??;
        let (admission, source) = (self.admission.clone(), self.source.clone());
        let mut state = admission.0.lock();
        // Dropping the waiter decrements the count; the permit keeps it.
        state.increment(source.client);
        state.add_permit(&source);
        drop(state);
        Some(RequestPermit {
            admission,
            source: Some(source),
        })
    }

    /// Waits until a permit is granted.
    async fn granted(&mut self) -> Option<()> {
        loop {
            if let Ok(granted) = timeout(RECHECK_INTERVAL, &mut self.granted).await {
                return granted.ok();
            }
            let mut state = self.admission.0.lock();
            if state.waiters.len() > state.releasing {
                state.preempt(self.source.client, self.limit);
            }
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.granted.close();
        let is_unused_grant = self.granted.try_recv().is_ok();
        let mut state = self.admission.0.lock();
        state.decrement(self.source.client);
        if is_unused_grant {
            state.release();
        }
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        let mut state = self.admission.0.lock();
        if let Some(source) = &self.source {
            state.remove_permit(source);
            state.decrement(source.client);
        }
        state.release();
    }
}

impl ClientState {
    /// Returns the index of a connection in `connections`.
    fn index_of(&self, connection: &ConnectionHandle) -> Option<usize> {
        let mut connections = self.connections.iter();
        connections.position(|entry| entry.connection.id() == connection.id())
    }
}

impl AdmissionState {
    /// Returns the number of permits and waiting requests of a client.
    fn count(&self, client: ClientKey) -> usize {
        self.clients.get(&client).map_or(0, |state| state.count)
    }

    /// Counts a permit or waiting request of a client.
    fn increment(&mut self, client: ClientKey) {
        let state = self.clients.entry(client).or_default();
        self.ranking.remove(&(state.count, client));
        state.count += 1;
        self.ranking.insert((state.count, client));
    }

    /// Removes a permit or waiting request from the count of a client.
    fn decrement(&mut self, client: ClientKey) {
        let Entry::Occupied(mut state) = self.clients.entry(client) else {
            return;
        };
        let count = &mut state.get_mut().count;
        self.ranking.remove(&(*count, client));
        *count -= 1;
        if *count > 0 {
            self.ranking.insert((*count, client));
        } else {
            state.remove();
        }
    }

    /// Adds a permit to the connection of a request.
    fn add_permit(&mut self, source: &RequestSource) {
        let (Some(connection), Some(client)) = (&source.connection, self.clients.get_mut(&source.client))
        else {
            return;
        };
        if let Some(index) = client.index_of(connection) {
            let entry = &mut client.connections[index];
            entry.permits += 1;
            self.releasing += usize::from(entry.is_preempted);
        } else {
            client.connections.push(ConnectionPermits {
                connection: connection.clone(),
                permits: 1,
                is_preempted: false,
            });
        }
    }

    /// Removes a permit from the connection of a request.
    fn remove_permit(&mut self, source: &RequestSource) {
        let (Some(connection), Some(client)) = (&source.connection, self.clients.get_mut(&source.client))
        else {
            return;
        };
        let Some(index) = client.index_of(connection) else {
            return;
        };
        let entry = &mut client.connections[index];
        entry.permits -= 1;
        self.releasing -= usize::from(entry.is_preempted);
        if entry.permits == 0 {
            client.connections.swap_remove(index);
        }
    }

    /// Grants a released permit to the request that has waited longest, if there is one.
    fn release(&mut self) {
        while let Some(next) = self.waiters.pop_front() {
            if next.send(()).is_ok() {
                return;
            }
        }
        self.in_use -= 1;
    }

    /// Returns whether a permit may soon be free for this client: one that is being released, or one of a
    /// client that holds more. Preempts a connection where that is needed and possible.
    fn may_wait(&mut self, client: ClientKey, limit: usize) -> bool {
        let most = self.ranking.last().map_or(0, |(count, _)| *count);
        if most <= self.fair_share(client, limit) {
            return false;
        }
        if self.waiters.len() >= self.releasing {
            self.waiters.retain(|waiter| !waiter.is_closed());
        }
        self.waiters.len() < self.releasing
            || self.preempt(client, limit)
            || self.waiters.len() < self.releasing + MAX_SPECULATIVE_WAITERS
    }

    /// Returns the number of permits that another client may hold without being preempted for this one: at
    /// least as many as this client has, the new request included, and at least an equal share of all
    /// permits.
    fn fair_share(&self, client: ClientKey, limit: usize) -> usize {
        self.count(client).max(limit / self.clients.len().max(1))
    }

    /// Preempts a connection for a request of `newcomer`. Of the clients with the most permits, takes the
    /// first one with a connection whose requests wait for the client, and of those connections the one with
    /// the most such requests.
    fn preempt(&mut self, newcomer: ClientKey, limit: usize) -> bool {
        let fair_share = self.fair_share(newcomer, limit);
        let candidates = self.ranking.iter().rev().take(MAX_CANDIDATES);
        let candidates = candidates.take_while(|(count, _)| *count > fair_share);
        for (_, client) in candidates {
            let Some(client) = self.clients.get_mut(client) else {
                continue;
            };
            let connections = client.connections.iter_mut().filter(|entry| !entry.is_preempted);
            let stalled = connections.map(|entry| (entry.connection.stalled_requests(), entry));
            let stalled = stalled.filter(|(requests, _)| *requests > 0);
            if let Some((_, entry)) = stalled.max_by_key(|(requests, _)| *requests) {
                entry.is_preempted = true;
                entry.connection.preempt();
                self.releasing += entry.permits;
                return true;
            }
        }
        false
    }
}
