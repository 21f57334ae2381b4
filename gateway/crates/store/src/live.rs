//! The live state, the history and the keys.
//!
//! `live.json` decides which changes happened. Its own change has an entry in the history as well,
//! so that the live deployment can be recovered without it.

use colonnade_model::deployment::{Change, LiveState};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};

use crate::bucket_error::BucketError;
use crate::error::{StoreError, if_intact};
use crate::history::{self, Entry};
use crate::inner::{Inner, MAX_ATTEMPTS};
use crate::keys::{LIVE, history_key, keys_key, numbers};
use crate::objects::{Found, Version, When};

impl Inner {
    /// The live state. If it is unchanged, a bucket sends only that.
    pub(crate) async fn live_state(&self) -> Result<Option<LiveState>, StoreError> {
        Ok(self.read_live_state().await?.map(|(state, _)| state))
    }

    async fn read_live_state(&self) -> Result<Option<(LiveState, Version)>, StoreError> {
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

    async fn fetch_live_state(&self) -> Result<Option<(LiveState, Version)>, StoreError> {
        let damaged = |error: StoreError| match error {
            error if error.is_loss() => StoreError::LiveStateDamaged(Box::new(error)),
            error => error,
        };
        let known = self.known.lock().clone();
        let version = known.as_ref().map(|(_, version)| version);
        let found = match self.objects.get(LIVE, version).await.map_err(damaged)? {
            Found::Unchanged => return Ok(known),
            Found::Missing => None,
            Found::Object(object) => {
                let state = self.objects.parse(LIVE, &object.bytes).map_err(damaged)?;
                Some((state, object.version))
            }
        };
        // That of the local copy has no version, on which a change could depend.
        *self.known.lock() = found
            .clone()
            .filter(|(_, version)| *version != Version::default());
        Ok(found)
    }

    /// Replaces the live state if it is `expected`; false if it is another.
    pub(crate) async fn compare_and_swap_state(
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

    /// Writes the live state if it is this version. A request that the client repeats can find what
    /// it wrote itself, and one that fails may have succeeded: then the bucket says what is live.
    async fn put_live_state(&self, next: &LiveState, version: Option<&Version>) -> Result<bool, StoreError> {
        let when = version.map_or(When::Absent, When::Is);
        let put = self.objects.write(LIVE, next, when).await.map(|put| {
            let is_done = put.is_some();
            if let Some(version) = put {
                *self.known.lock() = Some((next.clone(), version));
            }
            is_done
        });
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
        // Two gateways can make the same change in the same second. The states can differ
        // nevertheless.
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

    /// Whether a change is in the history: mostly the gateway knows, or a read is faster than
    /// trying to write.
    async fn is_recorded(&self, change: &Change) -> Result<bool, StoreError> {
        if self.recorded.lock().as_ref() == Some(change) {
            return Ok(true);
        }
        let entry = if_intact(self.history_entry(change.revision).await)?;
        Ok(entry.as_ref() == Some(change))
    }

    /// Adds the change of the live state to the history.
    pub(crate) async fn record(&self, change: &Change) -> Result<(), StoreError> {
        if self.try_record(change).await? {
            self.recorded.lock().replace(change.clone());
        }
        Ok(())
    }

    /// Adds an entry to the history, or replaces an entry of a lost timeline. Returns false if a
    /// newer change is live: the gateway that made it has added this entry.
    ///
    /// Several gateways can run this at the same time, for this entry and for later ones. So no
    /// entry is deleted, and an entry is replaced only if it is still the version that was read.
    async fn try_record(&self, change: &Change) -> Result<bool, StoreError> {
        let key = history_key(change.revision);
        for _ in 0..MAX_ATTEMPTS {
            if self.objects.write(&key, change, When::Absent).await?.is_some() {
                return Ok(true);
            }
            let Some(existing) = self.objects.read_bytes(&key).await? else {
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
            let when = When::Is(&existing.version);
            if self.objects.write(&key, change, when).await?.is_some() {
                return Ok(true);
            }
        }
        Err(StoreError::Interrupted)
    }

    pub(crate) async fn history_entry(&self, revision: u64) -> Result<Option<Change>, StoreError> {
        self.objects.read(&history_key(revision)).await
    }

    /// The revisions in the history, ascending.
    pub(crate) async fn revisions(&self) -> Result<Vec<u64>, StoreError> {
        let listed = self.objects.list("history").await?;
        Ok(numbers(listed.iter().map(|listed| &*listed.name)))
    }

    pub(crate) async fn keys(&self, purpose: KeyPurpose) -> Result<RotatingKeys, StoreError> {
        // Damaged keys only end previews, or sessions.
        let read = if_intact(self.objects.read(keys_key(purpose)).await)?;
        Ok(read.unwrap_or_default())
    }

    pub(crate) async fn compare_and_swap_keys(
        &self,
        purpose: KeyPurpose,
        expected: &RotatingKeys,
        next: &RotatingKeys,
    ) -> Result<bool, StoreError> {
        let key = keys_key(purpose);
        let Some(object) = self.objects.read_bytes(key).await? else {
            return Ok(*expected == RotatingKeys::default()
                && self.objects.write(key, next, When::Absent).await?.is_some());
        };
        let keys = self.objects.parse::<RotatingKeys>(key, &object.bytes).map(Some);
        if if_intact(keys)?.unwrap_or_default() != *expected {
            return Ok(false);
        }
        let when = When::Is(&object.version);
        Ok(self.objects.write(key, next, when).await?.is_some())
    }
}
