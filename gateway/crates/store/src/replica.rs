//! Reading a replica of the bucket, such as one in another region. Its objects arrive later than
//! they were written, in any order: a live state can be there before the deployment that it names.

use std::collections::BTreeSet;
use std::sync::Arc;

use colonnade_model::deployment::LiveState;
use colonnade_model::release::ReleaseId;
use colonnade_web::request_scope;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::bucket_error::BucketError;
use super::error::StoreError;
use super::inner::{CONCURRENCY, Inner};
use super::keys::{deployment_key, file_key, release_key};
use super::local::Local;

impl Inner {
    /// The newest live state of which all that visitors see has arrived: this one, or the last one
    /// of which this was true. So visitors see an old deployment rather than a part of a new one.
    pub(crate) async fn replicated(
        self: &Arc<Self>,
        local: &Local,
        state: LiveState,
    ) -> Result<LiveState, StoreError> {
        let before = local.announced();
        if before.as_ref() == Some(&state) {
            return Ok(state);
        }
        let Some(missing) = self.first_missing(local, &state).await? else {
            return Ok(state);
        };
        let revision = state.revision();
        if local.awaits(revision) {
            tracing::info!(event = "replication_awaited", revision, missing = %missing);
        }
        let before = match before {
            None => local.mirror.live_state()?,
            before => before,
        };
        before.ok_or_else(|| {
            self.objects
                .error(&missing, BucketError::NotReplicated { revision })
        })
    }

    /// The key of an object that visitors need and that has not arrived.
    async fn first_missing(
        self: &Arc<Self>,
        local: &Local,
        state: &LiveState,
    ) -> Result<Option<String>, StoreError> {
        let mut ids = BTreeSet::new();
        for number in state.visible.numbers() {
            match self.deployment(number).await? {
                Some(deployment) => ids.extend(state.visible_ids(&deployment)),
                None => return Ok(Some(deployment_key(number))),
            }
        }
        let (own, wanted) = (Arc::clone(self), ids.clone());
        let copied = request_scope::run_blocking(move || own.copied_releases(wanted)).await;
        ids.retain(|id| !copied.contains_key(id));
        let checks = stream::iter(ids).map(|id| async move { self.missing_of(local, &id).await });
        let mut checks = checks.buffered(CONCURRENCY);
        while let Some(missing) = checks.try_next().await? {
            if missing.is_some() {
                return Ok(missing);
            }
        }
        Ok(None)
    }

    /// The key of an object of a release that has not arrived. Reads those that have into the
    /// cache.
    async fn missing_of(
        self: &Arc<Self>,
        local: &Local,
        id: &ReleaseId,
    ) -> Result<Option<String>, StoreError> {
        let release = match self.published(id).await {
            // The deployment is served without it.
            Err(error) if error.is_damage() => return Ok(None),
            read => read?,
        };
        let Some(release) = release else {
            return Ok(Some(release_key(id)));
        };
        self.copy_files(local, id, &release).await?;
        for name in release.files.values().filter(|name| !local.cache.contains(name)) {
            let key = file_key(name);
            if self.objects.read_bytes(&key).await?.is_none() {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
}
