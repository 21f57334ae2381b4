//! Changing what is live: everything that is made on the way stays without effect until the state is swapped.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::snapshot::LoadError;
use super::state::{Change, Done, Move, Rollout, State};
use super::{Deployment, Deployments, Set, Snapshot};
use crate::clock;
use crate::store::{ReleaseId, StoreError};

/// Who asks for a change, and why.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    /// The name of the token, or `gateway`.
    pub(crate) by: String,
    /// The reason, if one was given.
    pub(crate) reason: Option<String>,
}

/// Whether whoever asks may touch a section, or the shell.
pub(crate) type Allows<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// What came of a wish.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// A view of the store from when it was made, or from later.
    pub(crate) snapshot: Arc<Snapshot>,
    /// The state it made, or found: another process may have changed it by the time of the view.
    pub(crate) state: State,
    /// The deployment it is about.
    pub(crate) number: u64,
    /// False where everything was as wished already.
    pub(crate) changed: bool,
}

/// Why a change is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// These releases are not in the store.
    #[error("the set names releases that are not published")]
    Unknown(Vec<String>),
    /// The releases cannot be live together.
    #[error("the releases do not fit together")]
    Conflict(Vec<String>),
    /// Pages of it cannot be rendered.
    #[error("pages of the set cannot be rendered")]
    Unrenderable(Vec<String>),
    /// Another deployment is live than the one it was to start from.
    #[error("deployment {base} is not live any more: {}", named(*.live))]
    Base {
        /// The one it was to start from.
        base: u64,
        /// The one that is.
        live: Option<u64>,
    },
    /// One rollout at a time.
    #[error("a rollout of deployment {0} runs; promote or abort it first")]
    RolloutRuns(u64),
    /// The sections are in the middle of a rollout.
    #[error("{} being rolled out with deployment {candidate}; promote or abort it first", are(.sections))]
    InRollout {
        /// The candidate.
        candidate: u64,
        /// Those of the wish that differ between it and what is live.
        sections: Vec<String>,
    },
    /// A rollout needs something to roll out from.
    #[error("nothing is live yet; the first deployment goes live at once")]
    NothingLive,
    /// Only the candidate can be promoted or aborted.
    #[error("deployment {number} is not the candidate of a rollout: {}", candidate_named(*.candidate))]
    NotCandidate {
        /// What was named.
        number: u64,
        /// What is.
        candidate: Option<u64>,
    },
    /// The wish names a deployment that is not kept.
    #[error("deployment {0} is not kept")]
    NoDeployment(u64),
    /// There is nothing to go back to.
    #[error("{0}")]
    NothingBefore(String),
    /// It touches a section that whoever asks may not touch.
    #[error("not allowed for `{0}`")]
    NotAllowed(String),
    /// The store does not hold what it should.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A change worked out from one view of the store.
pub(super) struct Plan {
    /// Deployments to be made for it.
    pub(super) deployments: Vec<Deployment>,
    /// What is to be the state.
    pub(super) state: State,
}

impl Outcome {
    /// Everything was as wished in this view.
    pub(super) fn unchanged(snapshot: Arc<Snapshot>, number: u64) -> Result<Self, ChangeError> {
        let state = snapshot.state().cloned().ok_or(ChangeError::NothingLive)?;
        Ok(Self {
            snapshot,
            state,
            number,
            changed: false,
        })
    }
}

impl Plan {
    /// A plan that only changes the state.
    pub(super) fn new(state: State) -> Self {
        Self {
            deployments: Vec::new(),
            state,
        }
    }
}

impl Deployments {
    /// The number of the next deployment. The newest is never removed, so numbers only rise.
    pub(super) async fn next_number(&self) -> Result<u64, StoreError> {
        let last = self.store.deployments().await?.last().copied();
        Ok(last.unwrap_or(0) + 1)
    }

    /// Carries out a plan about a deployment, if the state is still that of the view it was made from; `None` if it is
    /// not. Only for whoever holds `changing`.
    pub(super) async fn attempt(
        &self,
        snapshot: &Snapshot,
        plan: Plan,
        number: u64,
    ) -> Result<Option<Outcome>, ChangeError> {
        for deployment in &plan.deployments {
            self.assemble(snapshot, deployment.clone()).await?;
        }
        if !self.commit(snapshot, &plan).await? {
            return Ok(None);
        }
        let Change { action, live, by, .. } = &plan.state.change;
        let candidate = plan.state.change.candidate;
        tracing::info!(event = "changed", action = ?action, deployment = live, candidate, by = %by);
        Ok(Some(Outcome {
            snapshot: self.renew().await?,
            state: plan.state,
            number,
            changed: true,
        }))
    }

    /// Makes the deployments, then swaps the state. Either may find that another process was faster. A deployment that
    /// was made in vain stays: were its number given away again, gateways that saw it would not notice.
    async fn commit(&self, snapshot: &Snapshot, plan: &Plan) -> Result<bool, ChangeError> {
        for deployment in &plan.deployments {
            if !self.store.create_deployment(deployment).await? {
                return Ok(false);
            }
        }
        // From here on a collection elsewhere sees that these releases are needed; until here it may have taken one.
        for deployment in &plan.deployments {
            self.check_there(deployment).await?;
        }
        Ok(self
            .store
            .swap_state(snapshot.revision(), plan.state.clone())
            .await?)
    }

    async fn check_there(&self, deployment: &Deployment) -> Result<(), ChangeError> {
        let mut unknown = Vec::new();
        for id in deployment.ids() {
            if self.store.release(&id).await?.is_none() {
                unknown.push(unpublished(&id));
            }
        }
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(ChangeError::Unknown(unknown))
        }
    }

    /// Puts a deployment's releases together, or says all that is wrong with it.
    pub(super) async fn assemble(
        &self,
        snapshot: &Snapshot,
        deployment: Deployment,
    ) -> Result<Set, ChangeError> {
        let mut releases = Vec::new();
        let mut unknown = Vec::new();
        for id in deployment.ids() {
            match snapshot.find(&*self.store, &id).await {
                Ok(release) => releases.push(release),
                Err(LoadError::NoRelease(id)) => unknown.push(unpublished(&id)),
                Err(error) => return Err(error.into()),
            }
        }
        if !unknown.is_empty() {
            return Err(ChangeError::Unknown(unknown));
        }
        Set::assemble(deployment, releases).map_err(ChangeError::Conflict)
    }
}

impl Author {
    /// A new deployment of this set.
    pub(super) fn deployment(&self, number: u64, releases: BTreeMap<String, String>) -> Deployment {
        Deployment {
            number,
            releases,
            created_at: clock::now(),
            by: self.by.clone(),
            reason: self.reason.clone(),
            preview: false,
        }
    }

    /// The state after this view's, with what was done to get there.
    pub(super) fn state(
        &self,
        snapshot: &Snapshot,
        action: Done,
        live: u64,
        rollout: Option<Rollout>,
        sections: BTreeMap<String, Move>,
    ) -> State {
        let change = Change {
            revision: snapshot.revision() + 1,
            previous: snapshot.state().map_or(0, |state| match &state.change {
                newest if newest.altered_live() => newest.revision,
                newest => newest.previous,
            }),
            at: clock::now(),
            by: self.by.clone(),
            action,
            live,
            before: snapshot.live().map(|set| set.number()),
            candidate: rollout.as_ref().map(|rollout| rollout.deployment),
            percent: rollout.as_ref().map(|rollout| rollout.percent),
            restores: None,
            sections,
            reason: self.reason.clone(),
        };
        State {
            live,
            rollout,
            change,
        }
    }
}

/// Refuses a change that touches a section which whoever asks may not touch.
pub(super) fn require<'a>(
    allows: Allows<'_>,
    sections: impl Iterator<Item = &'a String>,
) -> Result<(), ChangeError> {
    for section in sections {
        if !allows(section) {
            return Err(ChangeError::NotAllowed(section.clone()));
        }
    }
    Ok(())
}

fn unpublished(id: &ReleaseId) -> String {
    format!("{id} is not published")
}

fn named(live: Option<u64>) -> String {
    live.map_or("nothing is live".to_owned(), |live| {
        format!("deployment {live} is")
    })
}

fn candidate_named(candidate: Option<u64>) -> String {
    candidate.map_or("no rollout runs".to_owned(), |candidate| {
        format!("deployment {candidate} is")
    })
}

fn are(sections: &[String]) -> String {
    match sections {
        [one] => format!("`{one}` is"),
        many => format!(
            "{} are",
            many.iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}
