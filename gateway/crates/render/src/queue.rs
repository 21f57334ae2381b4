//! The queue of renders: bounded, and fair between clients.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

use colonnade_web::client::ClientKey;

/// A bounded queue with one subqueue per client, served round-robin. The gateway's own renders have the key `None`.
pub(super) struct FairQueue<T> {
    state: Mutex<QueueState<T>>,
    /// The maximum number of queued items of one client.
    max_per_client: usize,
    /// One permit per free slot.
    free_slots: Semaphore,
    /// One permit per queued item.
    queued: Semaphore,
}

struct QueueState<T> {
    /// The items of each client. No queue is empty.
    clients: HashMap<Option<ClientKey>, VecDeque<T>>,
    /// The clients in round-robin order.
    turns: VecDeque<Option<ClientKey>>,
}

/// Which limit rejected an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueFull {
    /// The limit of the whole queue.
    Total,
    /// The limit of one client.
    Client,
}

impl<T> FairQueue<T> {
    /// A queue of at most `capacity` items. One client can have a quarter of them.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            state: Mutex::new(QueueState {
                clients: HashMap::new(),
                turns: VecDeque::new(),
            }),
            max_per_client: (capacity / 4).max(1),
            free_slots: Semaphore::new(capacity),
            queued: Semaphore::new(0),
        }
    }

    /// Adds an item if there is a free slot.
    pub(super) fn try_push(&self, client: Option<ClientKey>, item: T) -> Result<(), QueueFull> {
        let slot = self.free_slots.try_acquire().map_err(|_| QueueFull::Total)?;
        self.push_into(slot, client, item)
    }

    /// Adds an item, and waits for a free slot first.
    pub(super) async fn push(&self, client: Option<ClientKey>, item: T) -> Result<(), QueueFull> {
        let slot = self.free_slots.acquire().await.map_err(|_| QueueFull::Total)?;
        self.push_into(slot, client, item)
    }

    fn push_into(
        &self,
        slot: SemaphorePermit<'_>,
        client: Option<ClientKey>,
        item: T,
    ) -> Result<(), QueueFull> {
        let mut state = self.state.lock();
        let queued = state.clients.get(&client).map_or(0, VecDeque::len);
        if client.is_some() && queued >= self.max_per_client {
            return Err(QueueFull::Client);
        }
        if queued == 0 {
            state.turns.push_back(client);
        }
        state.clients.entry(client).or_default().push_back(item);
        drop(state);
        slot.forget();
        self.queued.add_permits(1);
        Ok(())
    }

    /// Removes the oldest item of the client whose turn it is. Waits for an item; `None` once the queue is closed.
    pub(super) async fn pop(&self) -> Option<T> {
        let queued = self.queued.acquire().await.ok()?;
        self.take(queued)
    }

    /// Same as [`FairQueue::pop`], but does not wait.
    pub(super) fn try_pop(&self) -> Option<T> {
        let queued = self.queued.try_acquire().ok()?;
        self.take(queued)
    }

    fn take(&self, queued: SemaphorePermit<'_>) -> Option<T> {
        queued.forget();
        let mut state = self.state.lock();
        let client = state.turns.pop_front()?;
        let items = state.clients.get_mut(&client)?;
        let item = items.pop_front()?;
        if items.is_empty() {
            state.clients.remove(&client);
        } else {
            state.turns.push_back(client);
        }
        drop(state);
        self.free_slots.add_permits(1);
        Some(item)
    }

    /// Closes the queue: `pop` returns `None` from now on.
    pub(super) fn close(&self) {
        self.queued.close();
    }
}

#[cfg(test)]
mod tests {
    use colonnade_web::client::ClientKey;

    use super::{FairQueue, QueueFull};

    fn client(address: &str) -> ClientKey {
        ClientKey::new(address.parse().expect("an address"))
    }

    #[tokio::test]
    async fn queue_is_round_robin_and_limits_client_share() {
        let queue = FairQueue::new(8);
        let (greedy, other) = (Some(client("2001:db8::1")), Some(client("192.0.2.1")));
        assert_eq!(queue.try_push(greedy, 1), Ok(()));
        assert_eq!(queue.try_push(Some(client("2001:db8::2")), 2), Ok(()));
        assert_eq!(queue.try_push(greedy, 3), Err(QueueFull::Client));
        assert_eq!(queue.try_push(other, 4), Ok(()));
        assert_eq!(queue.pop().await, Some(1));
        assert_eq!(queue.pop().await, Some(4));
        assert_eq!(queue.try_push(greedy, 5), Ok(()));
        assert_eq!(queue.pop().await, Some(2));
        assert_eq!(queue.pop().await, Some(5));
    }

    #[tokio::test]
    async fn full_queue_rejects_and_rejection_frees_slot() {
        let queue = FairQueue::new(2);
        let first = Some(client("192.0.2.1"));
        assert_eq!(queue.try_push(first, 1), Ok(()));
        assert_eq!(queue.try_push(first, 2), Err(QueueFull::Client));
        assert_eq!(queue.try_push(None, 3), Ok(()));
        let rejected = queue.try_push(Some(client("192.0.2.2")), 4);
        assert_eq!(rejected, Err(QueueFull::Total));
        assert_eq!(queue.pop().await, Some(1));
        assert_eq!(queue.push(None, 5).await, Ok(()));
        queue.close();
        assert_eq!(queue.pop().await, None);
    }
}
