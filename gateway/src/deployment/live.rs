//! The store, and the present view of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Mutex;
use tokio::task::AbortHandle;
use tokio::time::MissedTickBehavior;

use super::looks::Looks;
use super::snapshot::LoadError;
use super::{Deployment, Snapshot};
use crate::document::Documents;
use crate::store::Store;

/// How often the store is asked whether another process changed what is live.
const POLL: Duration = Duration::from_millis(500);

/// The store and the present view of it.
pub(crate) struct Deployments {
    pub(super) store: Arc<dyn Store>,
    /// Tries out what is to be live; where there is none, nothing is tried out.
    pub(super) documents: Option<Arc<Documents>>,
    current: ArcSwap<Snapshot>,
    /// Held while the view changes, so that it never goes back.
    pub(super) changing: Mutex<()>,
    looks: Looks,
    /// Renders what visitors are likely to ask for.
    pub(super) warming: parking_lot::Mutex<Option<AbortHandle>>,
}

impl Deployments {
    /// Reads what is live from the store.
    pub(crate) async fn open(
        store: Arc<dyn Store>,
        documents: Option<Arc<Documents>>,
    ) -> Result<Self, LoadError> {
        let nothing = Snapshot::default();
        let snapshot = Arc::new(nothing.renewed(&*store).await?);
        let deployments = Self {
            store,
            documents,
            current: ArcSwap::new(Arc::clone(&snapshot)),
            changing: Mutex::new(()),
            looks: Looks::default(),
            warming: parking_lot::Mutex::default(),
        };
        deployments.warm(&nothing, &snapshot);
        Ok(deployments)
    }

    /// The present view.
    pub(crate) fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The view after a look at the store, for whoever asks for something that the present one does not have: another
    /// gateway on the store may have told them of it. If the store cannot be read, the view stays; `watch` reports that.
    pub(crate) async fn look(&self) -> Arc<Snapshot> {
        self.looks.after_now(async || drop(self.notice().await)).await;
        self.current()
    }

    /// The store behind it.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Notices, for ever, what other processes change. What cannot be loaded is logged, and the view stays.
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

    async fn notice(&self) -> Result<(), LoadError> {
        let present = self.current.load().revision();
        let state = self.store.state().await?;
        if state.map_or(0, |state| state.revision()) != present {
            let _changing = self.changing.lock().await;
            self.renew().await?;
        }
        Ok(())
    }

    /// Reads the store anew. Only for whoever holds `changing`.
    pub(super) async fn renew(&self) -> Result<Arc<Snapshot>, LoadError> {
        let before = self.current();
        let snapshot = Arc::new(before.renewed(&*self.store).await?);
        self.current.store(Arc::clone(&snapshot));
        self.warm(&before, &snapshot);
        Ok(snapshot)
    }

    /// The records of all deployments that are kept, rising by number.
    pub(crate) async fn records(&self) -> Result<BTreeMap<u64, Deployment>, LoadError> {
        let mut records = BTreeMap::new();
        for number in self.store.deployments().await? {
            if let Some(deployment) = self.store.deployment(number).await? {
                records.insert(number, deployment);
            }
        }
        Ok(records)
    }
}
