//! Previews: storing what is to be seen, and the keys its links are signed with.

use std::collections::BTreeMap;

use super::change::{Allows, Author, ChangeError, Outcome, Plan, require};
use super::state::{Done, moves};
use super::{Deployment, Deployments, Wish};
use crate::preview::{Keys, rotated};
use crate::render::Tried;
use crate::store::StoreError;

/// What a preview shows.
#[derive(Debug)]
pub(crate) enum Shown {
    /// A deployment of the store.
    Deployment(u64),
    /// The live set with some releases replaced, which is stored for it.
    Wish(Wish),
}

impl Deployments {
    /// Prepares a preview: in the view that comes back the deployment is there, and a key that signs.
    pub(crate) async fn preview(
        &self,
        shown: &Shown,
        author: &Author,
        allows: Allows<'_>,
    ) -> Result<Outcome, ChangeError> {
        if let Shown::Wish(wish) = shown {
            require(allows, wish.releases.keys())?;
        }
        let mut tried = Tried::default();
        loop {
            let changing = self.changing.lock().await;
            let snapshot = self.renew().await?;
            let live = snapshot.live().ok_or(ChangeError::NothingLive)?;
            let before = &live.deployment.releases;
            let (number, wanted) = match shown {
                Shown::Deployment(number) => {
                    let set = snapshot.set(*number).ok_or(ChangeError::NoDeployment(*number))?;
                    (*number, set.deployment.releases.clone())
                }
                Shown::Wish(wish) => (self.next_number().await?, wish.applied_to(before)),
            };
            let changes = moves(before, &wanted);
            require(allows, changes.keys())?;
            let (number, is_new) = match shown {
                Shown::Wish(_) if changes.is_empty() => (live.number(), false),
                Shown::Wish(_) => (number, true),
                Shown::Deployment(_) => (number, false),
            };
            let rollout = snapshot.state().and_then(|state| state.rollout.clone());
            let mut state = author.state(&snapshot, Done::Preview, live.number(), rollout, changes);
            state.change.candidate = Some(number);
            state.change.percent = None;
            let mut plan = Plan::new(state);
            if is_new {
                plan.deployments.push(Deployment {
                    preview: true,
                    ..author.deployment(number, wanted)
                });
            }
            let untried = self.untried(&snapshot, &plan, &mut tried).await?;
            if !untried.is_empty() {
                drop(changing);
                self.try_out(&snapshot, untried, &mut tried).await?;
                continue;
            }
            self.rotate_keys().await?;
            if let Some(mut outcome) = self.attempt(&snapshot, plan, number).await? {
                // Another gateway has ended all previews in between: this one comes after that.
                if rotated(outcome.snapshot.preview_keys()).is_some() {
                    self.rotate_keys().await?;
                    outcome.snapshot = self.renew().await?;
                }
                return Ok(outcome);
            }
        }
    }

    /// Ends every preview: the keys their links are signed with are forgotten, by every gateway on the store.
    pub(crate) async fn end_previews(&self, author: &Author, allows: Allows<'_>) -> Result<(), ChangeError> {
        require(allows, [&"*".to_owned()].into_iter())?;
        let _changing = self.changing.lock().await;
        loop {
            let keys = self.store.preview_keys().await?;
            if !self.store.swap_preview_keys(&keys, &Keys::default()).await? {
                continue;
            }
            let snapshot = self.renew().await?;
            let Some(live) = snapshot.live().map(|set| set.number()) else {
                return Ok(());
            };
            let rollout = snapshot.state().and_then(|state| state.rollout.clone());
            let state = author.state(&snapshot, Done::EndPreviews, live, rollout, BTreeMap::new());
            if self.attempt(&snapshot, Plan::new(state), live).await?.is_some() {
                return Ok(());
            }
        }
    }

    async fn rotate_keys(&self) -> Result<(), StoreError> {
        loop {
            let keys = self.store.preview_keys().await?;
            let Some(next) = rotated(&keys) else {
                return Ok(());
            };
            if self.store.swap_preview_keys(&keys, &next).await? {
                return Ok(());
            }
        }
    }
}
