//! Applying a change: new deployments have no effect until a compare-and-swap replaces the live state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::claims::{Claim, assemble_new};
use super::rollout::{RolloutDescription, RolloutTarget};
use super::snapshot::{CONCURRENT_READS, LoadError, concurrently};
use super::{Deployments, Snapshot};
use colonnade_model::deployment::Deployment;
use colonnade_model::deployment::{
    Change, ChangeKind, LiveState, MAX_ROLLOUTS, ReleaseChange, VisibleDeployments,
};
use colonnade_model::release::ReleaseId;
use colonnade_store::StoreError;
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::log::AUDIT;
use futures_util::{StreamExt as _, stream};
use tokio::time::Instant;

/// Who makes a change, and why.
#[derive(Debug, Clone)]
pub struct Author {
    /// The name of the API token, or `gateway`.
    pub by: String,
    /// The reason, if given.
    pub reason: Option<String>,
}

/// Whether the caller may change a section or the shell; `*` stands for all of them.
pub(super) type MayChange<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// The result of a change.
#[derive(Debug)]
pub struct ChangeOutcome {
    /// A snapshot taken after the change.
    pub snapshot: Arc<Snapshot>,
    /// The live state after the change. `snapshot` may be newer.
    pub state: LiveState,
    /// The deployment that was created, promoted or aborted.
    pub number: u64,
    /// False if there was nothing to change.
    pub changed: bool,
}

/// Why a change is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// These releases are not published.
    #[error("releases are not published; publish them first")]
    UnknownReleases(Vec<String>),
    /// These releases are damaged, or missing from the store although visitors should see them.
    #[error(
        "releases are missing from the store or damaged; deploy other versions of these sections, or restore their files"
    )]
    Unavailable(Vec<String>),
    /// The releases conflict with each other.
    #[error("the releases conflict with each other")]
    Conflict(Vec<String>),
    /// Pages of the deployment fail to render.
    #[error("pages of the deployment fail to render")]
    RenderFailed(Vec<String>),
    /// The deployment that the change builds on is not live.
    #[error("base deployment {base} is not live: {}", describe_live(*.live))]
    BaseNotLive {
        /// The requested base.
        base: u64,
        /// The live deployment.
        live: Option<u64>,
    },
    /// The releases conflict with those of running rollouts.
    #[error("the releases conflict with a rollout: {}; promote or abort it first, or deploy releases that fit both", join(.rollouts))]
    ConflictWithRollouts {
        /// The conflicts.
        problems: Vec<String>,
        /// The rollouts that some visitors see together with the releases.
        rollouts: Vec<RolloutDescription>,
    },
    /// The maximum number of rollouts is running.
    #[error("{MAX_ROLLOUTS} rollouts are running, which is the maximum: {}; promote or abort one first", join(.0))]
    TooManyRollouts(Vec<RolloutDescription>),
    /// Sections of the change are being rolled out.
    #[error("{}; promote or abort it first", join(.0))]
    SectionsInRollout(Vec<RolloutDescription>),
    /// The change needs a live deployment.
    #[error("no deployment is live; deploy one first, without `percent` or `steps`")]
    NoLiveDeployment,
    /// There is no such rollout to promote or abort.
    #[error("{target} is not being rolled out: {}", describe_running(.running))]
    NotInRollout {
        /// The requested rollout.
        target: RolloutTarget,
        /// The running rollouts.
        running: Vec<RolloutDescription>,
    },
    /// The rollout has no steps to pause or resume.
    #[error("the rollout of {0} has no steps: its share changes only with `promote`")]
    NoSteps(RolloutTarget),
    /// The deployment does not exist, or was deleted by garbage collection.
    #[error("deployment {0} does not exist")]
    DeploymentNotFound(u64),
    /// A record in the store is damaged.
    #[error("{0} is damaged; restore its file from a backup (see `gateway store verify`)")]
    DamagedRecord(String),
    /// There is nothing to roll back to.
    #[error("{0}")]
    NothingToRestore(String),
    /// The caller may not change this section.
    #[error("not allowed for `{0}`")]
    NotAllowed(String),
    /// The caller may not take paths of these sections.
    #[error("patterns take paths of other sections, so the change needs a token that also covers {}", describe_claimed(.0))]
    ClaimsNotAllowed(BTreeSet<Claim>),
    /// A deployment cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A change that is based on one snapshot.
pub(super) struct ChangePlan {
    /// The deployments to create.
    pub(super) deployments: Vec<Deployment>,
    /// The next live state.
    pub(super) state: LiveState,
}

impl ChangeOutcome {
    /// The result of a change that is already in effect.
    pub(super) fn unchanged(snapshot: Arc<Snapshot>, number: u64) -> Result<Self, ChangeError> {
        let state = snapshot.state().cloned().ok_or(ChangeError::NoLiveDeployment)?;
        Ok(Self {
            snapshot,
            state,
            number,
            changed: false,
        })
    }
}

impl ChangePlan {
    /// A plan without new deployments.
    pub(super) fn new(state: LiveState) -> Self {
        Self {
            deployments: Vec::new(),
            state,
        }
    }
}

impl Deployments {
    /// Applies a plan with these deployments, unless the live state has changed since its snapshot; `None` in that case. The
    /// caller must hold `changing`.
    pub(super) async fn try_apply(
        &self,
        snapshot: &Snapshot,
        plan: ChangePlan,
        loaded: Vec<LoadedDeployment>,
        number: u64,
    ) -> Result<Option<ChangeOutcome>, ChangeError> {
        let began_at = Instant::now();
        if !self.commit(snapshot, &plan).await? {
            self.invalidate();
            return Ok(None);
        }
        let Change { action, live, by, .. } = &plan.state.change;
        let candidate = plan.state.change.candidate;
        // After an automatic abort or pause the team of the release must act.
        if plan.state.change.needs_attention() {
            tracing::warn!(target: AUDIT, event = "deployment_changed", action = ?action, deployment = live, candidate, by = %by);
        } else {
            tracing::info!(target: AUDIT, event = "deployment_changed", action = ?action, deployment = live, candidate, by = %by);
        }
        // The change is in effect, whatever happens to the store now.
        let snapshot = match snapshot.changed(&plan.state, loaded) {
            Some(changed) if action.is_within_live_state() => self.publish(changed, began_at).await,
            changed => match (self.refresh().await, changed) {
                (Ok(snapshot), _) => snapshot,
                (Err(_), Some(changed)) => self.publish(changed, began_at).await,
                (Err(error), None) => return Err(error.into()),
            },
        };
        Ok(Some(ChangeOutcome {
            snapshot,
            state: plan.state,
            number,
            changed: true,
        }))
    }

    /// Creates the deployments, then swaps the live state; false if another gateway was faster. Unused deployments stay:
    /// other gateways may have loaded them, so their numbers must not be reused.
    async fn commit(&self, snapshot: &Snapshot, plan: &ChangePlan) -> Result<bool, ChangeError> {
        if let Some((first, others)) = plan.deployments.split_first() {
            // The gateway that creates the first one has the numbers after it, unless another one read before.
            if !self.create(first).await? {
                return Ok(false);
            }
            let others = others.iter().map(|deployment| self.create(deployment));
            for is_created in concurrently(others).await {
                if !is_created? {
                    return Ok(false);
                }
            }
        }
        // Garbage collection keeps the releases of these deployments from now on, but may have deleted one just before.
        self.claim_releases(snapshot, &plan.deployments).await?;
        Ok(self
            .store
            .compare_and_swap_state(snapshot.state(), &plan.state)
            .await?)
    }

    /// Creates a deployment; false if its number is taken.
    async fn create(&self, deployment: &Deployment) -> Result<bool, StoreError> {
        let is_created = self.store.create_deployment(deployment).await?;
        if !is_created {
            self.refused.fetch_max(deployment.number, Ordering::Relaxed);
        }
        Ok(is_created)
    }

    /// Claims the releases that no visitor sees, and fails if one is not stored: garbage collection keeps those of the deployments
    /// in the live state, which is still the same when it is swapped.
    async fn claim_releases(
        &self,
        snapshot: &Snapshot,
        deployments: &[Deployment],
    ) -> Result<(), ChangeError> {
        let (mut unknown, mut unavailable) = (Vec::new(), Vec::new());
        let mut ids: BTreeSet<ReleaseId> = deployments.iter().flat_map(Deployment::release_ids).collect();
        for loaded in snapshot.visible() {
            for release in &loaded.releases {
                ids.remove(&release.id);
            }
        }
        let reads = stream::iter(ids).map(|id| async move {
            let stored = self.store.claim_release(&id).await;
            (id, stored)
        });
        let mut reads = reads.buffered(CONCURRENT_READS);
        while let Some((id, stored)) = reads.next().await {
            match stored {
                Err(error) if error.is_damage() => unavailable.push(is_unavailable(&id)),
                Ok(None) => unknown.push(not_published(&id)),
                stored => drop(stored?),
            }
        }
        reject(unknown, unavailable)
    }

    /// Loads the deployments of a plan, or returns all problems of the first one that has any.
    pub(super) async fn assemble_all(
        &self,
        snapshot: &Snapshot,
        plan: &ChangePlan,
    ) -> Result<Vec<LoadedDeployment>, ChangeError> {
        let mut loaded = Vec::new();
        for (combination, deployment) in plan.deployments.iter().enumerate() {
            let assembled = self.assemble(snapshot, deployment.clone()).await;
            loaded.push(assembled.map_err(|error| match error {
                ChangeError::Conflict(problems) if combination > 0 => ChangeError::ConflictWithRollouts {
                    problems,
                    rollouts: snapshot.describe_rollouts_in(combination),
                },
                error => error,
            })?);
        }
        Ok(loaded)
    }

    /// Loads a deployment, or returns all its problems.
    async fn assemble(
        &self,
        snapshot: &Snapshot,
        deployment: Deployment,
    ) -> Result<LoadedDeployment, ChangeError> {
        let mut releases = Vec::new();
        let mut unknown = Vec::new();
        let mut unavailable = Vec::new();
        let (lost, ids): (Vec<_>, Vec<_>) = deployment
            .release_ids()
            .partition(|id| snapshot.is_unavailable(&id.name, &id.version));
        unavailable.extend(lost.iter().map(is_unavailable));
        let reads = ids.iter().map(|id| snapshot.find_release(&self.store, id));
        for (id, read) in ids.iter().zip(concurrently(reads).await) {
            match read {
                Ok(release) => releases.push(release),
                Err(LoadError::ReleaseNotFound(id)) => unknown.push(not_published(&id)),
                Err(LoadError::Store(error)) if error.is_damage() => unavailable.push(is_unavailable(id)),
                Err(error) => return Err(error.into()),
            }
        }
        reject(unknown, unavailable)?;
        assemble_new(deployment, releases).map_err(ChangeError::Conflict)
    }
}

impl Author {
    /// A new deployment of these releases.
    pub(super) fn deployment(&self, number: u64, releases: BTreeMap<String, String>) -> Deployment {
        Deployment {
            number,
            releases,
            created_at: colonnade_clock::now(),
            by: self.by.clone(),
            reason: self.reason.clone(),
            preview: false,
        }
    }

    /// Applies a change of releases to every deployment that visitors see. Returns the new deployments, by combination of
    /// the running rollouts and numbered from `number`. Returns one deployment before the first deploy.
    pub(super) fn renewed(
        &self,
        snapshot: &Snapshot,
        number: u64,
        change: impl Fn(&BTreeMap<String, String>) -> BTreeMap<String, String>,
    ) -> Vec<Deployment> {
        let visible = snapshot.visible().iter();
        let mut releases: Vec<_> = visible
            .map(|loaded| change(&loaded.deployment.releases))
            .collect();
        if releases.is_empty() {
            releases.push(change(&BTreeMap::new()));
        }
        let numbered = (number..).zip(releases);
        numbered
            .map(|(number, releases)| self.deployment(number, releases))
            .collect()
    }

    /// The live state in which the renewed deployments replace all deployments that visitors see.
    pub(super) fn state_for_all(
        &self,
        snapshot: &Snapshot,
        action: ChangeKind,
        renewed: &[Deployment],
        sections: BTreeMap<String, ReleaseChange>,
    ) -> LiveState {
        let numbers = numbers(renewed);
        let visible = match snapshot.state() {
            Some(state) => state.visible.renewed(numbers),
            None => VisibleDeployments::live_only(numbers[0]),
        };
        self.state(snapshot, action, visible, sections)
    }

    /// The live state that follows a snapshot's, with the change that leads to it.
    pub(super) fn state(
        &self,
        snapshot: &Snapshot,
        action: ChangeKind,
        visible: VisibleDeployments,
        sections: BTreeMap<String, ReleaseChange>,
    ) -> LiveState {
        let before = snapshot.state().map(|state| &state.visible);
        let seen = before.map_or(&[][..], VisibleDeployments::deployments).iter();
        let replaced = seen.filter(|number| !visible.deployments().contains(number));
        let change = Change {
            revision: snapshot.revision() + 1,
            previous: snapshot.state().map_or(0, |state| match &state.change {
                newest if newest.changed_live() => newest.revision,
                newest => newest.previous,
            }),
            after: snapshot.state().map(|state| state.change.fingerprint()),
            at: colonnade_clock::now(),
            by: self.by.clone(),
            action,
            live: visible.live(),
            before: before.map(VisibleDeployments::live),
            candidate: None,
            percent: None,
            replaced: replaced.copied().collect(),
            steps: None,
            paused: None,
            restores: None,
            sections,
            reason: self.reason.clone(),
        };
        LiveState {
            visible,
            change,
            timeline: snapshot.state().and_then(|state| state.timeline.clone()),
            unknown: snapshot
                .state()
                .map(|state| state.unknown.clone())
                .unwrap_or_default(),
        }
    }
}

/// The numbers of deployments.
pub(super) fn numbers(deployments: &[Deployment]) -> Vec<u64> {
    deployments.iter().map(|deployment| deployment.number).collect()
}

/// Rejects a change of sections that the caller may not change.
pub(super) fn require<'a>(
    may_change: MayChange<'_>,
    sections: impl Iterator<Item = &'a String>,
) -> Result<(), ChangeError> {
    for section in sections {
        if !may_change(section) {
            return Err(ChangeError::NotAllowed(section.clone()));
        }
    }
    Ok(())
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

fn describe_live(live: Option<u64>) -> String {
    live.map_or("no deployment is live".to_owned(), |live| {
        format!("deployment {live} is live")
    })
}

fn describe_claimed(claims: &BTreeSet<Claim>) -> String {
    let sections: BTreeSet<_> = claims
        .iter()
        .map(|claim| format!("`{}`", claim.from_section()))
        .collect();
    sections.into_iter().collect::<Vec<_>>().join(", ")
}

fn describe_running(rollouts: &[RolloutDescription]) -> String {
    if rollouts.is_empty() {
        "no rollout is running".to_owned()
    } else {
        join(rollouts)
    }
}

fn join(rollouts: &[RolloutDescription]) -> String {
    let rollouts: Vec<String> = rollouts.iter().map(ToString::to_string).collect();
    rollouts.join("; ")
}
