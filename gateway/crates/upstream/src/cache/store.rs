//! The stored responses by URL.

use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use colonnade_clock::poll;
use foldhash::fast::RandomState;
use http::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE};
use http::{HeaderMap, HeaderName};
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use tokio::time::Instant;

use colonnade_web::byte_cache::ByteCache;
use colonnade_web::query::Revision;

use crate::cache::budget::{Budget, Reservation};
use crate::cache::entry::Entry;
use crate::cache::policy::{SelectingHeader, combined_value};

/// The maximum number of responses of one URL.
const MAX_VARIANTS: usize = 16;

/// What a URL takes in memory in addition to its bytes and its responses, in bytes.
const RESOURCE_OVERHEAD: usize = 256;

/// How long requests for a URL whose response was not storable do not wait for each other.
const UNCACHEABLE_FOR: Duration = Duration::from_secs(10);

/// The number of counters of revisions, so that a `u8` is the number of one. URLs with the same one
/// stop each other's responses from being stored, which costs one more request.
const COUNTERS: usize = 256;

/// Request headers that an upstream gets as the visitor has sent them.
static UNCHANGED: [HeaderName; 3] = [ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE];

/// The path and query of a URL.
pub(super) type Key = Arc<str>;

/// The stored responses.
pub(super) struct Store {
    resources: ByteCache<Key, Resource>,
    budget: Arc<Budget>,
    /// Held while a response is stored or removed.
    writes: Mutex<()>,
    revisions: Box<[AtomicU64; COUNTERS]>,
    hasher: RandomState,
}

/// The responses of one URL.
struct Resource {
    /// The newest first.
    entries: Vec<Arc<Entry>>,
    /// Until when its responses count as not storable.
    uncacheable_until: Option<Instant>,
    _reservation: Reservation,
}

/// What is stored for a request.
#[derive(Default)]
pub(super) struct Found {
    pub(super) entry: Option<Arc<Entry>>,
    /// Whether there are responses for other request headers.
    pub(super) has_others: bool,
    /// Whether requests should not wait for each other.
    pub(super) is_uncacheable: bool,
    /// The request headers on which the newest response depends.
    pub(super) selecting: Vec<SelectingHeader>,
}

impl Store {
    /// A store of at most `capacity` bytes, which takes memory from `budget`.
    pub(super) fn new(capacity: usize, budget: Arc<Budget>) -> Self {
        Self {
            resources: ByteCache::new(capacity),
            budget,
            writes: Mutex::new(()),
            revisions: Box::new([const { AtomicU64::new(0) }; COUNTERS]),
            hasher: RandomState::default(),
        }
    }

    /// Halves the store while memory is short.
    pub(super) fn shrink(&self) {
        self.resources.shrink();
    }

    /// Finds the newest response to a request.
    pub(super) fn find(&self, key: &Key, request: &HeaderMap) -> Found {
        let Some(resource) = self.resources.get(key) else {
            return Found::default();
        };
        let mut found = Found {
            entry: resource
                .entries
                .iter()
                .find(|entry| entry.matches(request))
                .map(Arc::clone),
            ..Found::default()
        };
        if found.entry.is_none() {
            let until = resource.uncacheable_until;
            found.is_uncacheable = until.is_some_and(|until| poll::now() < until);
            if let Some(newest) = resource.entries.first() {
                found.has_others = true;
                let names = newest.selecting().iter().map(|(name, _)| name);
                found.selecting = names
                    .map(|name| (name.clone(), combined_value(request, name)))
                    .collect();
            }
        }
        found
    }

    /// Finds the newest response to a request of which only the visitor's headers are known. `None`
    /// if it may depend on one that the upstream would get changed.
    pub(super) fn find_by_unchanged(&self, key: &str, visitor: &HeaderMap) -> Option<Arc<Entry>> {
        let resource = self.resources.get(key)?;
        let mut entries = resource.entries.iter();
        // One before the match that depends on others could be the match.
        let entry = entries.find(|entry| !is_unchanged(entry) || entry.matches(visitor))?;
        is_unchanged(entry).then(|| Arc::clone(entry))
    }

    /// The current revision of a URL. A response is stored only if it is still that of its request.
    /// What [`Self::find`] finds later is of this revision or a newer one.
    pub(super) fn revision(&self, key: &str) -> Revision {
        let [counter, ..] = self.hasher.hash_one(key).to_le_bytes();
        Revision {
            counter,
            count: self.count(counter),
        }
    }

    /// Whether no response of this revision was removed by a purge or an invalidation.
    pub(super) fn is_current(&self, revision: Revision) -> bool {
        self.count(revision.counter) == revision.count
    }

    fn count(&self, counter: u8) -> u64 {
        self.revisions[usize::from(counter)].load(Ordering::SeqCst)
    }

    /// Begins the next revision of all URLs with this counter, after the responses of the one
    /// before are removed.
    fn begin_revision(&self, counter: u8) {
        self.revisions[usize::from(counter)].fetch_add(1, Ordering::SeqCst);
    }

    /// Stores a response in place of those to the same requests. Returns whether it is stored.
    pub(super) fn put(&self, key: &Key, revision: Revision, entry: &Arc<Entry>) -> bool {
        self.update(key, revision, |entries| {
            entries.retain(|other| other.selecting() != entry.selecting());
            entries.insert(0, Arc::clone(entry));
            None
        })
    }

    /// Records that the upstream's response must not be stored, and removes the stale one that it
    /// replaces. For a while requests for the URL do not wait for each other.
    pub(super) fn set_uncacheable(&self, key: &Key, revision: Revision, stale: Option<&Arc<Entry>>) {
        let renewed_from = poll::now() + UNCACHEABLE_FOR / 2;
        let is_known = |resource: Arc<Resource>| resource.uncacheable_until > Some(renewed_from);
        if stale.is_none() && self.resources.get(key).is_some_and(is_known) {
            return;
        }
        self.update(key, revision, |entries| {
            entries.retain(|entry| stale.is_none_or(|stale| !Arc::ptr_eq(stale, entry)));
            Some(poll::now() + UNCACHEABLE_FOR)
        });
    }

    fn update(
        &self,
        key: &Key,
        revision: Revision,
        change: impl FnOnce(&mut Vec<Arc<Entry>>) -> Option<Instant>,
    ) -> bool {
        let overhead = RESOURCE_OVERHEAD + key.len();
        let Some(reservation) = self.budget.reserve(overhead) else {
            return false;
        };
        let _writes = self.writes.lock();
        if !self.is_current(revision) {
            return false;
        }
        let resource = self.resources.get(key);
        let mut entries = resource.map_or_else(Vec::new, |resource| resource.entries.clone());
        let uncacheable_until = change(&mut entries);
        entries.truncate(MAX_VARIANTS);
        let mut weight = overhead + entries.iter().map(|entry| entry.weight()).sum::<usize>();
        while weight > self.resources.capacity()
            && let Some(oldest) = entries.pop()
        {
            weight -= oldest.weight();
        }
        let is_changed = !entries.is_empty();
        let resource = Resource {
            entries,
            uncacheable_until,
            _reservation: reservation,
        };
        self.resources.put(Arc::clone(key), Arc::new(resource), weight);
        is_changed
    }

    /// Removes the responses of one URL, and prevents that responses to earlier requests are stored
    /// (RFC 9111, section 4.4).
    pub(super) fn invalidate(&self, key: &str) {
        let _writes = self.writes.lock();
        self.resources.remove(&Key::from(key));
        self.begin_revision(self.revision(key).counter);
    }

    /// Removes the responses whose path and query begin with `prefix`, and prevents that responses
    /// to earlier requests are stored. Returns how many are removed.
    pub(super) fn purge(&self, prefix: &str) -> usize {
        let _writes = self.writes.lock();
        // Visitors choose what they encode.
        let prefix: Vec<u8> = percent_decode_str(prefix).collect();
        let mut purged = 0;
        self.resources.retain(|key, resource| {
            let stays = !percent_decode_str(key)
                .take(prefix.len())
                .eq(prefix.iter().copied());
            if !stays {
                purged += resource.entries.len();
            }
            stays
        });
        // Of all URLs: which ones begin with the prefix is not known.
        (0..=u8::MAX).for_each(|counter| self.begin_revision(counter));
        purged
    }
}

/// Whether a response depends only on request headers that an upstream gets as the visitor has sent
/// them.
fn is_unchanged(entry: &Entry) -> bool {
    let mut names = entry.selecting().iter().map(|(name, _)| name);
    names.all(|name| UNCHANGED.contains(name))
}
