//! The short queue before the workers: clients take turns, and none of them fills it.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::net::Client;

/// What waits, for each client; for the gateway itself under `None`.
pub(super) struct Queue<T> {
    waiting: Mutex<Waiting<T>>,
    /// The most that one client may have waiting.
    share: usize,
    /// A permit for each place that is free.
    free: Semaphore,
    /// A permit for each that waits.
    ready: Semaphore,
}

struct Waiting<T> {
    /// Only those who wait for something.
    clients: HashMap<Option<Client>, VecDeque<T>>,
    /// The same, in the order of their turns.
    turns: VecDeque<Option<Client>>,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// All places are taken.
    All,
    /// The client has as many as it may.
    Client,
}

impl<T> Queue<T> {
    /// A queue with so many places, of which a client may have a quarter.
    pub(super) fn new(places: usize) -> Self {
        Self {
            waiting: Mutex::new(Waiting {
                clients: HashMap::new(),
                turns: VecDeque::new(),
            }),
            share: (places / 4).max(1),
            free: Semaphore::new(places),
            ready: Semaphore::new(0),
        }
    }

    /// Puts something in, if there is a place.
    pub(super) fn try_put(&self, client: Option<Client>, item: T) -> Result<(), Full> {
        let place = self.free.try_acquire().map_err(|_| Full::All)?;
        self.put_at(place, client, item)
    }

    /// Puts something in as soon as there is a place.
    pub(super) async fn put(&self, client: Option<Client>, item: T) -> Result<(), Full> {
        let place = self.free.acquire().await.map_err(|_| Full::All)?;
        self.put_at(place, client, item)
    }

    fn put_at(&self, place: SemaphorePermit<'_>, client: Option<Client>, item: T) -> Result<(), Full> {
        let mut waiting = self.waiting.lock();
        let own = waiting.clients.get(&client).map_or(0, VecDeque::len);
        if client.is_some() && own >= self.share {
            return Err(Full::Client);
        }
        if own == 0 {
            waiting.turns.push_back(client);
        }
        waiting.clients.entry(client).or_default().push_back(item);
        drop(waiting);
        place.forget();
        self.ready.add_permits(1);
        Ok(())
    }

    /// The next one: the oldest of the client whose turn it is. `None` once the queue is closed.
    pub(super) async fn next(&self) -> Option<T> {
        self.ready.acquire().await.ok()?.forget();
        let mut waiting = self.waiting.lock();
        let client = waiting.turns.pop_front()?;
        let own = waiting.clients.get_mut(&client)?;
        let item = own.pop_front()?;
        if own.is_empty() {
            waiting.clients.remove(&client);
        } else {
            waiting.turns.push_back(client);
        }
        drop(waiting);
        self.free.add_permits(1);
        Some(item)
    }

    /// Nothing is taken out any more.
    pub(super) fn close(&self) {
        self.ready.close();
    }
}

#[cfg(test)]
mod tests {
    use super::{Full, Queue};
    use crate::net::Client;

    fn client(address: &str) -> Client {
        Client::at(address.parse().expect("an address"))
    }

    #[tokio::test]
    async fn clients_take_turns_and_none_has_more_than_a_quarter() {
        let queue = Queue::new(8);
        let (greedy, other) = (Some(client("2001:db8::1")), Some(client("192.0.2.1")));
        assert_eq!(queue.try_put(greedy, 1), Ok(()));
        assert_eq!(queue.try_put(Some(client("2001:db8::2")), 2), Ok(()));
        assert_eq!(queue.try_put(greedy, 3), Err(Full::Client));
        assert_eq!(queue.try_put(other, 4), Ok(()));
        assert_eq!(queue.next().await, Some(1));
        assert_eq!(queue.next().await, Some(4));
        assert_eq!(queue.try_put(greedy, 5), Ok(()));
        assert_eq!(queue.next().await, Some(2));
        assert_eq!(queue.next().await, Some(5));
    }

    #[tokio::test]
    async fn there_are_only_so_many_places_and_what_is_refused_takes_none() {
        let queue = Queue::new(2);
        let first = Some(client("192.0.2.1"));
        assert_eq!(queue.try_put(first, 1), Ok(()));
        assert_eq!(queue.try_put(first, 2), Err(Full::Client));
        assert_eq!(queue.try_put(None, 3), Ok(()));
        assert_eq!(queue.try_put(Some(client("192.0.2.2")), 4), Err(Full::All));
        assert_eq!(queue.next().await, Some(1));
        assert_eq!(queue.put(None, 5).await, Ok(()));
        queue.close();
        assert_eq!(queue.next().await, None);
    }
}
