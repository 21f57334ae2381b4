//! One change at a time, in the order of the requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use colonnade_store::StoreError;
use tokio::sync::{Mutex, MutexGuard, Semaphore};
use tokio::time::timeout;

/// How long a change waits for others in this process: many teams deploy at the same time.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How many changes wait for their turn at most. The listener accepts more requests of one client, so
/// that one can still take something back.
pub(super) const MAX_WAITING: usize = 64;

/// Which changes may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Only a limited number.
    Limited,
    /// Any number.
    Unlimited,
}

/// The changes in this process.
pub(super) struct ChangeQueue {
    /// Held during changes and refreshes, so that an older snapshot never replaces a newer one. It is
    /// given to those that wait in their order: a later request is never undone by an earlier one.
    changing: Mutex<()>,
    places: Semaphore,
    /// The highest number of a deployment that the store refused to create.
    refused: AtomicU64,
}

/// No other change starts while it is held.
pub(super) type Changing<'a> = MutexGuard<'a, ()>;

impl Default for ChangeQueue {
    fn default() -> Self {
        Self {
            changing: Mutex::default(),
            places: Semaphore::new(MAX_WAITING),
            refused: AtomicU64::new(0),
        }
    }
}

impl ChangeQueue {
    /// The highest number of a deployment that the store refused to create; 0 if it refused none.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// The store refused to create a deployment with this number.
    pub(super) fn set_refused(&self, number: u64) {
        self.refused.fetch_max(number, Ordering::Relaxed);
    }

    /// Waits until no change is being made in this process.
    ///
    /// # Errors
    /// If too many changes wait, or the others take too long.
    pub(super) async fn wait(&self, place: Place) -> Result<Changing<'_>, StoreError> {
        let _place = match place {
            Place::Limited => {
                let place = self.places.try_acquire();
                Some(place.map_err(|_| StoreError::ChangeInProgress)?)
            }
            Place::Unlimited => None,
        };
        let waited = timeout(TIMEOUT, self.changing.lock()).await;
        waited.map_err(|_| StoreError::ChangeInProgress)
    }

    /// Waits for a refresh.
    pub(super) async fn refresh(&self) -> Changing<'_> {
        self.changing.lock().await
    }
}
