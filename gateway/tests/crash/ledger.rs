//! What must be true of a store, whatever became of the gateways on it.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::SmallRng;
use serde_json::{Map, Value, json};

use super::shelf::Shelf;
use super::work::{Asked, Desk, Kind};
use crate::support::{Connection, Gateway, Release, Request};

/// The deployments that are always kept, counted from the newest.
const KEPT: usize = 20;

/// The releases of a deployment, by their names.
type Set = Map<String, Value>;

/// Everything that is known to have happened, against which the store is held.
pub(super) struct Ledger {
    /// The whole history, the oldest change first, without times.
    changes: Vec<Value>,
    /// Every deployment there ever was.
    sets: BTreeMap<u64, Set>,
    /// The deployments of now.
    kept: BTreeSet<u64>,
    /// Those of them that were made for a preview alone.
    previewed: BTreeSet<u64>,
    live: Option<u64>,
    /// Candidate and percent.
    rollout: Option<(u64, u64)>,
    shelf: Shelf,
}

impl Ledger {
    /// Publishes releases, the newest of each name live, and begins to keep account.
    pub(super) fn start(gateway: &Gateway, releases: &[Release]) -> Self {
        for release in releases {
            gateway.publish(release);
        }
        let newest = releases
            .iter()
            .map(|release| (release.name.clone(), json!(release.version)));
        gateway.deploy(&newest.collect());
        let mut ledger = Self {
            changes: Vec::new(),
            sets: BTreeMap::new(),
            kept: BTreeSet::new(),
            previewed: BTreeSet::new(),
            live: None,
            rollout: None,
            shelf: Shelf::new(releases),
        };
        assert_eq!(ledger.catch_up(gateway).len(), 1);
        ledger
    }

    /// Tells the next workers what there is.
    pub(super) fn brief(&self, desk: &Desk) {
        *desk.published.lock() = self.shelf.of_teams();
        *desk.candidate.lock() = self.rollout.map(|(candidate, _)| candidate);
        *desk.deployments.lock() = self.kept.iter().copied().collect();
    }

    /// Looks at everything after these calls; the ids of those that took effect come back.
    pub(super) fn check(&mut self, gateway: &Gateway, asked: &[Asked], random: &mut SmallRng) -> Vec<String> {
        for listener in [&gateway.site, &gateway.admin] {
            assert_eq!(listener.get("/readyz").status, 200);
        }
        let before = self.kept.clone();
        let changes = self.catch_up(gateway);
        self.settle(asked, &changes);
        let collects = asked.iter().any(|call| call.kind == Kind::Collect);
        assert!(collects || before.is_subset(&self.kept), "lost of {before:?}");
        assert!(
            self.sets
                .keys()
                .rev()
                .take(KEPT)
                .all(|number| self.kept.contains(number))
        );

        let mut site = Connection::open(&gateway.site).unwrap();
        self.all_assemble(&mut site);
        self.previews_open(&mut site, asked);
        let named = |number: &u64| {
            let releases = self.sets[number].iter();
            releases.map(|(name, version)| (name.clone(), text(version)))
        };
        let all = self.kept.iter().flat_map(named).collect();
        let public = self.kept.difference(&self.previewed).flat_map(named).collect();
        let published = self.shelf.check(gateway, &mut site, asked, &all, &public, random);
        self.goes_on(gateway, &mut site);
        assert!(
            !gateway.output().contains("deployment_skipped"),
            "{}",
            gateway.output()
        );

        let reasons = changes.iter().filter_map(|change| change["reason"].as_str());
        reasons.map(str::to_owned).chain(published).collect()
    }

    /// Reads what is live and what is new in the history. Each change must follow from the one before, and the last
    /// must have led to what is live.
    fn catch_up(&mut self, gateway: &Gateway) -> Vec<Value> {
        let list = read(gateway, "/api/v1/deployments");
        let listed = list["deployments"].as_array().unwrap();
        self.kept.clear();
        self.previewed.clear();
        for deployment in listed {
            let number = deployment["number"].as_u64().unwrap();
            let set = deployment["releases"].as_object().unwrap();
            assert_eq!(self.sets.entry(number).or_insert_with(|| set.clone()), set);
            self.kept.insert(number);
            if deployment["preview"] == true {
                self.previewed.insert(number);
            }
        }
        let new = self.new_changes(gateway);
        for change in &new {
            self.follow(change);
        }
        let rollout = self.rollout;
        assert_eq!(list["live"], json!(self.live));
        assert_eq!(
            list["rollout"]["deployment"],
            json!(rollout.map(|(candidate, _)| candidate))
        );
        assert_eq!(
            list["rollout"]["percent"],
            json!(rollout.map(|(_, percent)| percent))
        );
        new
    }

    /// The changes since the last one that is known, which must still be what it was.
    fn new_changes(&self, gateway: &Gateway) -> Vec<Value> {
        let known = self.changes.len() as u64;
        let mut new = Vec::new();
        let mut path = "/api/v1/history?limit=20".to_owned();
        loop {
            let page = read(gateway, &path);
            for change in page["entries"].as_array().unwrap() {
                let mut change = change.clone();
                change.as_object_mut().unwrap().remove("at");
                let revision = change["revision"].as_u64().unwrap();
                if let Some(known) = self.changes.get(usize::try_from(revision).unwrap() - 1) {
                    assert_eq!(&change, known);
                }
                if revision == known {
                    new.reverse();
                    return new;
                }
                new.push(change);
            }
            let Some(next) = page["next"].as_u64() else {
                assert_eq!(known, 0, "the history ends before revision {known}");
                new.reverse();
                return new;
            };
            path = format!("/api/v1/history?limit=20&before={next}");
        }
    }

    /// Takes over one change, which must follow from what was before it.
    fn follow(&mut self, change: &Value) {
        assert_eq!(change["revision"], json!(self.changes.len() + 1), "{change}");
        assert_eq!(change["before"], json!(self.live), "{change}");
        let live = change["live"].as_u64().unwrap();
        let candidate = change["candidate"].as_u64();
        let percent = change["percent"].as_u64();
        let before = self
            .live
            .map_or_else(Set::new, |number| self.sets[&number].clone());
        let rolled_out = self.rollout.map(|(number, _)| &self.sets[&number]);
        let set = |number: Option<u64>| &self.sets[&number.unwrap()];
        match change["action"].as_str().unwrap() {
            "deploy" | "rollback" => {
                assert_eq!(set(Some(live)), &moved(&before, change), "{change}");
                if percent.is_some() {
                    assert_eq!(set(candidate), &moved(rolled_out.unwrap(), change), "{change}");
                }
                if let Some(restored) = change["restores"].as_u64() {
                    assert_eq!(set(Some(live)), set(Some(restored)), "{change}");
                }
            }
            "promote" => {
                assert_eq!(candidate, Some(live), "{change}");
                assert_eq!(set(candidate), &moved(&before, change), "{change}");
            }
            "rollout" | "preview" => {
                assert_eq!(self.live, Some(live), "{change}");
                assert_eq!(set(candidate), &moved(&before, change), "{change}");
            }
            "abort" => {
                assert_eq!(self.live, Some(live), "{change}");
                assert_eq!(&before, &moved(rolled_out.unwrap(), change), "{change}");
            }
            "percent" | "collect" | "end-previews" => {
                assert_eq!(self.live, Some(live), "{change}");
                assert_eq!(change["sections"], json!({}), "{change}");
            }
            _ => panic!("{change}"),
        }
        if !matches!(
            change["action"].as_str(),
            Some("preview" | "collect" | "end-previews")
        ) {
            self.rollout = candidate.zip(percent);
        }
        self.live = Some(live);
        self.changes.push(change.clone());
    }

    /// Holds the changes against the calls: what was answered is there as it was answered, what was refused is not,
    /// nothing is there twice, and nothing that nobody asked for.
    fn settle(&self, asked: &[Asked], changes: &[Value]) {
        // These give no reason, so only their number can be right.
        let ends = changes.iter();
        let ends = ends.filter(|change| change["action"] == "end-previews").count();
        let asked_ends = asked.iter().filter(|call| call.kind == Kind::EndPreviews);
        let answered_ends = asked_ends.clone().filter(|call| call.answer.is_some());
        assert!(
            (answered_ends.count()..=asked_ends.count()).contains(&ends),
            "{changes:?}"
        );
        let mut strangers = changes.len() - ends;
        for call in asked {
            let found: Vec<&Value> = changes
                .iter()
                .filter(|change| change["reason"] == call.id.as_str())
                .collect();
            strangers -= found.len();
            let there = found.len();
            let Some((status, answer)) = &call.answer else {
                assert!(there <= 1, "{found:?}");
                continue;
            };
            let words = format!("{} {:?} led to {found:?}", call.kind, call.answer);
            match (status, call.kind) {
                (204, Kind::EndPreviews) | (201, Kind::Publish) => {}
                (404 | 409 | 422, kind) if kind != Kind::Publish => assert_eq!(there, 0, "{words}"),
                (200, Kind::Deploy | Kind::Rollout | Kind::RollBackSet) => assert_eq!(there, 0, "{words}"),
                (200, Kind::Percent) => assert!(there <= 1, "{words}"),
                (200, Kind::Promote | Kind::Abort) => assert_eq!(there, 1, "{words}"),
                (200, Kind::Collect) => {
                    let mut lists = ["deployments", "releases"].iter();
                    let removed = lists.any(|what| answer[what] != json!([]));
                    // One that removed nothing is there, too, where another gateway's collection was faster.
                    assert!(there == 1 || !removed, "{words}");
                }
                (201, Kind::Preview) => assert_eq!(found[0]["candidate"], answer["deployment"], "{words}"),
                (201, _) => {
                    assert_eq!(there, 1, "{words}");
                    let change = found[0];
                    // By the time of the answer another gateway may have gone on from it.
                    let made = [&change["live"], &change["candidate"]];
                    assert!(made.contains(&&answer["number"]), "{words}");
                    let set = &self.sets[&answer["number"].as_u64().unwrap()];
                    assert_eq!(answer["releases"].as_object(), Some(set), "{words}");
                }
                _ => panic!("{words}"),
            }
        }
        assert_eq!(strangers, 0, "nobody asked for all of {changes:?}");
    }

    /// Every deployment leads to its own release of each of its sections.
    fn all_assemble(&self, site: &mut Connection) {
        for number in self.kept.difference(&self.previewed) {
            for (name, version) in self.sets[number].iter().filter(|(name, _)| *name != "shell") {
                let page = if name == "steady" { "" } else { name };
                let answer = get(site, &format!("/_page/{number}?path=/{page}"));
                assert_eq!(
                    &answer["section"]["version"], version,
                    "{name} in deployment {number}"
                );
            }
        }
    }

    /// Links to previews that nobody ended lead to what they show, as long as it is kept.
    fn previews_open(&self, site: &mut Connection, asked: &[Asked]) {
        if asked.iter().any(|call| call.kind == Kind::EndPreviews) {
            return;
        }
        for call in asked.iter().filter(|call| call.kind == Kind::Preview) {
            if let Some((201, answer)) = &call.answer
                && self.kept.contains(&answer["deployment"].as_u64().unwrap())
            {
                let (_, path) = answer["url"]
                    .as_str()
                    .unwrap()
                    .split_once("site.example")
                    .unwrap();
                let answer = site.exchange(Request::new("GET", path)).unwrap();
                assert_eq!(answer.status, 303, "{}", answer.text());
            }
        }
    }

    /// The work goes on: a section that nobody else touches goes from one release to the other and back.
    fn goes_on(&mut self, gateway: &Gateway, site: &mut Connection) {
        let live = &self.sets[&self.live.unwrap()];
        let other = if live["steady"] == "1.0.0" {
            "2.0.0"
        } else {
            "1.0.0"
        };
        let number = gateway.deploy(&json!({ "steady": other }));
        assert_eq!(self.catch_up(gateway).len(), 1);
        assert_eq!(self.live, Some(number));
        let boot = site.exchange(Request::new("GET", "/")).unwrap().boot();
        let shown = boot["deployment"].as_u64().unwrap();
        let (candidate, _) = self.rollout.unwrap_or((number, 0));
        assert!(shown == number || shown == candidate, "{shown}");
        assert_eq!(boot["page"]["section"]["version"], other);
    }
}

/// A set with what a change says was moved.
fn moved(set: &Set, change: &Value) -> Set {
    let mut set = set.clone();
    for (name, step) in change["sections"].as_object().unwrap() {
        let from = match &step["to"] {
            Value::Null => set.remove(name),
            to => set.insert(name.clone(), to.clone()),
        };
        assert_eq!(from.unwrap_or_default(), step["from"], "{change}");
    }
    set
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Reads from the admin API.
pub(super) fn read(gateway: &Gateway, path: &str) -> Value {
    let answer = gateway.operate(Request::new("GET", path));
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

fn get(site: &mut Connection, path: &str) -> Value {
    let answer = site.exchange(Request::new("GET", path)).unwrap();
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}
