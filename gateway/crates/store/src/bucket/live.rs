//! The live state, the history and the keys in a bucket.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use colonnade_model::deployment::{Change, LiveState};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};

use super::error::BucketError;
use super::objects::{Fetched, ObjectVersion};
use super::open::connect;
use super::{Contact, Inner, LIVE, MAX_ATTEMPTS, history_key, keys_key};
use crate::history::{Entry, numbers};
use crate::read::if_intact;
use crate::{StoreError, history};

impl Inner {
    /// The live state. If it is unchanged, the bucket sends only that. During a start without the object store it is that of
    /// the local copy.
    pub(super) async fn live_state(self: &Arc<Self>) -> Result<Option<LiveState>, StoreError> {
        {
            let mut contact = self.contact.lock();
            if *contact == Contact::Starting {
                *contact = Contact::Offline;
                return Ok(self.changes.borrow().clone());
            }
        }
        let read = async {
            if self.is_offline() {
                // Nothing is known about what is there now.
                connect(&self.objects, &self.mirror).await?;
            }
            self.read_live_state().await
        };
        let read = read.await;
        let is_away = matches!(&read, Err(error) if error.is_away() || self.is_offline());
        self.is_away.store(is_away, Ordering::Relaxed);
        let read = read?;
        *self.contact.lock() = Contact::Online;
        let state = match read {
            Some((state, _)) if self.objects.is_read_only() => Some(self.replicated(state).await?),
            read => read.map(|(state, _)| state),
        };
        self.announce(state.as_ref());
        Ok(state)
    }

    /// Reads the local copy until the live state can be read; false if there is none.
    pub(super) fn fall_back(&self) -> bool {
        let Ok(Some(state)) = self.mirror.live_state() else {
            return false;
        };
        *self.contact.lock() = Contact::Starting;
        // The poll is what tries again.
        self.is_away.store(true, Ordering::Relaxed);
        self.changes.send_replace(Some(state));
        true
    }

    fn announce(&self, state: Option<&LiveState>) {
        self.changes.send_if_modified(|known| {
            let is_new = known.as_ref() != state;
            *known = state.cloned();
            is_new
        });
    }

    async fn read_live_state(&self) -> Result<Option<(LiveState, ObjectVersion)>, StoreError> {
        if let Some(found) = self.fetch_live_state().await? {
            return Ok(Some(found));
        }
        if self.revisions().await?.is_empty() {
            return Ok(None);
        }
        // It may have appeared since, with another gateway's first change.
        match self.fetch_live_state().await? {
            Some(found) => Ok(Some(found)),
            None => Err(StoreError::LiveStateMissing),
        }
    }

    async fn fetch_live_state(&self) -> Result<Option<(LiveState, ObjectVersion)>, StoreError> {
        let known = self.known.lock().clone();
        let version = known.as_ref().map(|(_, version)| version);
        let found = match self.objects.fetch(LIVE, version).await? {
            Fetched::Unchanged => return Ok(known),
            Fetched::Missing => None,
            Fetched::Changed(object) => {
                let state = self
                    .objects
                    .parse(LIVE, &object.bytes)
                    .map_err(|error| match error {
                        error if error.is_loss() => StoreError::LiveStateDamaged(Box::new(error)),
                        error => error,
                    })?;
                Some((state, object.version))
            }
        };
        self.known.lock().clone_from(&found);
        Ok(found)
    }

    /// Replaces the live state if it is `expected`; false if it is another.
    pub(super) async fn swap_live_state(
        &self,
        expected: Option<&LiveState>,
        next: &LiveState,
    ) -> Result<bool, StoreError> {
        let known = self.known.lock().clone();
        let current = match known {
            // The condition of the write finds out whether there is a newer one.
            Some((state, version)) if Some(&state) == expected && self.is_recorded(&state.change).await? => {
                Some(version)
            }
            _ => match self.read_live_state().await? {
                Some((state, version)) if Some(&state) == expected => {
                    self.record(&state.change).await?;
                    Some(version)
                }
                None if expected.is_none() => None,
                _ => return Ok(false),
            },
        };
        if !self.put_live_state(next, current.as_ref()).await? {
            return Ok(false);
        }
        // The change is in effect. The next one repeats this if it fails.
        if let Err(error) = self.record(&next.change).await {
            tracing::warn!(event = "history_entry_delayed", revision = next.revision(), error = %error);
        }
        Ok(true)
    }

    /// Writes the live state if it is this version. A request that the client repeats can find what it wrote itself, and one
    /// that fails may have succeeded: then the bucket says what is live.
    async fn put_live_state(
        &self,
        next: &LiveState,
        version: Option<&ObjectVersion>,
    ) -> Result<bool, StoreError> {
        let put = match version {
            Some(version) => self.objects.update(LIVE, next, version).await.map(|put| {
                let is_done = put.is_some();
                if let Some(version) = put {
                    *self.known.lock() = Some((next.clone(), version));
                    self.announce(Some(next));
                }
                is_done
            }),
            None => self.objects.create(LIVE, next).await,
        };
        let error = match put {
            Ok(true) => return Ok(true),
            Ok(false) => None,
            Err(StoreError::Bucket { source, .. }) if source.is_unconfirmed() => Some(()),
            Err(error) => return Err(error),
        };
        let unconfirmed = || self.objects.error(LIVE, BucketError::Unconfirmed);
        let before = self.known.lock().as_ref().map(|(state, _)| state.clone());
        let now = self.read_live_state().await.map_err(|_| unconfirmed())?;
        let now = now.map(|(state, _)| state);
        if now.as_ref() == Some(next) {
            return Ok(true);
        }
        // A request that is still on its way could take effect later.
        if error.is_some() && now == before {
            return Err(unconfirmed());
        }
        // Two gateways can make the same change in the same second. The states can differ nevertheless.
        if now.as_ref().is_some_and(|now| now.revision() == next.revision()) {
            return Ok(false);
        }
        // Others may have made changes since this one.
        let entry = self
            .history_entry(next.revision())
            .await
            .map_err(|_| unconfirmed())?;
        Ok(entry.as_ref() == Some(&next.change))
    }

    /// Whether a change is in the history: mostly the gateway knows, or a read is faster than trying to write.
    async fn is_recorded(&self, change: &Change) -> Result<bool, StoreError> {
        if self.recorded.lock().as_ref() == Some(change) {
            return Ok(true);
        }
        let entry = if_intact(self.history_entry(change.revision).await)?;
        Ok(entry.as_ref() == Some(change))
    }

    /// Adds the change of the live state to the history, as the folder does.
    pub(super) async fn record(&self, change: &Change) -> Result<(), StoreError> {
        if self.try_record(change).await? {
            self.recorded.lock().replace(change.clone());
        }
        Ok(())
    }

    /// Adds an entry to the history, or replaces an entry of a lost timeline. Returns false if a newer change is live: the gateway
    /// that made it has added this entry.
    ///
    /// Several gateways can run this at the same time, for this entry and for later ones. So no entry is deleted, and an entry is
    /// replaced only if it is still the version that was read.
    async fn try_record(&self, change: &Change) -> Result<bool, StoreError> {
        let key = history_key(change.revision);
        for _ in 0..MAX_ATTEMPTS {
            if self.objects.create(&key, change).await? {
                return Ok(true);
            }
            let Some(existing) = self.objects.get(&key).await? else {
                continue;
            };
            let parsed = self.objects.parse(&key, &existing.bytes).map(Some);
            if history::entry(parsed, change)? == Entry::Recorded {
                return Ok(true);
            }
            let live = self.fetch_live_state().await?;
            if live.is_none_or(|(state, _)| state.change != *change) {
                return Ok(false);
            }
            tracing::warn!(event = "history_entry_replaced", revision = change.revision);
            if self
                .objects
                .update(&key, change, &existing.version)
                .await?
                .is_some()
            {
                return Ok(true);
            }
        }
        Err(StoreError::Interrupted)
    }

    pub(super) async fn history_entry(&self, revision: u64) -> Result<Option<Change>, StoreError> {
        let read = self.objects.read(&history_key(revision)).await?;
        Ok(read.map(|(change, _)| change))
    }

    /// The revisions in the history, ascending.
    pub(super) async fn revisions(&self) -> Result<Vec<u64>, StoreError> {
        let listed = self.objects.list("history").await?;
        let names: Vec<String> = listed.into_iter().map(|listed| listed.name).collect();
        Ok(numbers(&names))
    }

    pub(super) async fn keys(&self, purpose: KeyPurpose) -> Result<RotatingKeys, StoreError> {
        // The local copy has no secrets: previews need the object store.
        if self.is_offline() {
            return Ok(RotatingKeys::default());
        }
        let read = self.read_keys(purpose).await?;
        Ok(read.map(|(keys, _)| keys).unwrap_or_default())
    }

    async fn read_keys(
        &self,
        purpose: KeyPurpose,
    ) -> Result<Option<(RotatingKeys, ObjectVersion)>, StoreError> {
        // Damaged keys only end previews, or sessions.
        if_intact(self.objects.read(keys_key(purpose)).await)
    }

    pub(super) async fn swap_keys(
        &self,
        purpose: KeyPurpose,
        expected: &RotatingKeys,
        next: &RotatingKeys,
    ) -> Result<bool, StoreError> {
        let key = keys_key(purpose);
        let current = self.objects.get(key).await?;
        let Some(object) = current else {
            return Ok(*expected == RotatingKeys::default() && self.objects.create(key, next).await?);
        };
        let keys = self.objects.parse::<RotatingKeys>(key, &object.bytes).map(Some);
        if if_intact(keys)?.unwrap_or_default() != *expected {
            return Ok(false);
        }
        Ok(self.objects.update(key, next, &object.version).await?.is_some())
    }
}
