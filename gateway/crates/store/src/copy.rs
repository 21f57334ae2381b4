//! Copying a store: to back it up, to restore a backup, to move from a folder to a bucket or back.
//!
//! The live state is read once, and then everything that it needs, which never changes: so teams
//! can deploy meanwhile. The copy becomes a store with its last object, `store.json`. Until then it
//! has `copy.json`, and the copy can be repeated.
//!
//! Keys of previews and of session tickets are not copied: a restore must not bring back previews
//! that were ended.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use colonnade_model::deployment::{Deployment, LiveState};
use colonnade_model::release::ReleaseId;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use crate::connect::StoreId;
use crate::error::{StoreError, if_intact};
use crate::inner::{CONCURRENCY, MAX_ATTEMPTS};
use crate::keys::{
    COPY_MARKER, LIVE, STORE, deployment_key, file_key, is_intact, numbers, release_id, release_key,
};
use crate::objects::{Objects, When};
use crate::place::{Existing, Place};
use crate::published::PublishedRelease;

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// The revision of the live state; 0 before the first deploy.
    pub revision: u64,
    /// The number of releases.
    pub releases: usize,
}

/// The timeline of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeline {
    /// That of the copied store, of which it is a backup, or which it replaces.
    Same,
    /// A new one, for a restored backup: gateways that know later changes notice it.
    New,
}

/// The content of `copy.json`.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CopyMarker {
    /// The ID of the store that is copied.
    from: String,
}

/// A store that is being copied.
struct Copy<'a> {
    from: &'a dyn Objects,
    to: &'a dyn Objects,
}

/// Copies a store to an empty place, or to one that an interrupted copy of the same store has left.
///
/// # Errors
/// If an object cannot be read or written, if the place has something else, or if garbage
/// collection again and again deletes what is being copied.
pub async fn copy(from: &Place, to: &Place, timeline: Timeline) -> Result<Copied, StoreError> {
    let Existing { objects: from, id } = from.existing().await?;
    let to = to.target().await?;
    let marker = CopyMarker { from: id };
    let is_marked = to.write(COPY_MARKER, &marker, When::Absent).await?.is_some();
    if !is_marked && to.read::<CopyMarker>(COPY_MARKER).await?.as_ref() != Some(&marker) {
        return Err(StoreError::OtherCopy);
    }
    let copy = Copy {
        from: &*from,
        to: &*to,
    };
    for _ in 0..MAX_ATTEMPTS {
        if let Some(copied) = copy.run(timeline).await? {
            return Ok(copied);
        }
    }
    Err(StoreError::Changing)
}

impl Copy<'_> {
    /// Copies everything; `None` if something that visitors saw at the start was deleted meanwhile.
    async fn run(&self, timeline: Timeline) -> Result<Option<Copied>, StoreError> {
        let live = self.from.read_bytes(LIVE).await?.map(|object| object.bytes);
        let state: Option<LiveState> = match &live {
            Some(live) => Some(self.from.parse(LIVE, live)?),
            None => None,
        };
        // Before the releases: garbage collection deletes a deployment before its releases.
        let deployments = self.deployments().await?;
        let releases = self.copy_releases().await?;
        let visible: BTreeSet<u64> = state.iter().flat_map(|state| state.visible.numbers()).collect();
        let is_whole = |deployment: &Deployment| deployment.release_ids().all(|id| releases.contains(&id));
        let has_visible = visible.iter().all(|number| {
            let read = deployments
                .get(number)
                .and_then(|(_, deployment)| deployment.as_ref());
            read.is_some_and(is_whole)
        });
        let now = self.from.read_bytes(LIVE).await?.map(|object| object.bytes);
        if !has_visible && now != live {
            return Ok(None);
        }
        for (number, (bytes, deployment)) in deployments {
            if visible.contains(&number) || deployment.as_ref().is_none_or(is_whole) {
                let key = deployment_key(number);
                self.to.put(&key, bytes, When::Always).await?;
            }
        }
        self.copy_folder("tombstones", |_| true).await?;
        let revision = state.as_ref().map_or(0, LiveState::revision);
        // Later entries are changes since the live state was read, or those of a timeline that
        // ended.
        let is_earlier = |name: &str| numbers([name]).iter().all(|number| *number <= revision);
        self.copy_folder("history", is_earlier).await?;
        self.copy_folder("audit", |_| true).await?;
        // Those of a restored store begin with what happens from then on.
        if timeline == Timeline::Same {
            self.copy_folder("webhooks", |_| true).await?;
        }
        self.complete(live, state, timeline).await?;
        Ok(Some(Copied {
            revision,
            releases: releases.len(),
        }))
    }

    /// The deployments as they are stored, parsed unless they are damaged.
    async fn deployments(&self) -> Result<BTreeMap<u64, (Bytes, Option<Deployment>)>, StoreError> {
        let listed = self.from.list("deployments").await?;
        let stored = listed.iter().filter(|listed| !listed.is_deleted);
        let mut deployments = BTreeMap::new();
        for number in numbers(stored.map(|listed| &*listed.name)) {
            let key = deployment_key(number);
            let Some(object) = if_intact(self.from.read_bytes(&key).await)? else {
                continue;
            };
            if !object.is_deleted() {
                let deployment = self.from.parse(&key, &object.bytes).ok();
                deployments.insert(number, (object.bytes, deployment));
            }
        }
        Ok(deployments)
    }

    /// Copies the releases, each after its files. Returns those that are copied.
    async fn copy_releases(&self) -> Result<BTreeSet<ReleaseId>, StoreError> {
        let listed = self.from.list("releases").await?;
        let ids = listed
            .iter()
            .filter(|listed| !listed.is_deleted)
            .filter_map(|listed| release_id(&listed.name));
        let mut copied = BTreeSet::new();
        for id in ids {
            if self.copy_release(&id).await? {
                copied.insert(id);
            }
        }
        Ok(copied)
    }

    /// Copies a release; false if it was deleted meanwhile. What is damaged stays so: verifying the
    /// copy tells.
    async fn copy_release(&self, id: &ReleaseId) -> Result<bool, StoreError> {
        let key = release_key(id);
        let Some(object) = if_intact(self.from.read_bytes(&key).await)? else {
            return Ok(false);
        };
        if object.is_deleted() {
            return Ok(false);
        }
        let release: Option<PublishedRelease> = self.from.parse(&key, &object.bytes).ok();
        let release = release.filter(PublishedRelease::is_safe);
        let files: BTreeSet<String> = release
            .into_iter()
            .flat_map(|release| release.files.into_values())
            .collect();
        let copies = stream::iter(files).map(|name| async move { self.copy_file(&file_key(&name)).await });
        copies.buffer_unordered(CONCURRENCY).try_collect::<()>().await?;
        if self
            .from
            .read_bytes(&key)
            .await?
            .is_none_or(|object| object.is_deleted())
        {
            return Ok(false);
        }
        self.to.put(&key, object.bytes, When::Always).await?;
        Ok(true)
    }

    /// Copies a file of a release, unless an interrupted copy has done so.
    async fn copy_file(&self, key: &str) -> Result<(), StoreError> {
        let present = if_intact(self.to.read_bytes(key).await)?;
        if present.is_some_and(|object| is_intact(key, &object.bytes)) {
            return Ok(());
        }
        match if_intact(self.from.read_bytes(key).await)? {
            Some(object) => self.to.put(key, object.bytes, When::Always).await.map(drop),
            None => Ok(()),
        }
    }

    async fn copy_folder(&self, folder: &str, is_wanted: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let listed = self.from.list(folder).await?;
        let wanted = listed.into_iter().filter(|listed| is_wanted(&listed.name));
        let copies = stream::iter(wanted).map(|listed| async move {
            let key = format!("{folder}/{}", listed.name);
            match if_intact(self.from.read_bytes(&key).await)? {
                Some(object) => self.to.put(&key, object.bytes, When::Always).await.map(drop),
                None => Ok(()),
            }
        });
        copies.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }

    /// Makes the copy a store.
    async fn complete(
        &self,
        live: Option<Bytes>,
        state: Option<LiveState>,
        timeline: Timeline,
    ) -> Result<(), StoreError> {
        if let Some((live, state)) = live.zip(state) {
            match timeline {
                Timeline::Same => self.to.put(LIVE, live, When::Always).await?,
                Timeline::New => {
                    let state = state.with_new_timeline();
                    self.to.write(LIVE, &state, When::Always).await?
                }
            };
        }
        let id = StoreId::random();
        if self.to.write(STORE, &id, When::Absent).await?.is_none() {
            // Another process has completed the same copy.
            return Err(StoreError::NotEmpty(self.to.path("")));
        }
        self.to.delete(COPY_MARKER).await
    }
}
