//! Teams and operators that make every kind of change from several threads until the gateway is killed.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Client, Connection, Release, Request, authorized};

/// The sections that the workers change.
pub(super) const TEAMS: [&str; 3] = ["one", "two", "three"];

/// The kinds of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Publish,
    Deploy,
    Rollout,
    Percent,
    Promote,
    Abort,
    RollBackSection,
    RollBackAll,
    Preview,
    EndPreviews,
    CollectGarbage,
}

/// The relative frequency of each kind.
const WEIGHTS: [(Kind, u32); 11] = [
    (Kind::Publish, 6),
    (Kind::Deploy, 6),
    (Kind::Rollout, 4),
    (Kind::Percent, 2),
    (Kind::Promote, 3),
    (Kind::Abort, 1),
    (Kind::RollBackSection, 3),
    (Kind::RollBackAll, 2),
    (Kind::Preview, 2),
    (Kind::EndPreviews, 1),
    (Kind::CollectGarbage, 4),
];

/// A call and its outcome.
#[derive(Debug)]
pub(super) struct Call {
    /// A unique id, which is also the reason that the call gives.
    pub(super) id: String,
    pub(super) kind: Kind,
    /// The release that the call publishes.
    pub(super) release: Option<Release>,
    /// Status and body, or `None` if the gateway was killed before it responded.
    pub(super) response: Option<(u16, Value)>,
    /// The time until the response.
    pub(super) elapsed: Duration,
}

/// A running rollout.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownRollout {
    candidate: u64,
    /// One of the sections of the rollout.
    section: String,
}

/// The state that all threads of a round share.
pub(super) struct SharedState {
    /// Numbers the calls and releases of the whole test.
    pub(super) counter: AtomicU64,
    /// The releases that can be deployed.
    pub(super) published: Mutex<Vec<(String, String)>>,
    /// The running rollouts in the last response.
    pub(super) rollouts: Mutex<Vec<KnownRollout>>,
    /// The deployments to roll back to or to preview.
    pub(super) deployments: Mutex<Vec<u64>>,
}

/// Makes calls until the gateway is killed, and reports the start of each.
pub(super) fn run_workload(
    shared: &SharedState,
    admin: &Client,
    seed: u64,
    call_started: &Sender<Kind>,
) -> Vec<Call> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut calls = Vec::new();
    let Ok(mut connection) = Connection::open(admin) else {
        return calls;
    };
    loop {
        let (kind, _) = WEIGHTS
            .choose_weighted(&mut random, |(_, weight)| *weight)
            .unwrap();
        let (mut call, request) = shared.next_call(*kind, &mut random);
        let start = Instant::now();
        // The receiver is gone once the kill time is chosen.
        let _ = call_started.send(call.kind);
        let response = connection.exchange(authorized(request));
        call.elapsed = start.elapsed();
        let is_killed = response.is_err();
        call.response = response.ok().map(|response| {
            let body = if response.body.is_empty() {
                Value::Null
            } else {
                response.json()
            };
            (response.status, body)
        });
        shared.record(&call);
        calls.push(call);
        if is_killed {
            return calls;
        }
    }
}

impl SharedState {
    fn next_call(&self, requested: Kind, random: &mut SmallRng) -> (Call, Request) {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let id = format!("call {number}");
        let kind = self.feasible(requested);
        let mut release = None;
        let team = TEAMS.choose(random).unwrap();
        let rollout = self.rollout_path(random);
        let post = |path: &str, mut body: Value| {
            body["reason"] = json!(id);
            Request::new("POST", &format!("/api/v1/{path}")).body(body.to_string())
        };
        let request = match kind {
            Kind::Publish => {
                let version = format!("{number}.0.0");
                let built = random_release(team, &version, random);
                let path = format!("/api/v1/sections/{team}/releases/{version}");
                let archive = built.archive();
                release = Some(built);
                Request::new("PUT", &path).body(archive)
            }
            Kind::Deploy => post("deployments", json!({ "releases": self.random_releases(random) })),
            Kind::Rollout => {
                let percent = random.random_range(0..100);
                post(
                    "deployments",
                    json!({ "releases": self.random_releases(random), "percent": percent }),
                )
            }
            Kind::Percent => {
                let percent = random.random_range(0..100);
                post(&format!("{rollout}/promote"), json!({ "percent": percent }))
            }
            Kind::Promote => post(&format!("{rollout}/promote"), json!({})),
            Kind::Abort => post(&format!("{rollout}/abort"), json!({})),
            Kind::RollBackSection => post("rollback", json!({ "section": team })),
            Kind::RollBackAll if random.random() => post("rollback", json!({})),
            Kind::RollBackAll => post("rollback", json!({ "deployment": self.deployment(random) })),
            Kind::Preview if random.random() => {
                post("previews", json!({ "releases": self.random_releases(random) }))
            }
            Kind::Preview => post("previews", json!({ "deployment": self.deployment(random) })),
            Kind::EndPreviews => Request::new("DELETE", "/api/v1/previews"),
            Kind::CollectGarbage => post("garbage-collection", json!({})),
        };
        let call = Call {
            id,
            kind,
            release,
            response: None,
            elapsed: Duration::ZERO,
        };
        (call, request)
    }

    /// The requested kind, or the kind that has to come first.
    fn feasible(&self, requested: Kind) -> Kind {
        let running = self.rollouts.lock().len();
        match requested {
            Kind::Percent | Kind::Promote | Kind::Abort if running == 0 => Kind::Rollout,
            Kind::Rollout if running == TEAMS.len() => Kind::Promote,
            kind => kind,
        }
    }

    /// The path of a random rollout, by its candidate or by a section.
    fn rollout_path(&self, random: &mut SmallRng) -> String {
        let rollouts = self.rollouts.lock();
        let KnownRollout { candidate, section } = rollouts.choose(random).cloned().unwrap_or_default();
        if random.random() {
            format!("deployments/{candidate}")
        } else {
            format!("rollouts/{section}")
        }
    }

    /// One or two random releases.
    fn random_releases(&self, random: &mut SmallRng) -> Value {
        let published = self.published.lock();
        let count = random.random_range(1..=2);
        let chosen = published.sample(random, count);
        chosen
            .map(|(name, version)| (name.clone(), json!(version)))
            .collect()
    }

    fn deployment(&self, random: &mut SmallRng) -> u64 {
        *self.deployments.lock().choose(random).unwrap()
    }

    /// Records the state that a response reports.
    fn record(&self, call: &Call) {
        let Some((200 | 201, body)) = &call.response else {
            return;
        };
        if let Some(release) = &call.release {
            let id = (release.name.clone(), release.version.clone());
            self.published.lock().push(id);
        }
        match call.kind {
            Kind::Rollout | Kind::Deploy | Kind::RollBackSection | Kind::RollBackAll => {
                *self.rollouts.lock() = known_rollouts(&body["rollouts"]);
            }
            Kind::Promote | Kind::Abort => {
                let ended = |rollout: &KnownRollout| body["number"] == rollout.candidate;
                self.rollouts.lock().retain(|rollout| !ended(rollout));
            }
            _ => return,
        }
        self.deployments.lock().extend(body["number"].as_u64());
    }
}

/// Reads the rollouts of a response.
pub(super) fn known_rollouts(rollouts: &Value) -> Vec<KnownRollout> {
    let rollouts = rollouts.as_array().unwrap().iter();
    let known = rollouts.map(|rollout| KnownRollout {
        candidate: rollout["deployment"].as_u64().unwrap(),
        section: rollout["sections"]
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap()
            .clone(),
    });
    known.collect()
}

/// A release with a file that takes a moment to unpack, to compress and to write.
fn random_release(team: &str, version: &str, random: &mut SmallRng) -> Release {
    let lines = random.random_range(1..2000);
    let text = format!("/* {team} {version} */\n").repeat(lines);
    Release::section(team, version, &[&format!("/{team}")]).bytes(
        "client/large.js",
        crate::support::SCRIPT,
        text,
    )
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{self:?}").to_lowercase();
        f.pad(&name)
    }
}
