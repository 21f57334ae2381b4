//! Keeps in the folder what visitors see, so that a gateway starts while the bucket is away.
//!
//! `live.json` of the folder is written last, when everything that it needs is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use colonnade_model::deployment::{Deployment, LiveState};
use colonnade_model::release::{ReleaseId, is_source_map};
use colonnade_web::request_scope;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::bucket_error::BucketError;
use crate::cached::CachedObjects;
use crate::error::StoreError;
use crate::inner::CONCURRENCY;
use crate::json;
use crate::keys::{LIVE, deployment_key, file_key, release_key};
use crate::objects::{Found, Object, Objects, When};
use crate::published::{FileNames, PublishedRelease};

/// When it is tried again after it failed.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

const INCOMPLETE: &str = "the gateway could not start without the object store: `store.cache_mib` is too small for the \
                          files of the live deployments, or one of them is damaged";

/// The objects that visitors need.
#[derive(Default)]
struct Visible {
    /// The keys of the deployments and of the releases.
    keys: BTreeSet<String>,
    /// Those that were read from the bucket.
    read: Vec<(String, Bytes)>,
    /// The files of the releases that are not damaged.
    files: BTreeMap<ReleaseId, Arc<FileNames>>,
    /// The key of an object that is not in the bucket.
    missing: Option<String>,
}

impl CachedObjects {
    /// Keeps each new live state. Never returns.
    pub(crate) async fn follow(self: Arc<Self>) {
        let mut changes = self.live.subscribe();
        loop {
            let live = changes.borrow_and_update().clone();
            let kept = match &live {
                Some(live) => self.keep(live).await,
                None => Ok(()),
            };
            if let Err(error) = kept {
                self.report(&error);
                let _ = tokio::time::timeout(RETRY_INTERVAL, changes.changed()).await;
            } else if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Keeps what visitors see in a live state. Fails if a replica of the bucket lacks a part.
    pub(super) async fn keep(self: &Arc<Self>, live: &Object) -> Result<(), StoreError> {
        let bucket: &dyn Objects = &self.bucket;
        let state: LiveState = bucket.parse(LIVE, &live.bytes)?;
        let mut visible = self.visible(&state).await?;
        let names: BTreeSet<String> = visible
            .files
            .values()
            .flat_map(|files| files.values().cloned())
            .collect();
        self.files.pin(names.clone());
        let own = Arc::clone(self);
        let wanted = request_scope::run_blocking(move || own.files.missing(&names)).await;
        let reads = stream::iter(wanted).map(|name| async move {
            let key = file_key(&name);
            let found = self.get(&key, None).await?;
            Ok::<_, StoreError>(matches!(found, Found::Missing).then_some(key))
        });
        let missing: Vec<_> = reads.buffer_unordered(CONCURRENCY).try_collect().await?;
        let mut missing = visible
            .missing
            .take()
            .into_iter()
            .chain(missing.into_iter().flatten());
        if let Some(key) = missing.next().filter(|_| bucket.is_read_only()) {
            let revision = state.revision();
            if self.is_new(&format!("revision {revision}")) {
                tracing::info!(event = "replication_awaited", revision, missing = %key);
            }
            return Err(bucket.error(&key, BucketError::NotReplicated { revision }));
        }
        visible.read.push((LIVE.to_owned(), live.bytes.clone()));
        let own = Arc::clone(self);
        request_scope::run_blocking(move || own.write(visible)).await
    }

    /// The objects that visitors of a live state need.
    async fn visible(self: &Arc<Self>, state: &LiveState) -> Result<Visible, StoreError> {
        let bucket: &dyn Objects = &self.bucket;
        let mut visible = Visible::default();
        let mut ids = BTreeSet::new();
        for number in state.visible.numbers() {
            let key = deployment_key(number);
            let object = bucket.read_bytes(&key).await?;
            if let Some(bytes) = visible.add(&key, object) {
                let deployment: Deployment = bucket.parse(&key, &bytes)?;
                ids.extend(state.visible_ids(&deployment));
            }
        }
        let (own, wanted) = (Arc::clone(self), ids.clone());
        visible.files = request_scope::run_blocking(move || own.whole_releases(wanted)).await;
        let deployments = state.visible.numbers().map(deployment_key);
        visible.keys = deployments.chain(ids.iter().map(release_key)).collect();
        ids.retain(|id| !visible.files.contains_key(id));
        let reads = stream::iter(ids).map(|id| async move {
            let read = bucket.read_bytes(&release_key(&id)).await?;
            Ok::<_, StoreError>((id, read))
        });
        let read: Vec<_> = reads.buffered(CONCURRENCY).try_collect().await?;
        for (id, object) in read {
            let files = visible.add(&release_key(&id), object);
            visible
                .files
                .extend(files.and_then(|bytes| Some((id, files_of(&bytes)?))));
        }
        Ok(visible)
    }

    /// The files of those releases of which the folder has everything, so that they need not be
    /// read again. Blocks.
    fn whole_releases(&self, ids: BTreeSet<ReleaseId>) -> BTreeMap<ReleaseId, Arc<FileNames>> {
        let whole = ids.into_iter().filter_map(|id| {
            let known = self.kept.lock().get(&id).cloned();
            let files = match known {
                Some(files) => files,
                None => files_of(&self.copy(&release_key(&id)).ok()??.bytes)?,
            };
            let is_whole = self.files.missing(files.values()).is_empty();
            is_whole.then_some((id, files))
        });
        whole.collect()
    }

    /// Writes what was read to the folder, and deletes what visitors do not see. Blocks.
    fn write(&self, visible: Visible) -> Result<(), StoreError> {
        if !self
            .files
            .missing(visible.files.values().flat_map(|files| files.values()))
            .is_empty()
        {
            self.report(&INCOMPLETE);
            return Ok(());
        }
        for (key, bytes) in &visible.read {
            self.folder.write(key, bytes, When::Always)?;
        }
        for folder in ["deployments", "releases"] {
            for listed in self.folder.entries(folder)? {
                let key = format!("{folder}/{}", listed.name);
                if !visible.keys.contains(&key) {
                    self.folder.remove(&key)?;
                }
            }
        }
        *self.kept.lock() = visible.files;
        *self.reported.lock() = None;
        Ok(())
    }
}

impl Visible {
    /// Adds an object as it was read. Returns its bytes, if it is there.
    fn add(&mut self, key: &str, object: Option<Object>) -> Option<Bytes> {
        let Some(object) = object.filter(|object| !object.is_deleted()) else {
            self.missing.get_or_insert_with(|| key.to_owned());
            return None;
        };
        self.read.push((key.to_owned(), object.bytes.clone()));
        Some(object.bytes)
    }
}

/// The names of the files of a release that visitors need; `None` if it is damaged: a deployment is
/// served without it.
fn files_of(release: &[u8]) -> Option<Arc<FileNames>> {
    let mut release: PublishedRelease = json::parse(Path::new(""), release).ok()?;
    if !release.is_safe() {
        return None;
    }
    release.files.retain(|path, _| !is_source_map(path));
    Some(Arc::new(release.files))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use colonnade_model::release::Digest;

    use super::files_of;
    use crate::ReleaseRecord;
    use crate::json;
    use crate::published::PublishedRelease;

    #[test]
    fn source_maps_are_not_kept() {
        let record = ReleaseRecord {
            published_at: colonnade_clock::now(),
            by: "test".to_owned(),
            source: None,
            digest: Digest::of(b""),
            variants: BTreeMap::new(),
        };
        let paths = ["client/a.js", "server/index.js", "server/maps/client/a.js.map"];
        let names = paths.map(|path| (path.to_owned(), "name".to_owned()));
        let release = PublishedRelease::new(String::new(), record, names.into(), String::new());
        let text = json::text(Path::new(""), &release).unwrap();
        let files = files_of(&text).unwrap();
        assert_eq!(
            files.keys().collect::<Vec<_>>(),
            ["client/a.js", "server/index.js"]
        );
    }
}
