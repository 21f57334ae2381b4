//! Making a change: plan it, check it, store what it creates, and swap the live state.
//!
//! New deployments have no effect until a compare-and-swap replaces the live state. If another
//! gateway was faster, the change is planned again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::deployment::change_error::ChangeError;
use crate::deployment::change_queue::Place;
use crate::deployment::claims::{assemble_new, refused_claims};
use crate::deployment::deployments::Deployments;
use crate::deployment::error::LoadError;
use crate::deployment::metrics;
use crate::deployment::plan::{
    ChangeRequest, ChangedSet, Command, Plan, PlanInput, Step, find_rollout, plan,
};
use crate::deployment::pushed_out::{Offer, pushed_out};
use crate::deployment::snapshot::{Snapshot, concurrently};
use crate::deployment::types::{ChangeOutcome, ChangePlan, CollectedGarbage};
use colonnade_model::deployment::{Change, ChangeKind, Deployment, SetName};
use colonnade_model::release::ReleaseId;
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_render::{RequestedRenders, TrialResults};
use colonnade_store::StoreError;
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::log::AUDIT;
use tokio::time::Instant;

impl Deployments {
    /// Makes a change.
    ///
    /// # Errors
    /// If a rule rejects it, the caller may not make it, or the store fails.
    pub async fn change(&self, request: &ChangeRequest<'_>) -> Result<ChangeOutcome, ChangeError> {
        let result = self.try_change(request).await;
        if let Some(action) = metrics_action(request.command) {
            self.observers.metrics.record_change(action, &result);
        }
        let mut outcome = result?;
        if matches!(request.command, Command::Preview(_)) {
            self.require_preview_key(&mut outcome).await?;
        }
        Ok(outcome)
    }

    /// What [`Self::change`] would do now. Rejects what it would reject before the trial renders,
    /// except for settings that releases lack.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub async fn plan(&self, request: &ChangeRequest<'_>) -> Result<ChangePlan, ChangeError> {
        let (snapshot, plan) = self.planned(request).await?;
        Ok(ChangePlan {
            live: snapshot.live().map(|live| live.deployment.number),
            change: plan.map(|plan| plan.state.change),
        })
    }

    async fn try_change(&self, request: &ChangeRequest<'_>) -> Result<ChangeOutcome, ChangeError> {
        request.authorize()?;
        let mut verified = TrialResults::default();
        let mut requested = RequestedRenders::default();
        let (asked_at, place) = (Instant::now(), request.command.place());
        let mut changing = self.start_change(place).await?;
        if matches!(request.command, Command::EndPreviews) {
            self.delete_preview_keys().await?;
        }
        loop {
            let snapshot = if request.command.needs_whole_store() {
                self.refresh().await?
            } else {
                self.newest_since(asked_at).await?
            };
            let Some((plan, loaded)) = self.prepare(&snapshot, request).await? else {
                return unchanged(snapshot, request.command);
            };
            if request.command.trial().is_some() {
                self.require_settings(&snapshot, &plan, &loaded)?;
                let unverified = self.unverified(&snapshot, &loaded, &mut verified);
                if !unverified.is_empty() {
                    drop(changing);
                    requested = self
                        .verify_rendering(request.command, &snapshot, unverified, &mut verified)
                        .await?;
                    changing = self.start_change(place).await?;
                    if !self.is_current(&snapshot) {
                        continue;
                    }
                }
            }
            if matches!(request.command, Command::Preview(_)) {
                self.store.rotate_keys(KeyPurpose::Previews).await?;
            }
            if let Some(outcome) = self.try_apply(&snapshot, plan, loaded).await? {
                return Ok(ChangeOutcome { requested, ..outcome });
            }
        }
    }

    /// What the change would do now; `None` if there is nothing to change.
    pub(super) async fn planned(
        &self,
        request: &ChangeRequest<'_>,
    ) -> Result<(Arc<Snapshot>, Option<Plan>), ChangeError> {
        request.authorize()?;
        let snapshot = {
            let _changing = self.hold_off_changes(request.command.place()).await?;
            self.refresh().await?
        };
        let Some((plan, _)) = self.prepare(&snapshot, request).await? else {
            return Ok((snapshot, None));
        };
        if let Some(deployment) = &plan.create {
            self.require_releases(&snapshot, deployment).await?;
        }
        Ok((snapshot, Some(plan)))
    }

    /// What a change does to a snapshot, with the sets that change, loaded; `None` if there is nothing
    /// to change. Fails if a rule rejects it.
    async fn prepare(
        &self,
        snapshot: &Snapshot,
        request: &ChangeRequest<'_>,
    ) -> Result<Option<(Plan, Vec<LoadedDeployment>)>, ChangeError> {
        let input = match request.command {
            Command::RollBack { target, .. } => self.restored(snapshot, target).await?,
            Command::CollectGarbage(keep) => PlanInput::Garbage(self.garbage(snapshot, *keep).await?),
            _ => PlanInput::None,
        };
        let Some(plan) = plan(snapshot, request, input, self.next_number(snapshot))? else {
            return Ok(None);
        };
        let loaded = self.checked(snapshot, &plan, request).await?;
        require_shown(snapshot, &plan, &loaded)?;
        Ok(Some((plan, loaded)))
    }

    /// Another gateway may have ended all previews in the meantime, which deletes the key.
    async fn require_preview_key(&self, outcome: &mut ChangeOutcome) -> Result<(), ChangeError> {
        let key = outcome
            .snapshot
            .preview_keys()
            .active(KeyPurpose::Previews, colonnade_clock::now());
        if key.is_none() {
            let _changing = self.start_change(Place::Limited).await?;
            self.store.rotate_keys(KeyPurpose::Previews).await?;
            outcome.snapshot = self.refresh().await?;
        }
        Ok(())
    }

    async fn delete_preview_keys(&self) -> Result<(), ChangeError> {
        let (purpose, none) = (KeyPurpose::Previews, RotatingKeys::default());
        loop {
            let keys = self.store.keys(purpose).await?;
            if self.store.compare_and_swap_keys(purpose, &keys, &none).await? {
                return Ok(());
            }
        }
    }

    /// The sets that change, loaded, if their releases exist, fit each other, and take only paths
    /// that the caller may change.
    async fn checked(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        request: &ChangeRequest<'_>,
    ) -> Result<Vec<LoadedDeployment>, ChangeError> {
        let may_change = request.may_change;
        let needs_claims = !may_change("*");
        if plan.create.is_none() && !needs_claims && !plan.state.change.action.is_forward() {
            return Ok(Vec::new());
        }
        let mut loaded = Vec::new();
        let mut refused = BTreeSet::new();
        for set in &plan.sets {
            let deployment = plan.create.clone().unwrap_or_else(|| unnumbered(plan));
            let assembled = self.assemble(snapshot, deployment, set).await?;
            let before = set.replaces.as_ref().and_then(|name| snapshot.set(name));
            if let Some(before) = before.filter(|_| needs_claims) {
                refused.append(&mut refused_claims(&before, &assembled, may_change));
            }
            loaded.push(assembled);
        }
        if refused.is_empty() {
            Ok(loaded)
        } else {
            Err(ChangeError::ClaimsNotAllowed(refused))
        }
    }

    /// Fails if the releases that a change makes visible read settings that the configuration
    /// lacks or has with another type. Those that it leaves alone are not checked: their teams cannot
    /// keep others from deploying.
    fn require_settings(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        loaded: &[LoadedDeployment],
    ) -> Result<(), ChangeError> {
        let mut problems = BTreeSet::new();
        for (set, loaded) in plan.sets.iter().zip(loaded) {
            let before = set.replaces.as_ref().map(|name| releases_of(snapshot, name));
            let before = before.unwrap_or_default();
            let is_new = |id: &ReleaseId| before.get(&id.name) != Some(&id.version);
            let new = loaded.releases.iter().filter(|release| is_new(&release.id));
            let found = new.flat_map(|release| self.setting_problems(release));
            problems.extend(found.map(|problem| problem.to_string()));
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(ChangeError::SettingsMissingOrMistyped(
                problems.into_iter().collect(),
            ))
        }
    }

    /// Loads a set, or returns all its problems. A release that the change leaves alone may be
    /// unavailable: its team cannot keep others from deploying.
    async fn assemble(
        &self,
        snapshot: &Snapshot,
        deployment: Deployment,
        set: &ChangedSet,
    ) -> Result<LoadedDeployment, ChangeError> {
        let before = set.replaces.as_ref().map(|name| releases_of(snapshot, name));
        let is_kept = |id: &ReleaseId| {
            let before = before.as_ref().and_then(|before| before.get(&id.name));
            before == Some(&id.version)
        };
        let (mut releases, mut lost) = (Vec::new(), Vec::new());
        let (mut unknown, mut unavailable) = (Vec::new(), Vec::new());
        let ids: Vec<ReleaseId> = set
            .releases
            .iter()
            .map(|(name, version)| ReleaseId {
                name: name.clone(),
                version: version.clone(),
            })
            .collect();
        let reads = ids.iter().map(|id| snapshot.find_release(&self.store, id));
        for (id, read) in ids.iter().zip(concurrently(reads).await) {
            match read {
                Ok(release) => releases.push(release),
                Err(error) if is_kept(id) && !error.is_away() => {
                    lost.push(snapshot.unavailable_release(id.clone(), error.to_string()));
                }
                Err(LoadError::ReleaseNotFound(_)) if snapshot.is_unavailable(&id.name, &id.version) => {
                    unavailable.push(is_unavailable(id));
                }
                Err(LoadError::ReleaseNotFound(id)) => unknown.push(not_published(&id)),
                Err(LoadError::Store(error)) if error.is_damage() => unavailable.push(is_unavailable(id)),
                Err(error) => return Err(error.into()),
            }
        }
        reject(unknown, unavailable)?;
        let assembled = assemble_new(Arc::new(deployment), releases, lost, Arc::clone(&snapshot.rules));
        assembled.map_err(|problems| match &set.rollout {
            Some(rollout) => ChangeError::ConflictWithRollouts {
                problems,
                rollouts: vec![rollout.clone()],
            },
            None => ChangeError::Conflict(problems),
        })
    }

    /// Applies a plan, unless the live state has changed since its snapshot; `None` in that case.
    /// The caller must hold off changes.
    pub(super) async fn try_apply(
        &self,
        snapshot: &Snapshot,
        mut plan: Plan,
        loaded: Vec<LoadedDeployment>,
    ) -> Result<Option<ChangeOutcome>, ChangeError> {
        let began_at = Instant::now();
        let created = plan.create.as_ref().and(loaded.first());
        plan.state.summaries = snapshot.summaries(&plan.state, created);
        if !self.commit(snapshot, &plan).await? {
            self.invalidate();
            return Ok(None);
        }
        let Plan {
            number,
            create,
            state,
            garbage,
            ..
        } = plan;
        audit(&state.change);
        // The change is in effect, whatever happens to the store now.
        let created = create.and(loaded.into_iter().next());
        let snapshot = match snapshot.changed(&state, created) {
            Some(changed) if state.change.action.is_within_live_state() => {
                self.replace(changed, began_at).await
            }
            changed => match (self.refresh().await, changed) {
                (Ok(snapshot), _) => snapshot,
                (Err(_), Some(changed)) => self.replace(changed, began_at).await,
                (Err(error), None) => return Err(error.into()),
            },
        };
        Ok(Some(ChangeOutcome {
            snapshot,
            state,
            number,
            changed: true,
            requested: RequestedRenders::default(),
            garbage,
        }))
    }

    /// Creates the deployment, then swaps the live state; false if another gateway was faster. A
    /// deployment that is not used stays: other gateways may have loaded it, so its number must not
    /// be reused.
    async fn commit(&self, snapshot: &Snapshot, plan: &Plan) -> Result<bool, ChangeError> {
        if let Some(deployment) = &plan.create {
            if !self.store.create_deployment(deployment).await? {
                self.changes.set_refused(deployment.number);
                return Ok(false);
            }
            // Garbage collection keeps the releases of this deployment from now on, but may have
            // deleted one just before.
            self.claim_releases(snapshot, deployment).await?;
        }
        Ok(self
            .store
            .compare_and_swap_state(snapshot.state(), &plan.state)
            .await?)
    }

    /// Claims the releases that no visitor gets, and fails if one is not stored: garbage collection
    /// keeps those of the deployments in the live state, which is still the same when it is
    /// swapped.
    async fn claim_releases(&self, snapshot: &Snapshot, deployment: &Deployment) -> Result<(), ChangeError> {
        let claims = unseen_releases(snapshot, deployment).into_iter();
        let claims = claims.map(|id| async move {
            let claimed = self.store.claim_release(&id).await;
            (id, claimed.map(|claimed| claimed.is_some()))
        });
        require_stored(concurrently(claims).await)
    }

    /// Fails as [`Self::claim_releases`] would now.
    async fn require_releases(
        &self,
        snapshot: &Snapshot,
        deployment: &Deployment,
    ) -> Result<(), ChangeError> {
        let reads = unseen_releases(snapshot, deployment).into_iter();
        let reads = reads.map(|id| async move {
            let read = self.store.release(&id).await;
            (id, read.map(|read| read.is_some()))
        });
        require_stored(concurrently(reads).await)
    }
}

/// Fails if a change would push an extension of another section out of a point. Rollbacks may: they
/// restore what was shown before.
fn require_shown(snapshot: &Snapshot, plan: &Plan, loaded: &[LoadedDeployment]) -> Result<(), ChangeError> {
    let Change {
        action, candidate, ..
    } = &plan.state.change;
    let (Some(live), changed) = (snapshot.live(), loaded.first()) else {
        return Ok(());
    };
    let rules = snapshot.rules_with(Some(&plan.state));
    // What a candidate pushes out so far, its promotion pushes out for all visitors.
    let before = Offer::of(snapshot, live, *candidate);
    let mut after = Offer {
        rules: &rules,
        ..Offer::of(snapshot, live, None)
    };
    match action {
        ChangeKind::Deploy | ChangeKind::Promote => after.live = changed.unwrap_or(live),
        ChangeKind::Rollout => after
            .candidates
            .extend(changed.iter().flat_map(|set| &set.releases)),
        ChangeKind::ExtensionOn => {}
        _ => return Ok(()),
    }
    let problems = pushed_out(&before, &after);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(ChangeError::ExtensionsPushedOut(problems))
    }
}

/// The releases of a deployment that no visitor gets.
fn unseen_releases(snapshot: &Snapshot, deployment: &Deployment) -> BTreeSet<ReleaseId> {
    let visible = snapshot
        .state()
        .into_iter()
        .flat_map(|state| state.visible.numbers());
    let records = visible.filter_map(|number| snapshot.record(number));
    let seen: BTreeSet<ReleaseId> = records.flat_map(|record| record.release_ids()).collect();
    deployment.release_ids().filter(|id| !seen.contains(id)).collect()
}

/// Fails if a release is not stored, or is damaged.
fn require_stored(reads: Vec<(ReleaseId, Result<bool, StoreError>)>) -> Result<(), ChangeError> {
    let (mut unknown, mut unavailable) = (Vec::new(), Vec::new());
    for (id, is_stored) in reads {
        match is_stored {
            Err(error) if error.is_damage() => unavailable.push(is_unavailable(&id)),
            Ok(false) => unknown.push(not_published(&id)),
            is_stored => {
                is_stored?;
            }
        }
    }
    reject(unknown, unavailable)
}

/// The result of a change that is already in effect.
fn unchanged(snapshot: Arc<Snapshot>, command: &Command) -> Result<ChangeOutcome, ChangeError> {
    let state = snapshot.state().cloned();
    let (Some(state), Some(live)) = (state, snapshot.live()) else {
        return Err(ChangeError::NoLiveDeployment);
    };
    let number = match command {
        Command::Step { rollout, .. } => find_rollout(&snapshot, rollout)?.record.candidate,
        _ => live.deployment.number,
    };
    Ok(ChangeOutcome {
        snapshot,
        state,
        number,
        changed: false,
        requested: RequestedRenders::default(),
        garbage: CollectedGarbage::default(),
    })
}

/// A record for a set that is only checked.
fn unnumbered(plan: &Plan) -> Deployment {
    Deployment {
        number: plan.number,
        releases: BTreeMap::new(),
        created_at: plan.state.change.at,
        by: String::new(),
        reason: None,
        preview: false,
        changes: BTreeSet::new(),
    }
}

/// The versions of a set, by name.
fn releases_of(snapshot: &Snapshot, set: &SetName) -> BTreeMap<String, String> {
    let live = snapshot.record(set.live());
    let candidates = set
        .candidates()
        .iter()
        .filter_map(|number| snapshot.record(*number));
    let releases = live.map(|live| live.releases.clone()).unwrap_or_default();
    candidates.fold(releases, |releases, candidate| candidate.applied_to(&releases))
}

fn audit(change: &Change) {
    let Change {
        action,
        live,
        candidate,
        by,
        extension,
        ..
    } = change;
    let (section, extension_point) = extension.as_ref().map(|of| (&*of.section, &*of.point)).unzip();
    // After an automatic abort or pause the team of the release must act.
    if change.needs_attention() {
        tracing::warn!(target: AUDIT, event = "deployment_changed", action = ?action, deployment = live, candidate, by = %by);
    } else {
        tracing::info!(target: AUDIT, event = "deployment_changed", action = ?action, deployment = live, candidate, section, extension_point, by = %by);
    }
}

/// The action of a command in the metrics; `None` if it is not counted.
fn metrics_action(command: &Command) -> Option<&'static str> {
    match command {
        Command::Deploy(_) => Some(metrics::DEPLOY),
        Command::RollBack { .. } => Some(metrics::ROLLBACK),
        Command::Step { step, .. } => Some(match step {
            Step::SetPercent(_) | Step::Promote => metrics::PROMOTE,
            Step::Abort(ChangeKind::AutomaticAbort) => metrics::AUTOMATIC_ABORT,
            Step::Abort(_) => metrics::ABORT,
            Step::Advance(_) => metrics::ADVANCE,
            Step::Pause(None) => metrics::PAUSE,
            Step::Pause(Some(_)) => metrics::AUTOMATIC_PAUSE,
            Step::Resume => metrics::RESUME,
        }),
        Command::Switch { on, .. } => Some(if *on {
            metrics::EXTENSION_ON
        } else {
            metrics::EXTENSION_OFF
        }),
        Command::Preview(_) | Command::EndPreviews | Command::CollectGarbage(_) => None,
    }
}

fn reject(unknown: Vec<String>, unavailable: Vec<String>) -> Result<(), ChangeError> {
    if !unknown.is_empty() {
        return Err(ChangeError::UnknownReleases(unknown));
    }
    if !unavailable.is_empty() {
        return Err(ChangeError::Unavailable(unavailable));
    }
    Ok(())
}

fn is_unavailable(id: &ReleaseId) -> String {
    format!("{id} is missing or damaged")
}

fn not_published(id: &ReleaseId) -> String {
    format!("{id} is not published")
}
