//! Keeps the local copy of a bucket complete, so that a gateway starts while the object store is
//! away.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use colonnade_model::deployment::LiveState;
use colonnade_model::release::{Release, ReleaseId};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::error::StoreError;
use super::inner::{CONCURRENCY, Inner};
use super::keys::{LIVE, deployment_key, release_key};
use super::local::Local;
use super::published::{FileNames, PublishedRelease};
use super::types::{ListedFile, file_path};

/// When the copy is tried again after it failed.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// Files of the live deployments are not in the cache.
struct Incomplete;

/// Copies each new live state. Never returns.
pub(crate) async fn run(inner: Arc<Inner>) {
    let Some(local) = &inner.local else { return };
    let mut changes = local.subscribe();
    loop {
        let state = changes.borrow_and_update().clone();
        let copied = match state {
            Some(state) if !local.is_offline() => inner.copy_visible(local, &state).await,
            _ => Ok(Ok(())),
        };
        let is_done = match copied {
            Ok(Ok(())) => {
                local.mirror.forget_report();
                true
            }
            Ok(Err(Incomplete)) => {
                let error = "the gateway could not start without the object store: `store.cache_mib` is too small for the \
                             files of the live deployments, or one of them is damaged";
                local.mirror.report(&error);
                true
            }
            Err(error) => {
                local.mirror.report(&error);
                false
            }
        };
        if !is_done {
            let _ = tokio::time::timeout(RETRY_INTERVAL, changes.changed()).await;
        } else if changes.changed().await.is_err() {
            return;
        }
    }
}

impl Inner {
    /// Copies what visitors see in a live state.
    async fn copy_visible(
        self: &Arc<Self>,
        local: &Local,
        state: &LiveState,
    ) -> Result<Result<(), Incomplete>, StoreError> {
        let numbers: BTreeSet<u64> = state.visible.numbers().collect();
        let mut deployments = Vec::new();
        for number in &numbers {
            deployments.extend(self.deployment(*number).await?);
        }
        let visible = deployments
            .iter()
            .flat_map(|deployment| state.visible_ids(deployment));
        let ids: BTreeSet<ReleaseId> = visible.collect();
        let (own, wanted) = (Arc::clone(self), ids.clone());
        let copied = request_scope::run_blocking(move || own.copied_releases(wanted)).await;
        let missing: Vec<ReleaseId> = ids
            .iter()
            .filter(|id| !copied.contains_key(*id))
            .cloned()
            .collect();
        let reads = stream::iter(missing).map(|id| async move {
            match self.published(&id).await {
                // The deployment is served without it.
                Err(error) if error.is_damage() => Ok(None),
                read => Ok(read?.map(|release| (id, release))),
            }
        });
        let read: Vec<_> = reads.buffered(CONCURRENCY).try_collect().await?;
        let releases: Vec<(ReleaseId, PublishedRelease)> = read.into_iter().flatten().collect();
        let new = releases.iter().map(|(_, release)| &release.files);
        let pinned: HashSet<String> = copied
            .values()
            .map(Arc::as_ref)
            .chain(new)
            .flat_map(|files| files.values().cloned())
            .collect();
        local.cache.pin(pinned.clone());
        for (id, release) in &releases {
            self.copy_files(local, id, release).await?;
        }
        if !pinned.iter().all(|name| local.cache.contains(name)) {
            return Ok(Err(Incomplete));
        }
        let (own, state) = (Arc::clone(self), state.clone());
        request_scope::run_blocking(move || {
            let Some(local) = &own.local else { return Ok(()) };
            for deployment in &deployments {
                local
                    .mirror
                    .write(&deployment_key(deployment.number), deployment)?;
            }
            for (id, release) in &releases {
                local.mirror.write(&release_key(id), release)?;
                local.mirror.forget(id);
            }
            local.mirror.write(LIVE, &state)?;
            local.mirror.retain(&numbers, &ids)
        })
        .await?;
        Ok(Ok(()))
    }

    /// The files of the releases of which everything was copied before, and that need not be read
    /// again. Blocks.
    pub(crate) fn copied_releases(&self, ids: BTreeSet<ReleaseId>) -> HashMap<ReleaseId, Arc<FileNames>> {
        let copied = ids.into_iter().filter_map(|id| {
            let local = self.local.as_ref()?;
            let files = local.mirror.files(&id)?;
            let is_complete = files.values().all(|name| local.cache.contains(name));
            is_complete.then_some((id, files))
        });
        copied.collect()
    }

    /// Copies the files of a release that are not in the cache yet.
    pub(crate) async fn copy_files(
        self: &Arc<Self>,
        local: &Local,
        id: &ReleaseId,
        release: &PublishedRelease,
    ) -> Result<(), StoreError> {
        let path = self.objects.path(&release_key(id));
        let manifest: Release = match release.clone().stored(&path) {
            Ok(stored) => stored.release,
            Err(error) if error.is_damage() => return Ok(()),
            Err(error) => return Err(error),
        };
        let variants = &release.record.variants;
        let wanted = manifest.files.iter().flat_map(|file| {
            let codings = variants.get(&file.path).into_iter().flatten().copied();
            let codings = std::iter::once(Coding::Identity).chain(codings);
            codings.map(move |coding| (file, coding))
        });
        let missing: Vec<_> = wanted
            .filter(|(file, coding)| {
                let name = release.files.get(&file_path(&file.path, *coding));
                name.is_some_and(|name| !local.cache.contains(name))
            })
            .map(|(file, coding)| (file.clone(), coding))
            .collect();
        let reads = stream::iter(missing).map(|(file, coding)| async move {
            match self.read_file(id, ListedFile::from(&file), coding).await {
                Err(error) if error.is_damage() => Ok(()),
                read => read.map(drop),
            }
        });
        reads.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }
}
