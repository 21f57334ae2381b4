//! Rendering what a change would make live, before it is.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::change::{ChangeError, Plan};
use super::{Deployments, Set, Snapshot};
use crate::document::Documents;
use crate::render::{Renderer, Tried};

/// How long a deploy waits for pages to be rendered that nobody has asked for yet.
const BEFORE_LIVE: Duration = Duration::from_secs(1);

impl Deployments {
    /// The sets of a plan with sections that were never rendered in their shells.
    pub(super) async fn untried(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        tried: &mut Tried,
    ) -> Result<Vec<Set>, ChangeError> {
        let mut untried = Vec::new();
        if self.renderer_that_is_on().is_none() {
            return Ok(untried);
        }
        for set in snapshot.shown() {
            tried.add(set);
        }
        for deployment in &plan.deployments {
            let set = self.assemble(snapshot, deployment.clone()).await?;
            if !tried.covers(&set) {
                untried.push(set);
            }
        }
        Ok(untried)
    }

    /// Renders an example of each page of these sets, and refuses those that cannot be; then as many of the other paths
    /// that pages name as there is time for. It may take seconds: nobody else's change should have to wait for it.
    pub(super) async fn try_out(
        &self,
        snapshot: &Snapshot,
        sets: Vec<Set>,
        tried: &mut Tried,
    ) -> Result<(), ChangeError> {
        let Some(renderer) = self.renderer_that_is_on() else {
            return Ok(());
        };
        for set in sets {
            let live = snapshot.live().map(|live| &**live);
            let problems = renderer.try_out(&*self.store, &set, live, tried).await;
            if !problems.is_empty() {
                return Err(ChangeError::Unrenderable(problems));
            }
            tried.add(&set);
            // Whatever is left is rendered once it is live, when documents are composed: they name their deployment.
            let _ = timeout(BEFORE_LIVE, renderer.warm(&*self.store, &set)).await;
        }
        Ok(())
    }

    /// Why a set could not be rendered if it took the place of what is live.
    pub(crate) async fn unrenderable(&self, snapshot: &Snapshot, set: &Set) -> Vec<String> {
        let Some(renderer) = self.renderer_that_is_on() else {
            return Vec::new();
        };
        let mut tried = Tried::default();
        snapshot.shown().for_each(|set| tried.add(set));
        let live = snapshot.live().map(|live| &**live);
        renderer.try_out(&*self.store, set, live, &tried).await
    }

    /// Makes, in the background, the documents that visitors are likely to ask for, if they see anything new.
    pub(super) fn warm(&self, before: &Snapshot, now: &Snapshot) {
        let numbers = |snapshot: &Snapshot| snapshot.shown().map(|set| set.number()).collect::<Vec<_>>();
        let Some(documents) = &self.documents else {
            return;
        };
        if numbers(before) == numbers(now) {
            return;
        }
        let (documents, store) = (Arc::clone(documents), Arc::clone(&self.store));
        let sets: Vec<Arc<Set>> = now.shown().cloned().collect();
        let warming = tokio::spawn(async move {
            for set in sets {
                documents.warm(&*store, &set).await;
            }
        });
        let mut current = self.warming.lock();
        if let Some(last) = current.replace(warming.abort_handle()) {
            last.abort();
        }
    }

    fn renderer_that_is_on(&self) -> Option<&Renderer> {
        let renderer = self.documents.as_deref().map(Documents::renderer);
        renderer.filter(|renderer| renderer.is_on())
    }
}
