//! Operators and section teams: changes through any gateway, and whether the answers were true.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use colonnade_config::{Retention, RolloutSettings};
use colonnade_model::deployment::{ChangeKind, LiveState};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_platform::deployment::{
    Author, ChangeError, ChangeOutcome, ChangeRequest, Command, DeployRequest, PreviewTarget, RollbackTarget,
    RolloutStart, RolloutTarget, Step,
};
use colonnade_platform::publish::{Provenance, PublishError, PublishOutcome};
use colonnade_store::{BucketError, StoreError};
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::gateway::{Gateway, Process};
use crate::releases;
use crate::world::{Size, World};

/// How often the first deploy is tried.
const ATTEMPTS: usize = 3;

/// How many operators collect garbage during deploys.
const COLLECTIONS: usize = 2;

/// How often each operator deploys or collects then.
const REDEPLOYS: usize = 3;

/// All operators of a run.
pub(crate) struct Operators {
    world: Arc<World>,
    gateways: Vec<Arc<Gateway>>,
    sections: usize,
    /// The number of the last version of each section.
    versions: Mutex<BTreeMap<String, u32>>,
    /// The contents of the releases that were published.
    published: Mutex<BTreeMap<ReleaseId, u32>>,
    answers: Mutex<Vec<Answer>>,
}

/// What the operator of a change was told.
struct Answer {
    /// The reason that the change has in the history.
    reason: String,
    from: Instant,
    to: Instant,
    told: Told,
}

#[derive(Debug)]
enum Told {
    Changed(Box<LiveState>),
    /// There was nothing to change, or the change was refused or failed.
    NotChanged,
    /// It may or may not have taken effect.
    Unknown,
}

/// A kind of change.
#[derive(Debug)]
enum Call {
    Change(Command),
    CollectGarbage,
}

/// The name of a section.
pub(crate) fn section(number: usize) -> String {
    format!("s{number}")
}

/// One of them.
pub(crate) fn pick<'a, T>(all: &'a [T], rng: &mut SmallRng) -> &'a T {
    &all[rng.random_range(0..all.len())]
}

fn deploy(releases: impl IntoIterator<Item = ReleaseId>) -> DeployRequest {
    DeployRequest {
        releases: releases
            .into_iter()
            .map(|id| (id.name, Some(id.version)))
            .collect(),
        base: None,
        rollout: None,
        accepts_status_changes: false,
    }
}

fn deployed(request: DeployRequest) -> Call {
    Call::Change(Command::Deploy(request))
}

fn roll_back(target: RollbackTarget) -> Call {
    Call::Change(Command::RollBack { target, base: None })
}

/// A step of the rollout of a section.
fn step(section: String, step: Step) -> Call {
    let rollout = RolloutTarget::Section(section);
    Call::Change(Command::Step { rollout, step })
}

fn author(reason: String) -> Author {
    Author {
        by: "team".to_owned(),
        reason: Some(reason),
        figures: None,
    }
}

impl Operators {
    pub(crate) fn new(world: &Arc<World>, gateways: &[Arc<Gateway>], sections: usize) -> Self {
        Self {
            world: Arc::clone(world),
            gateways: gateways.to_vec(),
            sections,
            versions: Mutex::default(),
            published: Mutex::default(),
            answers: Mutex::default(),
        }
    }

    /// Starts the gateways, and publishes and deploys a release of everything.
    pub(crate) async fn set_up(self: &Arc<Self>, rng: &mut SmallRng) {
        self.gateways[0].start().await;
        let names = (0..self.sections).map(section).chain([SHELL.to_owned()]);
        let mut ids = Vec::new();
        for name in names {
            let id = self.next_release(&name);
            self.publish(&self.gateways[0], &id, 0).await;
            ids.push(id);
        }
        self.change(&self.gateways[0], deployed(deploy(ids))).await;
        for gateway in &self.gateways[1..] {
            gateway.start().await;
        }
        if self.world.ledger.lock().states.len() != 1 {
            self.world.violated("the first deploy fails without faults");
        }
        sleep(Duration::from_millis(rng.random_range(0..2000))).await;
    }

    fn next_release(&self, name: &str) -> ReleaseId {
        let mut versions = self.versions.lock();
        let number = versions.entry(name.to_owned()).or_default();
        *number += 1;
        ReleaseId {
            name: name.to_owned(),
            version: format!("1.{number}.0"),
        }
    }

    /// Works in parallel until each operator has made its changes.
    pub(crate) async fn work(self: &Arc<Self>, size: &Size, rng: &mut SmallRng) {
        let mut tasks = JoinSet::new();
        for _ in 0..size.operators {
            let (own, mut rng, changes) = (Arc::clone(self), SmallRng::from_rng(rng), size.changes);
            tasks.spawn(async move {
                for _ in 0..changes {
                    own.make_change(&mut rng).await;
                    sleep(Duration::from_millis(rng.random_range(10..3000))).await;
                }
            });
        }
        self.join(tasks).await;
    }

    /// Collects garbage while operators deploy the old releases that it is about to delete, and
    /// publish some of them again.
    pub(crate) async fn collect_during_deploys(self: &Arc<Self>, size: &Size, rng: &mut SmallRng) {
        let published: Vec<(ReleaseId, u32)> = self.published.lock().clone().into_iter().collect();
        let mut tasks = JoinSet::new();
        for task in 0..size.operators + COLLECTIONS {
            let (own, published, mut rng) = (Arc::clone(self), published.clone(), SmallRng::from_rng(rng));
            tasks.spawn(async move {
                for _ in 0..REDEPLOYS {
                    sleep(Duration::from_millis(rng.random_range(0..500))).await;
                    let gateway = pick(&own.gateways, &mut rng);
                    if task < COLLECTIONS {
                        own.change(gateway, Call::CollectGarbage).await;
                        continue;
                    }
                    let (id, contents) = pick(&published, &mut rng).clone();
                    if rng.random() {
                        own.publish(gateway, &id, contents).await;
                    }
                    own.change(gateway, deployed(deploy([id]))).await;
                }
            });
        }
        self.join(tasks).await;
    }

    /// Promotes all rollouts through a gateway that runs.
    pub(crate) async fn end_rollouts(&self) {
        let Some(gateway) = self.gateways.iter().find(|each| each.process().is_some()) else {
            return;
        };
        let state = self.world.ledger.lock().current().cloned();
        for rollout in state.iter().flat_map(|state| state.visible.rollouts()) {
            let rollout = RolloutTarget::Id(rollout.id.clone());
            let promote = Command::Step {
                rollout,
                step: Step::Promote,
            };
            self.change(gateway, Call::Change(promote)).await;
        }
    }

    /// Waits for operators.
    async fn join(&self, mut tasks: JoinSet<()>) {
        while let Some(ended) = tasks.join_next().await {
            if ended.is_err() {
                self.world.violated("an operator panics");
            }
        }
    }

    /// Makes a random change through a random gateway.
    async fn make_change(&self, rng: &mut SmallRng) {
        let gateway = pick(&self.gateways, rng);
        let name = section(rng.random_range(0..self.sections));
        let call = match rng.random_range(0..20) {
            kind @ 0..11 => {
                // Often two teams publish under the same version.
                let id = if kind == 0 {
                    let number = self.versions.lock().get(&name).copied().unwrap_or(1);
                    ReleaseId {
                        name: name.clone(),
                        version: format!("1.{number}.0"),
                    }
                } else {
                    self.next_release(if kind == 1 { SHELL } else { &name })
                };
                if !self.publish(gateway, &id, rng.random_range(0..3)).await {
                    return;
                }
                let mut request = deploy([id]);
                match kind {
                    2 => request.rollout = Some(RolloutStart::Percent(rng.random_range(1..100))),
                    3 | 4 => {
                        let steps = "10% for 2s, 50% for 4s, 100%".parse().unwrap();
                        request.rollout = Some(RolloutStart::Steps(steps));
                    }
                    5 => {
                        request.base = gateway
                            .snapshot()
                            .and_then(|now| Some(now.live()?.deployment.number));
                    }
                    6 => {
                        let target = PreviewTarget::Releases(request.releases);
                        let preview = Call::Change(Command::Preview(target));
                        self.change(gateway, preview).await;
                        return;
                    }
                    _ => {}
                }
                deployed(request)
            }
            11 => step(name, Step::Promote),
            12 => step(name, Step::SetPercent(rng.random_range(1..100))),
            13 => step(name, Step::Abort(ChangeKind::Abort)),
            14 if rng.random() => step(name, Step::Pause(None)),
            14 => step(name, Step::Resume),
            15 => roll_back(RollbackTarget::Section(name)),
            16 => roll_back(RollbackTarget::Previous),
            17 => {
                let newest = self.world.ledger.lock().deployments.len() as u64;
                roll_back(RollbackTarget::Deployment(rng.random_range(1..=newest)))
            }
            18 => Call::Change(Command::EndPreviews),
            _ => Call::CollectGarbage,
        };
        self.change(gateway, call).await;
    }

    /// Publishes a release; false if that fails.
    async fn publish(&self, gateway: &Gateway, id: &ReleaseId, contents: u32) -> bool {
        let world = &self.world;
        world.trace.add(
            &"team",
            format_args!("publishes {id} with contents {contents} by {gateway}"),
        );
        let (archive, sent) = (releases::archive(id, contents), id.clone());
        let publish = |process: Arc<Process>| async move {
            let store = process.deployments.store();
            let provenance = Provenance {
                by: "team".to_owned(),
                source: None,
            };
            process.publisher.publish(store, sent, archive, provenance).await
        };
        let Some(result) = gateway.call(publish).await else {
            return false;
        };
        match result {
            Ok(outcome) => {
                world
                    .trace
                    .add(&"team", format_args!("published {id}: {outcome:?}"));
                let (PublishOutcome::Created(digest) | PublishOutcome::Unchanged(digest)) = outcome;
                let digest = serde_json::to_string(&digest).unwrap();
                let stored = world.ledger.lock().releases.get(id).cloned();
                self.published.lock().insert(id.clone(), contents);
                if stored != Some(digest) {
                    world.violated(&format!("{id} was published as {stored:?}, not as {outcome:?}"));
                }
                true
            }
            Err(error) => {
                world
                    .trace
                    .add(&"team", format_args!("did not publish {id}: {error}"));
                if let PublishError::Rejected(problems) = error {
                    world.violated(&format!("{id} is rejected: {problems:?}"));
                }
                false
            }
        }
    }

    /// Makes a change through a gateway, and remembers the answer.
    async fn change(&self, gateway: &Gateway, call: Call) {
        let reason = format!("change {}", self.answers.lock().len());
        let from = Instant::now();
        // Its place, because others continue meanwhile.
        let index = {
            let mut answers = self.answers.lock();
            answers.push(Answer {
                reason: reason.clone(),
                from,
                to: from,
                told: Told::Unknown,
            });
            answers.len() - 1
        };
        let trace = &self.world.trace;
        trace.add(&"operator", format_args!("{reason} by {gateway}: {call:?}"));
        // Others have steps after their change: to delete releases, or to read the key of the link.
        let is_atomic = !matches!(call, Call::CollectGarbage | Call::Change(Command::Preview(_)));
        let retain_hours = self.world.retain_hours();
        let result = gateway
            .call(|process| call.send(process, author(reason.clone()), retain_hours))
            .await;
        let told = match result {
            None | Some(Ok(None)) => Told::Unknown,
            Some(Ok(Some(outcome))) if outcome.changed => Told::Changed(Box::new(outcome.state)),
            Some(Ok(Some(_))) => Told::NotChanged,
            Some(Err(error)) => {
                trace.add(&"operator", format_args!("{reason} fails: {error}"));
                match error {
                    _ if !is_atomic => Told::Unknown,
                    ChangeError::Store(StoreError::Bucket {
                        source: BucketError::Unconfirmed,
                        ..
                    }) => Told::Unknown,
                    _ => Told::NotChanged,
                }
            }
        };
        let described = match &told {
            Told::Changed(state) => format!("revision {}", state.revision()),
            told => format!("{told:?}"),
        };
        trace.add(&"operator", format_args!("{reason} ends: {described}"));
        let answer = &mut self.answers.lock()[index];
        (answer.to, answer.told) = (Instant::now(), told);
    }

    /// Checks that the answers were true: a confirmed change happened once, while the operator
    /// waited; others did not.
    pub(crate) fn check_answers(&self) {
        let ledger = self.world.ledger.lock();
        for answer in &*self.answers.lock() {
            let reason = &answer.reason;
            let happened = ledger
                .states
                .iter()
                .filter(|(_, state)| state.change.reason.as_ref() == Some(reason));
            let happened: Vec<_> = happened.collect();
            let is_true = match (&answer.told, &*happened) {
                (Told::Changed(state), [(at, happened)]) => {
                    **state == *happened && (answer.from..=answer.to).contains(at)
                }
                (Told::NotChanged, []) | (Told::Unknown, [] | [_]) => true,
                _ => false,
            };
            if !is_true {
                let revisions: Vec<u64> = happened.iter().map(|(_, state)| state.revision()).collect();
                let told = &answer.told;
                self.world.violated(&format!(
                    "{reason} is in revisions {revisions:?}, but its operator was told {told:?}"
                ));
            }
        }
    }

    /// Checks that a new gateway with an empty cache serves everything, and can deploy.
    pub(crate) async fn check_fresh_gateway(&self, settings: RolloutSettings) {
        let gateway = Gateway::new(&self.world, self.world.gateways(), settings, false);
        gateway.start().await;
        for _ in 0..ATTEMPTS {
            let id = self.next_release(SHELL);
            self.publish(&gateway, &id, 0).await;
            let before = self.world.ledger.lock().states.len();
            self.change(&gateway, roll_back(RollbackTarget::Deployment(1)))
                .await;
            self.change(&gateway, deployed(deploy([id]))).await;
            if self.world.ledger.lock().states.len() > before {
                return;
            }
        }
        self.world.violated("a new gateway cannot deploy without faults");
    }
}

impl Call {
    /// Sends the call to a gateway; `None` if it returns no state.
    async fn send(
        self,
        process: Arc<Process>,
        author: Author,
        retain_hours: i64,
    ) -> Result<Option<ChangeOutcome>, ChangeError> {
        let deployments = &process.deployments;
        let all = |_: &str| true;
        match self {
            Self::Change(command) => {
                let request = ChangeRequest {
                    command: &command,
                    author: &author,
                    may_change: &all,
                };
                deployments.change(&request).await.map(Some)
            }
            Self::CollectGarbage => {
                let keep = Retention {
                    collection_hours: None,
                    deployments: 1,
                    hours: retain_hours,
                    releases: 0,
                    max_deployments: 2000,
                    audit_days: 365,
                };
                deployments.collect_garbage(keep, false, &author, &all).await?;
                Ok(None)
            }
        }
    }
}
