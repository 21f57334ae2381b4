//! The rules of changes: what a request does to a snapshot, without I/O.

mod releases;
mod rollout;

use std::collections::{BTreeMap, BTreeSet};

use crate::deployment::change_error::ChangeError;
use crate::deployment::change_queue::Place;
use crate::deployment::snapshot::{RunningRollout, Snapshot};
use crate::deployment::types::{
    Author, CollectedGarbage, DeployRequest, MayChange, PreviewTarget, RollbackTarget, RolloutDescription,
    RolloutTarget,
};
use colonnade_config::Retention;
use colonnade_diagnostics::TrialAction;
use colonnade_model::deployment::{
    Change, ChangeKind, Deployment, LiveState, Moment, ReleaseChange, SetName, SwitchedOff,
    VisibleDeployments, release_changes,
};
use colonnade_model::extension_rules::ExtensionId;
use colonnade_model::release::point_owner;
use jiff::Timestamp;

/// A change that someone requests.
pub struct ChangeRequest<'a> {
    /// What to change.
    pub command: &'a Command,
    /// Who requests it, and why.
    pub author: &'a Author,
    /// What the caller may change.
    pub may_change: MayChange<'a>,
}

/// What to change.
#[derive(Debug)]
pub enum Command {
    /// Creates a deployment of the live releases with some replaced, and makes it live or starts its
    /// rollout. Rollouts of other sections continue.
    Deploy(DeployRequest),
    /// Makes earlier releases live for all visitors, with a new deployment. A rollback of a section
    /// keeps all other sections and the rollouts; one to a deployment ends all rollouts.
    RollBack {
        /// What to restore.
        target: RollbackTarget,
        /// The deployment that must be live, if given.
        base: Option<u64>,
    },
    /// Continues or ends a rollout.
    Step {
        /// The rollout.
        rollout: RolloutTarget,
        /// What to do with it.
        step: Step,
    },
    /// Prepares a preview. The snapshot after it has the deployment and a key to sign its link with.
    Preview(PreviewTarget),
    /// Switches an extension on or off, in all versions of its section and of the point. New documents
    /// follow at once here, and on other gateways after their next poll.
    Switch {
        /// The extension.
        extension: ExtensionId,
        /// Whether pages may show it.
        on: bool,
    },
    /// Ends all previews, on every gateway that shares the store, by deleting the signing keys.
    EndPreviews,
    /// Forgets the deployments and releases that are not retained. [`Deployments::collect_garbage`]
    /// also deletes them.
    ///
    /// [`Deployments::collect_garbage`]: crate::deployment::Deployments::collect_garbage
    CollectGarbage(Retention),
}

/// What to do with a rollout. One that names the start of a step changes nothing if another gateway
/// was faster.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Shows the candidate to this percentage of visitors.
    SetPercent(u8),
    /// Makes its changes live.
    Promote,
    /// No visitor gets its changes: [`ChangeKind::Abort`], or [`ChangeKind::AutomaticAbort`] because
    /// the candidate failed.
    Abort(ChangeKind),
    /// Ends the step that started at this time.
    Advance(Timestamp),
    /// Pauses the rollout: its share stays until it is resumed. With a time, only if its step began
    /// then.
    Pause(Option<Timestamp>),
    /// Continues the steps of a paused rollout. The step starts again.
    Resume,
}

/// What a plan needs from the store in addition to the snapshot.
pub(super) enum PlanInput {
    /// Nothing.
    None,
    /// The version of a section that a rollback restores.
    Version(String),
    /// The deployment that a rollback restores.
    Deployment(Deployment),
    /// What is not retained.
    Garbage(CollectedGarbage),
}

/// What a change does.
pub(super) struct Plan {
    /// The deployment that the change concerns.
    pub(super) number: u64,
    /// The deployment to create.
    pub(super) create: Option<Deployment>,
    /// The next live state.
    pub(super) state: LiveState,
    /// The sets that change. The first one is that of the created deployment.
    pub(super) sets: Vec<ChangedSet>,
    /// What is no longer retained.
    pub(super) garbage: CollectedGarbage,
}

/// A set of releases that some visitors get after a change.
pub(super) struct ChangedSet {
    pub(super) releases: BTreeMap<String, String>,
    /// The set that they get before it; `None` before the first deploy.
    pub(super) replaces: Option<SetName>,
    /// The other rollout that it includes.
    pub(super) rollout: Option<RolloutDescription>,
}

type Releases = BTreeMap<String, String>;

impl Command {
    /// The trial renders that the change needs.
    pub(super) fn trial(&self) -> Option<TrialAction> {
        match self {
            Self::Deploy(_) => Some(TrialAction::Deploy),
            Self::Preview(_) => Some(TrialAction::Preview),
            _ => None,
        }
    }

    /// Which place it has in the queue. What takes something back from visitors always has one, and so do
    /// the steps of the gateway, which checks the rollouts one after the other.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::RollBack { .. }
            | Self::Step {
                step: Step::Abort(_) | Step::Pause(_) | Step::Advance(_),
                ..
            }
            | Self::Switch { on: false, .. }
            | Self::EndPreviews => Place::Unlimited,
            _ => Place::Limited,
        }
    }

    /// Whether it needs all of the store, also what only previews use.
    pub(super) fn needs_whole_store(&self) -> bool {
        matches!(self, Self::Preview(_) | Self::EndPreviews)
    }
}

impl ChangeRequest<'_> {
    /// Rejects a change of sections that the caller may not change, as far as the request names
    /// them.
    pub(super) fn authorize(&self) -> Result<(), ChangeError> {
        let require = |name: &str| require(self.may_change, [name]);
        match self.command {
            Command::Deploy(request) => require_all(self.may_change, request.releases.keys()),
            Command::Preview(PreviewTarget::Releases(releases)) => {
                require_all(self.may_change, releases.keys())
            }
            Command::RollBack {
                target: RollbackTarget::Section(section),
                ..
            } => require(section),
            // The team of the extension and that of the page can switch it.
            Command::Switch { extension, .. } if (self.may_change)(point_owner(&extension.point)) => Ok(()),
            Command::Switch { extension, .. } => require(&extension.section),
            // These change all sections.
            Command::RollBack { .. } | Command::EndPreviews | Command::CollectGarbage(_) => require("*"),
            Command::Step { .. } | Command::Preview(PreviewTarget::Deployment(_)) => Ok(()),
        }
    }
}

/// Plans a change of a snapshot; `None` if there is nothing to change. `number` is that of a new
/// deployment.
///
/// # Errors
/// If a rule rejects the change. Whether releases exist and fit each other is checked by who
/// carries out the plan.
pub(super) fn plan(
    snapshot: &Snapshot,
    request: &ChangeRequest<'_>,
    input: PlanInput,
    number: u64,
) -> Result<Option<Plan>, ChangeError> {
    let planner = Planner {
        snapshot,
        request,
        number,
        moment: Moment {
            revision: snapshot.revision() + 1,
            at: colonnade_clock::now(),
        },
    };
    match (request.command, input) {
        (Command::Deploy(deploy), _) => planner.deploy(deploy),
        (Command::RollBack { base, target }, input) => {
            planner.require_base(*base)?;
            match (target, input) {
                (RollbackTarget::Section(section), PlanInput::Version(version)) => {
                    planner.restore_section(section, version)
                }
                (_, PlanInput::Deployment(earlier)) => planner.restore(earlier),
                _ => Ok(None),
            }
        }
        (Command::Step { rollout, step }, _) => planner.step(rollout, *step),
        (Command::Preview(target), _) => planner.preview(target),
        (Command::Switch { extension, on }, _) => planner.switch(extension, *on),
        (Command::EndPreviews, _) => {
            Ok(planner.record_only(ChangeKind::EndPreviews, CollectedGarbage::default()))
        }
        (Command::CollectGarbage(_), PlanInput::Garbage(garbage)) if !garbage.is_empty() => {
            Ok(planner.collect(garbage))
        }
        (Command::CollectGarbage(_), _) => Ok(None),
    }
}

struct Planner<'a> {
    snapshot: &'a Snapshot,
    request: &'a ChangeRequest<'a>,
    /// The number of a new deployment.
    number: u64,
    moment: Moment,
}

impl Planner<'_> {
    fn live(&self) -> Option<&Deployment> {
        self.snapshot.live().map(|live| &*live.deployment)
    }

    fn require_base(&self, base: Option<u64>) -> Result<(), ChangeError> {
        let live = self.live().map(|live| live.number);
        match base {
            Some(base) if live != Some(base) => Err(ChangeError::BaseNotLive { base, live }),
            _ => Ok(()),
        }
    }

    fn preview(&self, target: &PreviewTarget) -> Result<Option<Plan>, ChangeError> {
        let visible = &self
            .snapshot
            .state()
            .ok_or(ChangeError::NoLiveDeployment)?
            .visible;
        let live = self.live().ok_or(ChangeError::NoLiveDeployment)?;
        let (number, releases) = match target {
            PreviewTarget::Deployment(number) => {
                let record = self.snapshot.record(*number);
                let record = record.ok_or(ChangeError::DeploymentNotFound(*number))?;
                let is_running = |running: RunningRollout<'_>| running.record.candidate == *number;
                if self.snapshot.rollouts().any(is_running) {
                    // As visitors get it: others may have changed the live deployment since it started.
                    let releases = record.applied_to(&live.releases);
                    let is_current = releases == record.releases;
                    (if is_current { *number } else { self.number }, releases)
                } else {
                    (*number, record.releases.clone())
                }
            }
            PreviewTarget::Releases(requested) => (self.number, replaced(&live.releases, requested)),
        };
        let changes = release_changes(&live.releases, &releases);
        require_all(self.request.may_change, changes.keys())?;
        let is_new = number == self.number && !changes.is_empty();
        let number = if matches!(target, PreviewTarget::Releases(_)) && !is_new {
            live.number
        } else {
            number
        };
        let sets = is_new.then(|| ChangedSet {
            releases: releases.clone(),
            replaces: None,
            rollout: None,
        });
        let create = is_new.then(|| Deployment {
            preview: true,
            ..self.deployment(releases)
        });
        let visible = visible.previewed(number, self.moment);
        let mut state = self.state(ChangeKind::Preview, visible, changes);
        state.change.candidate = Some(number);
        Ok(Some(Plan {
            number,
            ..self.plan(create, state, sets.into_iter().collect())
        }))
    }

    fn switch(&self, extension: &ExtensionId, on: bool) -> Result<Option<Plan>, ChangeError> {
        let before = self.snapshot.state().ok_or(ChangeError::NoLiveDeployment)?;
        let is_this = |off: &SwitchedOff| off.extension == *extension;
        let is_off = before.switched_off.iter().any(is_this);
        let mut visible = self.snapshot.visible_releases();
        if !is_off && !visible.any(|release| release.has_extension(extension)) {
            return Err(ChangeError::ExtensionNotFound(extension.clone()));
        }
        if is_off != on {
            return Ok(None);
        }
        let kind = if on {
            ChangeKind::ExtensionOn
        } else {
            ChangeKind::ExtensionOff
        };
        let mut plan = self.record_only(kind, CollectedGarbage::default());
        if let Some(Plan { state, .. }) = &mut plan {
            state.change.extension = Some(extension.clone());
            state.switched_off.retain(|off| !is_this(off));
            if !on {
                let Author { by, reason, .. } = self.request.author.clone();
                state.switched_off.push(SwitchedOff {
                    extension: extension.clone(),
                    at: self.moment.at,
                    by,
                    reason,
                });
            }
        }
        Ok(plan)
    }

    fn collect(&self, garbage: CollectedGarbage) -> Option<Plan> {
        let mut plan = self.record_only(ChangeKind::GarbageCollection, garbage)?;
        plan.state.visible = plan.state.visible.without(&plan.garbage.deployments);
        let reason = &mut plan.state.change.reason;
        reason.get_or_insert_with(|| plan.garbage.to_string());
        Some(plan)
    }

    /// A change of no release; `None` before the first deploy.
    fn record_only(&self, action: ChangeKind, garbage: CollectedGarbage) -> Option<Plan> {
        let visible = self.snapshot.state()?.visible.clone();
        let state = self.state(action, visible, BTreeMap::new());
        Some(Plan {
            number: state.live(),
            garbage,
            ..self.plan(None, state, Vec::new())
        })
    }

    fn plan(&self, create: Option<Deployment>, state: LiveState, sets: Vec<ChangedSet>) -> Plan {
        Plan {
            number: self.number,
            create,
            state,
            sets,
            garbage: CollectedGarbage::default(),
        }
    }

    /// A new deployment of these releases.
    fn deployment(&self, releases: Releases) -> Deployment {
        let Author { by, reason, .. } = self.request.author;
        Deployment {
            number: self.number,
            releases,
            created_at: self.moment.at,
            by: by.clone(),
            reason: reason.clone(),
            preview: false,
            changes: BTreeSet::new(),
        }
    }

    /// The live state that follows, with the change that leads to it.
    fn state(
        &self,
        action: ChangeKind,
        visible: VisibleDeployments,
        sections: BTreeMap<String, ReleaseChange>,
    ) -> LiveState {
        let before = self.snapshot.state();
        let Author { by, reason, .. } = self.request.author;
        let change = Change {
            revision: self.moment.revision,
            previous: before.map_or(0, |state| match &state.change {
                newest if newest.changed_live() => newest.revision,
                newest => newest.previous,
            }),
            after: before.map(|state| state.change.fingerprint()),
            at: self.moment.at,
            by: by.clone(),
            action,
            live: visible.live(),
            before: before.map(LiveState::live),
            candidate: None,
            percent: None,
            steps: None,
            paused: None,
            restores: None,
            extension: None,
            sections,
            reason: reason.clone(),
            figures: None,
        };
        LiveState {
            visible,
            change,
            timeline: before.and_then(|state| state.timeline.clone()),
            // Known when the releases are loaded.
            summaries: BTreeMap::new(),
            switched_off: before.map(|state| state.switched_off.clone()).unwrap_or_default(),
            unknown: before.map(|state| state.unknown.clone()).unwrap_or_default(),
        }
    }
}

/// Releases with the requested ones replaced, and those without a version removed.
fn replaced(releases: &Releases, requested: &BTreeMap<String, Option<String>>) -> Releases {
    let mut releases = releases.clone();
    for (name, version) in requested {
        match version {
            Some(version) => releases.insert(name.clone(), version.clone()),
            None => releases.remove(name),
        };
    }
    releases
}

/// Rejects a change of sections that the caller may not change.
fn require<'a>(
    may_change: MayChange<'_>,
    sections: impl IntoIterator<Item = &'a str>,
) -> Result<(), ChangeError> {
    match sections.into_iter().find(|section| !may_change(section)) {
        Some(section) => Err(ChangeError::NotAllowed(section.to_owned())),
        None => Ok(()),
    }
}

fn require_all<'a>(
    may_change: MayChange<'_>,
    sections: impl Iterator<Item = &'a String>,
) -> Result<(), ChangeError> {
    require(may_change, sections.map(String::as_str))
}

pub(super) fn find_rollout<'a>(
    snapshot: &'a Snapshot,
    target: &RolloutTarget,
) -> Result<RunningRollout<'a>, ChangeError> {
    let found = snapshot.rollouts().find(|running| target.selects(running));
    found.ok_or_else(|| ChangeError::NotInRollout {
        target: target.clone(),
        running: snapshot.rollouts().map(|running| running.describe()).collect(),
    })
}

/// Rejects a change of sections that are being rolled out.
pub(super) fn reject_rolled_out(
    snapshot: &Snapshot,
    is_changed: impl Fn(&str) -> bool,
) -> Result<(), ChangeError> {
    let mut affected: Vec<_> = snapshot.rollouts().map(|running| running.describe()).collect();
    for rollout in &mut affected {
        rollout.sections.retain(|name| is_changed(name));
    }
    affected.retain(|rollout| !rollout.sections.is_empty());
    if affected.is_empty() {
        Ok(())
    } else {
        Err(ChangeError::SectionsInRollout(affected))
    }
}
