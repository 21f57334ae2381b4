//! The live state, and the one way it changes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Mutex;
use tokio::time::MissedTickBehavior;

use super::snapshot::LoadError;
use super::{Deployment, Set, Snapshot};
use crate::clock;
use crate::store::{ReleaseId, Store, StoreError};

/// How often the store is asked whether another process changed what is live.
const POLL: Duration = Duration::from_millis(500);

/// The store and the present view of it.
pub(crate) struct Deployments {
    store: Arc<dyn Store>,
    current: ArcSwap<Snapshot>,
    /// Held while the view changes, so that it never goes back.
    changing: Mutex<()>,
}

/// A wish for a new deployment.
#[derive(Debug)]
pub(crate) struct Change {
    /// The releases that replace those of the live set.
    pub(crate) releases: BTreeMap<String, String>,
    /// Who wishes it.
    pub(crate) by: String,
    /// Why.
    pub(crate) reason: Option<String>,
}

/// How a deploy went.
#[derive(Debug)]
pub(crate) enum Deployed {
    /// This deployment is live now.
    New(Arc<Set>),
    /// The live deployment is what was wished for already.
    Unchanged(Arc<Set>),
}

/// Why a set is not deployed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeployError {
    /// These releases are not in the store.
    #[error("the set names releases that are not published")]
    Unknown(Vec<String>),
    /// The releases cannot be live together.
    #[error("the releases do not fit together")]
    Conflict(Vec<String>),
    /// The store does not hold what it should.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Deployments {
    /// Reads what is live from the store.
    pub(crate) async fn open(store: Arc<dyn Store>) -> Result<Self, LoadError> {
        let snapshot = Snapshot::default().renewed(&*store).await?;
        Ok(Self {
            store,
            current: ArcSwap::from_pointee(snapshot),
            changing: Mutex::new(()),
        })
    }

    /// The present view.
    pub(crate) fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The store behind it.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Notices, for ever, what other processes make live. What cannot be loaded is logged, and the view stays.
    pub(crate) async fn watch(&self) {
        let mut ticks = tokio::time::interval(POLL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // A broken store is reported when it breaks, not twice a second.
        let mut reported = None;
        loop {
            ticks.tick().await;
            let error = self.notice().await.err().map(|error| error.to_string());
            if let Some(error) = &error
                && reported.as_ref() != Some(error)
            {
                tracing::error!(event = "store_unreadable", error = %error);
            }
            reported = error;
        }
    }

    /// Makes a new deployment of the live set with some releases replaced.
    pub(crate) async fn deploy(&self, change: Change) -> Result<Deployed, DeployError> {
        let _changing = self.changing.lock().await;
        loop {
            let snapshot = self.renew().await?;
            let live = snapshot.live();
            let mut releases = live
                .map(|set| set.deployment.releases.clone())
                .unwrap_or_default();
            releases.extend(change.releases.clone());
            if let Some(live) = live
                && live.deployment.releases == releases
            {
                return Ok(Deployed::Unchanged(Arc::clone(live)));
            }
            let last = self.store.deployments().await?.last().copied();
            let deployment = Deployment {
                number: last.unwrap_or(0) + 1,
                releases,
                created_at: clock::now(),
                by: change.by.clone(),
                reason: change.reason.clone(),
            };
            let number = deployment.number;
            let set = self.assemble(&snapshot, deployment).await?;
            // Either answer may be no when another process deploys too: then all begins anew from what it made.
            if self.store.create_deployment(&set.deployment).await?
                && self.store.swap_live(live.map(|set| set.number()), number).await?
            {
                let snapshot = self.renew().await?;
                let set = snapshot.set(number).ok_or(LoadError::NoDeployment(number))?;
                tracing::info!(event = "deployed", deployment = number, by = %change.by);
                return Ok(Deployed::New(Arc::clone(set)));
            }
        }
    }

    async fn notice(&self) -> Result<(), LoadError> {
        let number = self.current.load().live().map(|set| set.number());
        if self.store.live().await? != number {
            let _changing = self.changing.lock().await;
            self.renew().await?;
        }
        Ok(())
    }

    async fn renew(&self) -> Result<Arc<Snapshot>, LoadError> {
        let snapshot = Arc::new(self.current().renewed(&*self.store).await?);
        self.current.store(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    async fn assemble(&self, snapshot: &Snapshot, deployment: Deployment) -> Result<Set, DeployError> {
        let mut releases = Vec::new();
        let mut unknown = Vec::new();
        for (name, version) in &deployment.releases {
            let id = ReleaseId {
                name: name.clone(),
                version: version.clone(),
            };
            match snapshot.find(&*self.store, &id).await {
                Ok(release) => releases.push(release),
                Err(LoadError::NoRelease(id)) => unknown.push(format!("{id} is not published")),
                Err(error) => return Err(error.into()),
            }
        }
        if !unknown.is_empty() {
            return Err(DeployError::Unknown(unknown));
        }
        Set::assemble(deployment, releases).map_err(DeployError::Conflict)
    }
}
