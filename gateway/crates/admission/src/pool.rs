//! A pool of permits, and the queue of waiters.

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use colonnade_web::client::{ClientKey, Network};
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::time::{sleep, timeout};

use crate::Yield;
use crate::ledger::{Ledger, Prospect};

/// How often items are asked again for a waiter.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// A pool of permits, each with an item that may yield to a waiter.
#[derive(Debug)]
pub struct Pool<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    /// An item was added.
    added: Notify,
    /// An item that agreed to yield keeps its permit.
    kept: Notify,
}

#[derive(Debug)]
struct State<T> {
    in_use: usize,
    /// The number of permits at the last call.
    total: usize,
    ledger: Ledger<T>,
    /// The waiters that get the next permits, in order.
    waiters: VecDeque<oneshot::Sender<()>>,
    /// The permits whose items agreed to yield, but that are not released yet.
    releasing: BTreeSet<u64>,
}

/// The limits of a pool.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The number of permits.
    pub total: usize,
    /// The number of permits of one client. Wider networks have a multiple of it.
    pub per_client: usize,
    /// The number of permits of a network of several clients, if it is more than `per_client`.
    pub per_network: usize,
    /// How long a waiter waits for the permit of an item that yields.
    pub max_wait: Duration,
    /// How many waiters may wait while no item yields to them.
    pub max_waiting: usize,
}

/// Which limit rejects a request for a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// All permits are taken, and no item yields.
    Total,
    /// The client, or a wider network of it, has reached its own limit.
    Client,
}

/// A permit. Dropping it releases it.
#[derive(Debug)]
pub struct Permit<T> {
    pool: Pool<T>,
    client: Option<ClientKey>,
    id: u64,
    /// Set until the permit is granted.
    grant: Option<oneshot::Receiver<()>>,
}

impl<T> Clone for Pool<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Arc::new(Shared {
            state: Mutex::new(State {
                in_use: 0,
                total: 0,
                ledger: Ledger::default(),
                waiters: VecDeque::new(),
                releasing: BTreeSet::new(),
            }),
            added: Notify::new(),
            kept: Notify::new(),
        }))
    }
}

impl<T: Yield> Pool<T> {
    /// Takes a permit for a client, or for the gateway itself (`None`). The gateway's own items are
    /// never asked to yield, and if no permit is free, it waits for the next one. Without an
    /// `item`, the permit never yields either.
    ///
    /// # Errors
    ///
    /// The limit that rejects the client.
    pub async fn acquire(
        &self,
        client: Option<ClientKey>,
        item: Option<T>,
        limits: Limits,
    ) -> Result<Permit<T>, Full> {
        let mut item = item;
        let (permit, rejected) = {
            let mut state = self.0.state.lock();
            state.total = limits.total;
            let grant = state.enter();
            // The item of a waiter is not asked.
            let own = item.take_if(|_| grant.is_none());
            let id = state.ledger.next_id();
            let is_within = state.ledger.add(client, id, own, |network| limits.of(network));
            let rejected = if !is_within {
                Some(Full::Client)
            } else if grant.is_some() && !state.may_wait(client, limits) {
                Some(Full::Total)
            } else {
                None
            };
            let permit = Permit {
                pool: self.clone(),
                client,
                id,
                grant,
            };
            (permit, rejected)
        };
        if let Some(rejected) = rejected {
            return Err(rejected);
        }
        let permit = match permit.grant {
            None => permit,
            // Its future is large, and rarely needed.
            Some(_) => Box::pin(permit.granted(limits)).await?,
        };
        if let Some(item) = item {
            self.0.state.lock().ledger.push(client, permit.id, item);
        }
        self.0.added.notify_one();
        Ok(permit)
    }
}

impl<T> Pool<T> {
    /// The number of permits in use.
    pub fn in_use(&self) -> usize {
        self.0.state.lock().in_use
    }

    /// Takes a permit that never yields, if fewer than `total` are in use. Does not wait.
    pub fn try_acquire(&self, total: usize) -> Option<Permit<T>> {
        let mut state = self.0.state.lock();
        state.total = total;
        if state.in_use >= total {
            return None;
        }
        state.in_use += 1;
        let id = state.ledger.next_id();
        state.ledger.add(None, id, None, |_| total);
        drop(state);
        Some(Permit {
            pool: self.clone(),
            client: None,
            id,
            grant: None,
        })
    }

    /// Removes an item: the oldest one of the network that holds least. Its permit stays in use.
    /// Waits for an item.
    pub async fn take(&self) -> T {
        loop {
            let mut added = pin!(self.0.added.notified());
            added.as_mut().enable();
            if let Some(item) = self.try_take() {
                return item;
            }
            added.await;
        }
    }

    /// Like [`Pool::take`], without waiting.
    pub fn try_take(&self) -> Option<T> {
        self.0.state.lock().ledger.take()
    }
}

impl<T: Yield> Permit<T> {
    /// Waits until the permit is granted.
    async fn granted(mut self, limits: Limits) -> Result<Self, Full> {
        if let Some(grant) = &mut self.grant {
            let waiting = wait(&self.pool, self.client, grant, limits);
            let granted = timeout(limits.max_wait, waiting).await;
            granted.unwrap_or(Err(Full::Total))?;
            self.grant = None;
        }
        Ok(self)
    }
}

impl Limits {
    /// The limit of a network.
    fn of(self, network: Network) -> usize {
        scaled(self.per_client)(network).min(self.per_client.max(self.per_network))
    }
}

/// The limit of a network: that of one client, or a multiple of it.
fn scaled(per_client: usize) -> impl Fn(Network) -> usize {
    move |network| per_client.saturating_mul(network.limit_factor().into())
}

/// Waits for a grant. Asks items again from time to time.
async fn wait<T: Yield>(
    pool: &Pool<T>,
    client: Option<ClientKey>,
    grant: &mut oneshot::Receiver<()>,
    limits: Limits,
) -> Result<(), Full> {
    loop {
        tokio::select! {
            granted = &mut *grant => return granted.map_err(|_| Full::Total),
            () = pool.0.kept.notified() => {}
            () = sleep(RETRY_INTERVAL) => {}
        }
        if !pool.0.state.lock().may_wait(client, limits) {
            return Err(Full::Total);
        }
    }
}

impl<T> Permit<T> {
    /// Assigns the permit to another client. Returns false if that client has reached its limit;
    /// the permit must be dropped then.
    #[must_use]
    pub fn assign(&mut self, client: ClientKey, per_client: usize) -> bool {
        let mut state = self.pool.0.state.lock();
        let item = state.ledger.remove(self.client, self.id);
        self.client = Some(client);
        state.ledger.add(self.client, self.id, item, scaled(per_client))
    }

    /// Keeps the permit, although its item agreed to yield.
    pub fn keep(&self, item: T) {
        let mut state = self.pool.0.state.lock();
        if state.releasing.remove(&self.id) {
            state.ledger.push(self.client, self.id, item);
        }
        drop(state);
        self.pool.0.kept.notify_waiters();
    }
}

impl<T> Drop for Permit<T> {
    fn drop(&mut self) {
        let is_granted = self.grant.as_mut().is_none_or(|grant| {
            grant.close();
            grant.try_recv().is_ok()
        });
        let mut state = self.pool.0.state.lock();
        state.ledger.remove(self.client, self.id);
        state.releasing.remove(&self.id);
        if is_granted {
            state.release();
        } else {
            state.waiters.retain(|waiter| !waiter.is_closed());
        }
    }
}

impl<T> State<T> {
    /// Takes a free permit, or adds a waiter and returns the receiver of its grant.
    fn enter(&mut self) -> Option<oneshot::Receiver<()>> {
        if self.in_use < self.total {
            self.in_use += 1;
            return None;
        }
        let (waiter, grant) = oneshot::channel();
        self.waiters.push_back(waiter);
        Some(grant)
    }

    /// Grants a released permit to the longest waiter, if there is one.
    fn release(&mut self) {
        while let Some(next) = self.waiters.pop_front() {
            if next.send(()).is_ok() {
                return;
            }
        }
        self.in_use -= 1;
        if self.in_use <= self.total / 2 {
            self.ledger.forget_ranking();
        }
    }
}

impl<T: Yield> State<T> {
    /// Returns whether a waiter may get a permit soon. Asks items to yield, unless enough have
    /// agreed.
    fn may_wait(&mut self, client: Option<ClientKey>, limits: Limits) -> bool {
        let Some(client) = client else {
            return true;
        };
        if self.waiters.len() <= self.releasing.len() {
            return true;
        }
        match self.ledger.ask(client, limits.total) {
            Prospect::Yielded(id) => self.releasing.insert(id),
            Prospect::MayYield => self.waiters.len() <= self.releasing.len() + limits.max_waiting,
            Prospect::None => false,
        }
    }
}
