//! The rules of changes: what a request does to a snapshot, without I/O.

use std::collections::{BTreeMap, BTreeSet};

use super::snapshot::{RunningRollout, Snapshot};
use super::types::{
    Author, ChangeError, CollectedGarbage, DeployRequest, MayChange, PreviewTarget, RollbackTarget,
    RolloutDescription, RolloutStart, RolloutTarget,
};
use colonnade_config::Retention;
use colonnade_diagnostics::TrialAction;
use colonnade_model::deployment::{
    Change, ChangeKind, Deployment, LiveState, Moment, ReleaseChange, Rollout, RolloutProgress, SetName,
    SwitchedOff, VisibleDeployments, release_changes,
};
use colonnade_model::extension_rules::ExtensionId;
use colonnade_model::release::point_owner;
use colonnade_model::secret::Secret;
use colonnade_model::unknown_fields::UnknownFields;
use jiff::Timestamp;

/// A change that someone requests.
pub(super) struct Request<'a> {
    pub(super) command: Command<'a>,
    pub(super) author: &'a Author,
    pub(super) may_change: MayChange<'a>,
}

/// What to change.
pub(super) enum Command<'a> {
    /// Changes releases for all visitors, or starts a rollout.
    Deploy(&'a DeployRequest),
    /// Makes earlier releases live again. With a base, only if this deployment is live.
    RollBack {
        target: &'a RollbackTarget,
        base: Option<u64>,
    },
    /// Continues or ends a rollout.
    Step { rollout: &'a RolloutTarget, step: Step },
    /// Prepares a preview.
    Preview(&'a PreviewTarget),
    /// Switches an extension on or off.
    Switch { extension: &'a ExtensionId, on: bool },
    /// Records that all previews have ended.
    EndPreviews,
    /// Forgets the deployments and releases that are not retained.
    CollectGarbage(Retention),
}

/// What to do with a rollout.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    SetPercent(u8),
    Promote,
    Abort(ChangeKind),
    /// Ends the step that started at this time.
    Advance(Timestamp),
    /// Pauses the rollout. With a time, only if its step began then.
    Pause(Option<Timestamp>),
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

impl Command<'_> {
    /// The trial renders that the change needs.
    pub(super) fn trial(&self) -> Option<TrialAction> {
        match self {
            Self::Deploy(_) => Some(TrialAction::Deploy),
            Self::Preview(_) => Some(TrialAction::Preview),
            _ => None,
        }
    }

    /// Whether it needs all of the store, also what only previews and garbage collection use.
    pub(super) fn needs_whole_store(&self) -> bool {
        matches!(
            self,
            Self::Preview(_) | Self::EndPreviews | Self::CollectGarbage(_)
        )
    }
}

impl Request<'_> {
    /// Rejects a change of sections that the caller may not change, as far as the request names
    /// them.
    pub(super) fn authorize(&self) -> Result<(), ChangeError> {
        let require = |name: &str| require(self.may_change, [name]);
        match &self.command {
            Command::Deploy(request) => require_all(self.may_change, request.releases.keys()),
            Command::Preview(PreviewTarget::Releases(request)) => {
                require_all(self.may_change, request.releases.keys())
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
    request: &Request<'_>,
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
    match (&request.command, input) {
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
    request: &'a Request<'a>,
    /// The number of a new deployment.
    number: u64,
    moment: Moment,
}

/// What a step does to a rollout.
struct Stepped {
    action: ChangeKind,
    visible: VisibleDeployments,
    sections: BTreeMap<String, ReleaseChange>,
    /// The new share of the candidate.
    percent: Option<u8>,
    /// Whether the rollout was paused or resumed.
    paused: Option<bool>,
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

    fn deploy(&self, request: &DeployRequest) -> Result<Option<Plan>, ChangeError> {
        self.require_base(request.base)?;
        let no_releases = Releases::new();
        let live = self.live();
        let before = live.map_or(&no_releases, |live| &live.releases);
        let after = request.applied_to(before);
        let changes = release_changes(before, &after);
        reject_rolled_out(self.snapshot, |name| request.releases.contains_key(name))?;
        reject_absent(request, before)?;
        if changes.is_empty() && live.is_some() {
            return Ok(None);
        }
        let Some(start) = &request.rollout else {
            return Ok(Some(self.go_live(ChangeKind::Deploy, after, changes)));
        };
        let visible = &self
            .snapshot
            .state()
            .ok_or(ChangeError::NoLiveDeployment)?
            .visible;
        let (percent, steps) = match start {
            RolloutStart::Percent(percent) => (*percent, None),
            RolloutStart::Steps(steps) => (steps.first().percent, Some(steps.clone())),
        };
        let progress = |steps| RolloutProgress::new(steps, colonnade_clock::precise());
        let rollout = Rollout {
            id: format!("{:016x}", colonnade_random::random::<u64>()),
            key: Secret::random(),
            candidate: self.number,
            since: self.moment.revision,
            percent,
            started_at: self.moment.at,
            by: self.request.author.by.clone(),
            progress: steps.clone().map(progress),
            unknown: UnknownFields::default(),
        };
        let sets = self.changed_sets(&after);
        let candidate = Deployment {
            changes: changes.keys().cloned().collect(),
            ..self.deployment(after)
        };
        let mut state = self.state(ChangeKind::Rollout, visible.started(rollout), changes);
        state.change.candidate = Some(self.number);
        state.change.percent = Some(percent);
        state.change.steps = steps;
        Ok(Some(self.plan(Some(candidate), state, sets)))
    }

    fn restore_section(&self, section: &str, version: String) -> Result<Option<Plan>, ChangeError> {
        let live = self.live().ok_or(ChangeError::NoLiveDeployment)?;
        let mut after = live.releases.clone();
        after.insert(section.to_owned(), version);
        let changes = release_changes(&live.releases, &after);
        Ok(Some(self.go_live(ChangeKind::Rollback, after, changes)))
    }

    fn restore(&self, earlier: Deployment) -> Result<Option<Plan>, ChangeError> {
        let state = self.snapshot.state().ok_or(ChangeError::NoLiveDeployment)?;
        let live = self.live().ok_or(ChangeError::NoLiveDeployment)?;
        let changes = release_changes(&live.releases, &earlier.releases);
        if changes.is_empty() && state.visible.rollouts().is_empty() {
            return Ok(None);
        }
        let visible = state.visible.restored(self.number, self.moment);
        let mut next = self.state(ChangeKind::Rollback, visible, changes);
        next.change.restores = Some(earlier.number);
        let sets = vec![ChangedSet {
            releases: earlier.releases.clone(),
            replaces: Some(SetName::of_live(live.number)),
            rollout: None,
        }];
        Ok(Some(self.plan(
            Some(self.deployment(earlier.releases)),
            next,
            sets,
        )))
    }

    fn step(&self, target: &RolloutTarget, step: Step) -> Result<Option<Plan>, ChangeError> {
        let running = find_rollout(self.snapshot, target)?;
        require_all(self.request.may_change, running.changes().keys())?;
        if matches!(step, Step::Pause(_) | Step::Resume) && running.record.progress.is_none() {
            return Err(ChangeError::NoSteps(target.clone()));
        }
        let visible = &self
            .snapshot
            .state()
            .ok_or(ChangeError::NoLiveDeployment)?
            .visible;
        let Some(next) = self.stepped(&running, step, visible) else {
            return Ok(None);
        };
        if next.action == ChangeKind::Promote {
            let lost = running.candidate.unavailable.iter();
            let lost: Vec<String> = lost
                .map(|each| format!("{} is missing or damaged", each.id))
                .collect();
            if !lost.is_empty() {
                return Err(ChangeError::Unavailable(lost));
            }
        }
        let live = next.visible.live();
        let is_new = live == self.number;
        let create = is_new.then(|| self.deployment(running.releases()));
        // Either team can stop a rollout, or show it to fewer visitors.
        let needs_claims = match step {
            Step::Pause(_) | Step::Abort(_) => false,
            Step::SetPercent(percent) => percent > running.record.percent,
            Step::Promote | Step::Advance(_) | Step::Resume => true,
        };
        let sets = needs_claims.then(|| ChangedSet {
            releases: running.releases(),
            replaces: Some(SetName::of_live(running.live.deployment.number)),
            rollout: None,
        });
        let mut state = self.state(next.action, next.visible, next.sections);
        state.change.candidate = Some(running.record.candidate);
        state.change.percent = next.percent;
        state.change.paused = next.paused;
        Ok(Some(Plan {
            number: if is_new { live } else { running.record.candidate },
            ..self.plan(create, state, sets.into_iter().collect())
        }))
    }

    /// What a step does; `None` if there is nothing to change.
    fn stepped(
        &self,
        running: &RunningRollout<'_>,
        step: Step,
        visible: &VisibleDeployments,
    ) -> Option<Stepped> {
        let Rollout {
            percent, progress, ..
        } = running.record;
        let now = colonnade_clock::precise();
        let active = running.record.active_progress();
        let began_at = |since| active.filter(|active| active.step_started_at == since);
        let continued = |percent, progress, paused| Stepped {
            action: ChangeKind::Percent,
            visible: visible.continued(running.index, percent, progress),
            sections: running.changes(),
            percent: Some(percent),
            paused,
        };
        match step {
            Step::SetPercent(new) if new == *percent => None,
            // A share set by hand stays until the rollout is resumed.
            Step::SetPercent(new) => {
                let paused = progress.as_ref().map(RolloutProgress::paused);
                Some(continued(new, paused, active.map(|_| true)))
            }
            Step::Promote => Some(self.promoted(running, visible)),
            Step::Abort(action) => Some(Stepped {
                action,
                visible: visible.aborted(running.index, self.moment),
                sections: release_changes(&running.releases(), &running.live.deployment.releases),
                percent: None,
                paused: None,
            }),
            Step::Advance(since) => Some(match began_at(since)?.advanced(*percent, now) {
                Some(next) => continued(next.current().percent, Some(next), None),
                None => self.promoted(running, visible),
            }),
            Step::Pause(since) => {
                let paused = since.map_or(active, began_at)?.paused();
                Some(continued(*percent, Some(paused), Some(true)))
            }
            Step::Resume => {
                let paused = progress.as_ref().filter(|_| active.is_none())?;
                let next = paused.resumed(*percent, now);
                let percent = next.current().percent.max(*percent);
                Some(continued(percent, Some(next), Some(false)))
            }
        }
    }

    /// The candidate goes live, or a new deployment if others have changed the live one since.
    fn promoted(&self, running: &RunningRollout<'_>, visible: &VisibleDeployments) -> Stepped {
        let candidate = &running.candidate.deployment;
        let is_current = candidate.releases == running.releases();
        let live = if is_current { candidate.number } else { self.number };
        Stepped {
            action: ChangeKind::Promote,
            visible: visible.promoted(running.index, live, self.moment),
            sections: running.changes(),
            percent: None,
            paused: None,
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
            PreviewTarget::Releases(request) => (self.number, request.applied_to(&live.releases)),
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
                let Author { by, reason } = self.request.author.clone();
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

    /// These releases go live for all visitors. The rollouts continue.
    fn go_live(
        &self,
        action: ChangeKind,
        releases: Releases,
        changes: BTreeMap<String, ReleaseChange>,
    ) -> Plan {
        let visible = match self.snapshot.state() {
            Some(state) => state.visible.replaced(self.number, self.moment),
            None => VisibleDeployments::first(self.number, self.moment.revision),
        };
        let sets = self.changed_sets(&releases);
        let state = self.state(action, visible, changes);
        self.plan(Some(self.deployment(releases)), state, sets)
    }

    /// The sets that visitors get when these releases are live or a candidate: alone, and with each
    /// running rollout. Every rule is about two releases, so all sets of several rollouts are valid
    /// if these are.
    fn changed_sets(&self, releases: &Releases) -> Vec<ChangedSet> {
        let live = self.live().map(|live| live.number);
        let alone = ChangedSet {
            releases: releases.clone(),
            replaces: live.map(SetName::of_live),
            rollout: None,
        };
        let with_rollouts = self.snapshot.rollouts().map(|running| ChangedSet {
            releases: running.candidate.deployment.applied_to(releases),
            replaces: live.map(|live| SetName::with(live, [running.record.candidate])),
            rollout: Some(running.describe()),
        });
        std::iter::once(alone).chain(with_rollouts).collect()
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
        let Author { by, reason } = self.request.author;
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
        let Author { by, reason } = self.request.author;
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
    let found = snapshot.rollouts().find(|running| match target {
        RolloutTarget::Candidate(number) => running.record.candidate == *number,
        RolloutTarget::Section(name) => running.changes().contains_key(name),
        RolloutTarget::Id(id) => running.record.id == *id,
    });
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

/// Rejects the removal of a section that is not live: the name is probably misspelled.
fn reject_absent(request: &DeployRequest, releases: &Releases) -> Result<(), ChangeError> {
    let removed = request.releases.iter().filter(|(_, version)| version.is_none());
    let absent: Vec<String> = removed
        .filter(|(name, _)| !releases.contains_key(*name))
        .map(|(name, _)| format!("{name} cannot be removed: it is not in the live deployment"))
        .collect();
    if absent.is_empty() {
        Ok(())
    } else {
        Err(ChangeError::UnknownReleases(absent))
    }
}
