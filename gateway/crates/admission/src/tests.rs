use std::sync::Arc;
use std::time::Duration;

use colonnade_web::client::ClientKey;
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::{Full, Limits, Permit, Pool, Waiter, Yield};

/// An item that records its number when it yields.
#[derive(Debug)]
struct Item {
    number: usize,
    /// It yields to every waiter.
    is_free: bool,
    /// It yields as a last resort.
    is_stalled: bool,
    yielded: Arc<Mutex<Vec<usize>>>,
}

impl Yield for Item {
    fn yield_to(&self, waiter: Waiter) -> bool {
        let is_last_resort = waiter == Waiter::HoldsNoLess { is_last_resort: true };
        let yields = self.is_free || waiter == Waiter::HoldsLess || (self.is_stalled && is_last_resort);
        if yields {
            self.yielded.lock().push(self.number);
        }
        yields
    }
}

/// A pool that is full. The items of its permits have consecutive numbers.
struct FullPool {
    pool: Pool<Item>,
    limits: Limits,
    is_free: bool,
    are_stalled: bool,
    permits: Vec<Option<Permit<Item>>>,
    yielded: Arc<Mutex<Vec<usize>>>,
}

impl FullPool {
    async fn new<const N: usize>(clients: [&str; N], is_free: bool) -> Self {
        let limits = Limits {
            total: N,
            per_client: usize::MAX,
            per_network: usize::MAX,
            max_wait: Duration::from_secs(1),
            max_waiting: 0,
        };
        let mut pool = Self {
            pool: Pool::default(),
            limits,
            is_free,
            are_stalled: false,
            permits: Vec::new(),
            yielded: Arc::default(),
        };
        for client in clients {
            let permit = pool.acquire(client).await;
            pool.permits.push(Some(permit.expect("a free permit")));
        }
        pool
    }

    fn item(&self) -> Item {
        Item {
            number: self.permits.len(),
            is_free: self.is_free,
            is_stalled: self.are_stalled,
            yielded: Arc::clone(&self.yielded),
        }
    }

    async fn acquire(&self, client: &str) -> Result<Permit<Item>, Full> {
        self.pool
            .acquire(key(client), Some(self.item()), self.limits)
            .await
    }

    /// Adds a permit of a client. Returns the number of the item that yielded to it.
    async fn add(&mut self, client: &str) -> Option<usize> {
        let mut permits = std::mem::take(&mut self.permits);
        self.permits.resize_with(permits.len(), || None);
        let yielded = Arc::clone(&self.yielded);
        let release = async {
            let number = yielded.lock().pop()?;
            permits[number] = None;
            Some(number)
        };
        let (permit, released) = tokio::join!(self.acquire(client), release);
        assert_eq!(permit.is_ok(), released.is_some());
        permits.extend(permit.ok().map(Some));
        self.permits = permits;
        released
    }
}

/// `-` stands for the gateway itself.
fn key(client: &str) -> Option<ClientKey> {
    (client != "-").then(|| ClientKey::new(client.parse().expect("an address")))
}

const A: &str = "192.0.2.1";
const B: &str = "192.0.2.2";
const C: &str = "192.0.2.3";
const D: &str = "192.0.2.4";
const E: &str = "192.0.2.5";

#[tokio::test(start_paused = true)]
async fn oldest_item_of_largest_client_yields() {
    let mut pool = FullPool::new([B, A, A, B, A], false).await;
    assert_eq!(pool.add(C).await, Some(1));
    assert_eq!(pool.add(D).await, Some(0), "A and B hold the same since");
    assert_eq!(pool.add(E).await, Some(2));
    assert_eq!(pool.add(E).await, None, "no client holds more");
    pool.permits.clear();
    let state = format!("{:?}", pool.pool);
    assert!(
        state.contains("in_use: 0") && state.contains("holdings: {}"),
        "{state}"
    );
}

#[tokio::test(start_paused = true)]
async fn widest_network_that_holds_most_yields() {
    let [a1, a2, b] = ["2001:db8:0:101::", "2001:db8:0:102::", "2001:db8:0:201::"];
    let mut pool = FullPool::new([a1, b, a2, A, A, a2], false).await;
    // The /48 holds most, then its /56 with three permits, then the /64 with two.
    assert_eq!(pool.add(B).await, Some(2));
    // Within the /48 a waiter competes with the /56 networks, which hold the same now.
    assert_eq!(pool.add(b).await, None);
    assert_eq!(pool.add(A).await, None);
    assert_eq!(pool.add(C).await, Some(0));
}

#[tokio::test(start_paused = true)]
async fn equal_share_is_kept_unless_the_item_is_free() {
    for is_free in [false, true] {
        let mut pool = FullPool::new([A, B, B], is_free).await;
        // A third of three permits is one.
        assert_eq!(pool.add(C).await, Some(1));
        let mut pool = FullPool::new([A, A, B, B], is_free).await;
        assert_eq!(pool.add(A).await, is_free.then_some(0), "its own");
    }
    let mut pool = FullPool::new([A, B], true).await;
    assert_eq!([pool.add(C).await, pool.add(D).await], [Some(0), Some(1)]);
}

#[tokio::test(start_paused = true)]
async fn stalled_item_yields_if_no_larger_client_agrees() {
    let mut pool = FullPool::new([], false).await;
    (pool.limits.total, pool.are_stalled) = (2, true);
    for client in [A, B] {
        let permit = pool.acquire(client).await;
        pool.permits.push(permit.ok());
    }
    assert_eq!([pool.add(C).await, pool.add(D).await], [Some(0), Some(1)]);
    assert_eq!(pool.add(C).await, None, "C would hold more than D");
    // E holds more, but a permit without an item never yields.
    pool.limits.total = 4;
    for _ in 0..2 {
        let permit = pool.pool.acquire(key(E), None, pool.limits).await;
        pool.permits.push(permit.ok());
    }
    assert_eq!(pool.add(E).await, None, "E would hold more than D");
    assert_eq!(pool.add(A).await, Some(3));
    assert_eq!(pool.add(A).await, None, "A would hold more than C");
}

#[tokio::test(start_paused = true)]
async fn waiter_asks_the_64_clients_that_hold_most() {
    for (busy_clients, yielded_at_once) in [(63, true), (64, false)] {
        let mut pool = FullPool::new([], false).await;
        pool.limits.total = 2 * (busy_clients + 1);
        for client in (0..busy_clients).map(|number| format!("198.51.100.{number}")) {
            for _ in 0..2 {
                // A permit without an item never yields.
                let permit = pool.pool.acquire(key(&client), None, pool.limits).await;
                pool.permits.push(permit.ok());
            }
        }
        let first = pool.permits.len();
        for _ in 0..2 {
            let permit = pool.acquire(A).await;
            pool.permits.push(permit.ok());
        }
        assert_eq!(pool.add(B).await, yielded_at_once.then_some(first));
        // Clients that decline come after those that hold the same.
        let second = if yielded_at_once { None } else { Some(first) };
        assert_eq!(pool.add(C).await, second);
    }
}

#[tokio::test(start_paused = true)]
async fn kept_permit_makes_waiter_ask_another_item() {
    let mut pool = FullPool::new([A, A, A], false).await;
    let (yielded, kept) = (Arc::clone(&pool.yielded), pool.permits[0].take());
    let item = pool.item();
    let (acquired, ()) = tokio::join!(pool.acquire(B), async {
        kept.as_ref().expect("a permit").keep(item);
        while yielded.lock().len() < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(*yielded.lock(), [0, 1]);
    });
    assert_eq!(acquired.err(), Some(Full::Total), "no permit was released");
}

#[tokio::test(start_paused = true)]
async fn queued_waiters_wait_for_larger_clients_only() {
    let mut pool = FullPool::new([A, A, A], false).await;
    pool.limits.max_waiting = 1;
    while pool.pool.try_take().is_some() {}
    let released = pool.permits.pop();
    let (acquired, ()) = tokio::join!(pool.acquire(B), async { drop(released) });
    assert!(acquired.is_ok());
    let rejected = timeout(Duration::from_millis(1), pool.acquire(A)).await;
    assert_eq!(rejected.expect("at once").err(), Some(Full::Total));
}

#[tokio::test(start_paused = true)]
async fn each_network_has_a_limit_and_proxied_clients_are_assigned() {
    let mut pool = FullPool::new([A, B], false).await;
    (pool.limits.total, pool.limits.per_client) = (9, 1);
    assert_eq!(pool.acquire(A).await.err(), Some(Full::Client));
    let mut permit = pool.permits[0].take().expect("a permit");
    assert!(permit.assign(key(C).expect("a client"), 1));
    let _permit = pool.acquire(A).await.expect("the permit belongs to C now");
    assert!(!permit.assign(key(B).expect("a client"), 1));
    let subnets = ["2001:db8::", "2001:db8:0:1::", "2001:db8:0:2::", "2001:db8:0:3::"];
    for subnet in subnets {
        pool.permits.push(pool.acquire(subnet).await.ok());
    }
    assert!(pool.permits[2..].iter().all(Option::is_some));
    assert_eq!(pool.acquire("2001:db8:0:4::").await.err(), Some(Full::Client));
    assert!(pool.acquire("2001:db8:0:100::").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn item_of_network_that_holds_least_is_taken_first() {
    let mut pool = FullPool::new([A, A, "2001:db8::", "2001:db8:0:1::", B, "-"], true).await;
    for expected in [4, 5, 2, 3, 0, 1] {
        assert_eq!(pool.pool.take().await.number, expected);
    }
    assert!(pool.pool.try_take().is_none());
    // A permit without its item gives no way. The gateway itself waits for the next permit.
    assert_eq!(pool.add(C).await, None);
    let released = std::mem::take(&mut pool.permits);
    let (acquired, ()) = tokio::join!(pool.acquire("-"), async { drop(released) });
    assert!(acquired.is_ok());
}

#[test]
fn permit_that_never_waits_follows_changes_of_the_limit() {
    let pool = Pool::<()>::default();
    let permits = [1, 2, 3].map(|total| pool.try_acquire(total));
    assert!(permits.iter().all(Option::is_some));
    assert!(pool.try_acquire(3).is_none());
    let [first, ..] = permits;
    drop(first);
    // The limit was lowered to the number of permits that are in use.
    assert!(pool.try_acquire(2).is_none());
    assert!(pool.try_acquire(3).is_some());
}

#[tokio::test(start_paused = true)]
async fn network_of_many_clients_has_a_limit_of_its_own() {
    let mut pool = FullPool::new(["-"; 6], false).await;
    pool.permits.clear();
    pool.limits.per_client = 1;
    pool.limits.per_network = 3;
    // A /48 has 16 times the limit of a client, but no more than that of a network.
    for (subnet, expected) in [(0, None), (1, None), (2, None), (3, Some(Full::Client))] {
        let permit = pool.acquire(&format!("2001:db8:0:{subnet:x}00::")).await;
        assert_eq!(permit.as_ref().err(), expected.as_ref(), "{subnet}");
        pool.permits.push(permit.ok());
    }
    assert_eq!(pool.acquire("2001:db8::").await.err(), Some(Full::Client));
    assert!(pool.acquire(A).await.is_ok());
}
