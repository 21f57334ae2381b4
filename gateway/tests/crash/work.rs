//! Teams and operators at work until the gateway is gone: every kind of change, from several threads.

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

/// The sections that change while the gateway is killed.
pub(super) const TEAMS: [&str; 3] = ["one", "two", "three"];

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Publish,
    Deploy,
    Rollout,
    Percent,
    Promote,
    Abort,
    RollBackSection,
    RollBackSet,
    Preview,
    EndPreviews,
    Collect,
}

/// How often each is asked for, next to the others.
const WEIGHTS: [(Kind, u32); 11] = [
    (Kind::Publish, 6),
    (Kind::Deploy, 6),
    (Kind::Rollout, 4),
    (Kind::Percent, 2),
    (Kind::Promote, 3),
    (Kind::Abort, 1),
    (Kind::RollBackSection, 3),
    (Kind::RollBackSet, 2),
    (Kind::Preview, 2),
    (Kind::EndPreviews, 1),
    (Kind::Collect, 4),
];

/// One call, and what came of it.
#[derive(Debug)]
pub(super) struct Asked {
    /// Tells it from all others; it is also the reason it gives.
    pub(super) id: String,
    pub(super) kind: Kind,
    /// The release it publishes.
    pub(super) release: Option<Release>,
    /// Status and body; none if the gateway was gone before it had answered.
    pub(super) answer: Option<(u16, Value)>,
    /// How long the answer took.
    pub(super) took: Duration,
}

/// What all threads of a round know.
pub(super) struct Desk {
    /// Numbers every call and every release of the whole test.
    pub(super) counter: AtomicU64,
    /// The releases there are to deploy.
    pub(super) published: Mutex<Vec<(String, String)>>,
    /// The candidate of the rollout that runs, as far as is known.
    pub(super) candidate: Mutex<Option<u64>>,
    /// Deployments there are to go back to, or to show.
    pub(super) deployments: Mutex<Vec<u64>>,
}

/// Asks for one thing after the other until the gateway is gone, telling of each when it begins.
pub(super) fn work(desk: &Desk, admin: &Client, seed: u64, begun: &Sender<Kind>) -> Vec<Asked> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut asked = Vec::new();
    let Ok(mut connection) = Connection::open(admin) else {
        return asked;
    };
    loop {
        let (kind, _) = WEIGHTS
            .choose_weighted(&mut random, |(_, weight)| *weight)
            .unwrap();
        let (mut call, request) = desk.call(*kind, &mut random);
        let start = Instant::now();
        // Nobody listens once the moment of the kill is found.
        let _ = begun.send(call.kind);
        let answer = connection.exchange(authorized(request));
        call.took = start.elapsed();
        let gone = answer.is_err();
        call.answer = answer.ok().map(|answer| {
            let body = if answer.body.is_empty() {
                Value::Null
            } else {
                answer.json()
            };
            (answer.status, body)
        });
        desk.note(&call);
        asked.push(call);
        if gone {
            return asked;
        }
    }
}

impl Desk {
    fn call(&self, wished: Kind, random: &mut SmallRng) -> (Asked, Request) {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let id = format!("call {number}");
        let kind = self.possible(wished);
        let mut release = None;
        let team = TEAMS.choose(random).unwrap();
        let candidate = self.candidate.lock().unwrap_or(1);
        let post = |path: &str, mut body: Value| {
            body["reason"] = json!(id);
            Request::new("POST", &format!("/api/v1/{path}")).body(body.to_string())
        };
        let request = match kind {
            Kind::Publish => {
                let version = format!("{number}.0.0");
                let made = release_of(team, &version, random);
                let path = format!("/api/v1/sections/{team}/releases/{version}");
                let archive = made.archive();
                release = Some(made);
                Request::new("PUT", &path).body(archive)
            }
            Kind::Deploy => post("deployments", json!({ "releases": self.some(random) })),
            Kind::Rollout => {
                let percent = random.random_range(0..100);
                post(
                    "deployments",
                    json!({ "releases": self.some(random), "percent": percent }),
                )
            }
            Kind::Percent => {
                let percent = random.random_range(0..100);
                post(
                    &format!("deployments/{candidate}/promote"),
                    json!({ "percent": percent }),
                )
            }
            Kind::Promote => post(&format!("deployments/{candidate}/promote"), json!({})),
            Kind::Abort => post(&format!("deployments/{candidate}/abort"), json!({})),
            Kind::RollBackSection => post("rollback", json!({ "section": team })),
            Kind::RollBackSet if random.random() => post("rollback", json!({})),
            Kind::RollBackSet => post("rollback", json!({ "deployment": self.deployment(random) })),
            Kind::Preview if random.random() => post("previews", json!({ "releases": self.some(random) })),
            Kind::Preview => post("previews", json!({ "deployment": self.deployment(random) })),
            Kind::EndPreviews => Request::new("DELETE", "/api/v1/previews"),
            Kind::Collect => post("collect", json!({})),
        };
        let call = Asked {
            id,
            kind,
            release,
            answer: None,
            took: Duration::ZERO,
        };
        (call, request)
    }

    /// What is wished, or what has to come first.
    fn possible(&self, wished: Kind) -> Kind {
        let runs = self.candidate.lock().is_some();
        match wished {
            Kind::Percent | Kind::Promote | Kind::Abort if !runs => Kind::Rollout,
            Kind::Rollout if runs => Kind::Promote,
            kind => kind,
        }
    }

    /// One release, or two.
    fn some(&self, random: &mut SmallRng) -> Value {
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

    /// Takes note of what an answer tells.
    fn note(&self, asked: &Asked) {
        let Some((200 | 201, body)) = &asked.answer else {
            return;
        };
        if let Some(release) = &asked.release {
            let id = (release.name.clone(), release.version.clone());
            self.published.lock().push(id);
        }
        let candidate = match asked.kind {
            Kind::Rollout => body["number"].as_u64().filter(|_| body["live"] == false),
            Kind::Deploy | Kind::RollBackSection => body["candidate"]["number"].as_u64(),
            Kind::Promote | Kind::Abort | Kind::RollBackSet => None,
            _ => return,
        };
        *self.candidate.lock() = candidate;
        self.deployments.lock().extend(body["number"].as_u64());
    }
}

/// A release with a file that takes a moment to unpack, to compress and to write.
fn release_of(team: &str, version: &str, random: &mut SmallRng) -> Release {
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
