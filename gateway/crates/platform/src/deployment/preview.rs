//! Creating previews, and managing the keys that sign their links.

use std::collections::BTreeMap;

use super::change::{Author, ChangeError, ChangeOutcome, ChangePlan, MayChange, require};
use super::{DeployRequest, Deployments};
use colonnade_diagnostics::TrialAction;
use colonnade_model::deployment::Deployment;
use colonnade_model::deployment::{ChangeKind, release_changes};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_render::TrialResults;

/// What a preview shows.
#[derive(Debug)]
pub enum PreviewTarget {
    /// A stored deployment.
    Deployment(u64),
    /// The live deployment with some releases replaced. It is stored as a new deployment.
    Releases(DeployRequest),
}

impl Deployments {
    /// Prepares a preview. The returned snapshot has the deployment and a key to sign its link with.
    pub async fn preview(
        &self,
        target: &PreviewTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        if let PreviewTarget::Releases(request) = target {
            require(may_change, request.releases.keys())?;
        }
        let mut verified = TrialResults::default();
        let mut changing = self.start_change().await?;
        loop {
            let snapshot = self.refresh().await?;
            let live = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?;
            let before = &live.deployment.releases;
            let (number, target_releases) = match target {
                PreviewTarget::Deployment(number) => {
                    let loaded = snapshot
                        .deployment(*number)
                        .ok_or(ChangeError::DeploymentNotFound(*number))?;
                    (*number, loaded.deployment.releases.clone())
                }
                PreviewTarget::Releases(request) => (self.next_number(&snapshot), request.applied_to(before)),
            };
            let changes = release_changes(before, &target_releases);
            require(may_change, changes.keys())?;
            let (number, is_new) = match target {
                PreviewTarget::Releases(_) if changes.is_empty() => (live.number(), false),
                PreviewTarget::Releases(_) => (number, true),
                PreviewTarget::Deployment(_) => (number, false),
            };
            let visible = snapshot
                .state()
                .ok_or(ChangeError::NoLiveDeployment)?
                .visible
                .clone();
            let mut state = author.state(&snapshot, ChangeKind::Preview, visible, changes);
            state.change.candidate = Some(number);
            let mut plan = ChangePlan::new(state);
            if is_new {
                plan.deployments.push(Deployment {
                    preview: true,
                    ..author.deployment(number, target_releases)
                });
            }
            let loaded = self.assemble_all(&snapshot, &plan).await?;
            let unverified = self.unverified(&snapshot, &loaded, &mut verified);
            if !unverified.is_empty() {
                drop(changing);
                self.verify_rendering(TrialAction::Preview, &snapshot, unverified, &mut verified)
                    .await?;
                changing = self.start_change().await?;
                if !self.is_current(&snapshot) {
                    continue;
                }
            }
            self.store.rotate_keys(KeyPurpose::Previews).await?;
            if let Some(mut outcome) = self.try_apply(&snapshot, plan, loaded, number).await? {
                // Another gateway has ended all previews in the meantime, which deleted the key.
                let keys = outcome.snapshot.preview_keys();
                if keys
                    .active(KeyPurpose::Previews, colonnade_clock::now())
                    .is_none()
                {
                    self.store.rotate_keys(KeyPurpose::Previews).await?;
                    outcome.snapshot = self.refresh().await?;
                }
                return Ok(outcome);
            }
        }
    }

    /// Ends all previews, on every gateway that shares the store, by deleting the signing keys.
    pub async fn end_previews(&self, author: &Author, may_change: MayChange<'_>) -> Result<(), ChangeError> {
        require(may_change, [&"*".to_owned()].into_iter())?;
        let _changing = self.start_change().await?;
        loop {
            let keys = self.store.keys(KeyPurpose::Previews).await?;
            if !self
                .store
                .compare_and_swap_keys(KeyPurpose::Previews, &keys, &RotatingKeys::default())
                .await?
            {
                continue;
            }
            let snapshot = self.refresh().await?;
            let Some(visible) = snapshot.state().map(|state| state.visible.clone()) else {
                return Ok(());
            };
            let live = visible.live();
            let state = author.state(&snapshot, ChangeKind::EndPreviews, visible, BTreeMap::new());
            if self
                .try_apply(&snapshot, ChangePlan::new(state), Vec::new(), live)
                .await?
                .is_some()
            {
                return Ok(());
            }
        }
    }
}
