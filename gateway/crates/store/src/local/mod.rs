//! What a gateway keeps of a store in a bucket: the files of releases, and a copy of what visitors
//! see.

mod cache;
mod mirror;

pub(crate) use cache::FileCache;
pub(crate) use mirror::{Marker, Mirror};

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use colonnade_model::deployment::LiveState;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::bucket::BucketObjects;

/// The settings of the local cache.
#[derive(Debug, Clone)]
pub struct CacheSettings {
    /// The folder.
    pub folder: PathBuf,
    /// The limit of all files of releases in bytes.
    pub limit: u64,
}

/// The local copy of a bucket.
#[derive(Debug)]
pub(crate) struct Local {
    /// The bucket, to connect to it again.
    pub(crate) bucket: BucketObjects,
    pub(crate) cache: FileCache,
    pub(crate) mirror: Mirror,
    contact: Mutex<Contact>,
    /// Whether the last poll could not reach the object store.
    is_away: AtomicBool,
    /// The live state, for what fills the cache.
    changes: watch::Sender<Option<LiveState>>,
    /// The last revision for which a replica of the bucket was not complete.
    awaited: AtomicU64,
}

/// Whether the object store was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contact {
    /// It was.
    Online,
    /// Not yet: the gateway starts with the local copy.
    Starting,
    /// Not yet: the gateway has started with the local copy.
    Offline,
}

impl Local {
    pub(crate) fn new(bucket: BucketObjects, cache: FileCache, mirror: Mirror) -> Self {
        Self {
            bucket,
            cache,
            mirror,
            contact: Mutex::new(Contact::Online),
            is_away: AtomicBool::new(false),
            changes: watch::Sender::new(None),
            awaited: AtomicU64::new(0),
        }
    }

    /// Whether only the local copy can be read.
    pub(crate) fn is_offline(&self) -> bool {
        *self.contact.lock() != Contact::Online
    }

    /// Whether the last poll could not reach the object store.
    pub(crate) fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }

    pub(crate) fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::Relaxed);
    }

    /// The object store was reached.
    pub(crate) fn set_online(&self) {
        *self.contact.lock() = Contact::Online;
    }

    /// Whether the gateway starts with the local copy now: true once, if the object store could not
    /// be reached.
    pub(crate) fn begin_offline(&self) -> bool {
        let mut contact = self.contact.lock();
        let is_starting = *contact == Contact::Starting;
        if is_starting {
            *contact = Contact::Offline;
        }
        is_starting
    }

    /// The last live state that was announced.
    pub(crate) fn announced(&self) -> Option<LiveState> {
        self.changes.borrow().clone()
    }

    /// Reads the local copy until the live state can be read; false if there is none.
    pub(crate) fn fall_back(&self) -> bool {
        let Ok(Some(state)) = self.mirror.live_state() else {
            return false;
        };
        *self.contact.lock() = Contact::Starting;
        // The poll is what tries again.
        self.set_away(true);
        self.changes.send_replace(Some(state));
        true
    }

    /// Says which live state is to be copied.
    pub(crate) fn announce(&self, state: Option<&LiveState>) {
        self.changes.send_if_modified(|known| {
            let is_new = known.as_ref() != state;
            *known = state.cloned();
            is_new
        });
    }

    /// Whether it is not known yet that a replica of the bucket lacks something of this revision.
    pub(crate) fn awaits(&self, revision: u64) -> bool {
        self.awaited.swap(revision, Ordering::Relaxed) != revision
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Option<LiveState>> {
        self.changes.subscribe()
    }
}
