//! A model of the store: what must hold after any crash.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::SmallRng;
use serde_json::{Map, Value, json};

use super::release_model::ReleaseModel;
use super::workload::{Call, Kind, SharedState, known_rollouts};
use crate::support::{Connection, Gateway, Release, Request};

/// The number of newest deployments that are always retained.
const RETAINED: usize = 20;

/// The releases of a deployment, by name.
type Releases = Map<String, Value>;

/// A running rollout.
struct Rollout {
    candidate: u64,
    /// The release changes of the rollout.
    sections: Value,
    percent: Value,
}

/// All known changes, against which the store is checked.
pub(super) struct StoreModel {
    /// The whole history without times, oldest change first.
    changes: Vec<Value>,
    /// The releases of every deployment that ever existed.
    all_deployments: BTreeMap<u64, Releases>,
    /// The deployments that exist now.
    deployments: BTreeSet<u64>,
    /// The existing deployments that were created only for a preview.
    preview_only: BTreeSet<u64>,
    live: Option<u64>,
    rollouts: Vec<Rollout>,
    /// The sets that visitors get.
    offered: Vec<String>,
    /// The deployments that were live, and that no garbage collection has ended: a killed one leaves records.
    were_live: BTreeSet<u64>,
    releases: ReleaseModel,
}

impl StoreModel {
    /// Publishes the releases, deploys the newest of each name, and records the initial state.
    pub(super) fn start(gateway: &Gateway, releases: &[Release]) -> Self {
        for release in releases {
            gateway.publish(release);
        }
        let newest = releases
            .iter()
            .map(|release| (release.name.clone(), json!(release.version)));
        gateway.deploy(&newest.collect());
        let mut model = Self {
            changes: Vec::new(),
            all_deployments: BTreeMap::new(),
            deployments: BTreeSet::new(),
            preview_only: BTreeSet::new(),
            live: None,
            rollouts: Vec::new(),
            offered: Vec::new(),
            were_live: BTreeSet::new(),
            releases: ReleaseModel::new(releases),
        };
        assert_eq!(model.catch_up(gateway).len(), 1);
        model
    }

    /// Shares the current state with the next workers.
    pub(super) fn share(&self, gateway: &Gateway, shared: &SharedState) {
        *shared.published.lock() = self.releases.team_releases();
        *shared.rollouts.lock() = known_rollouts(&read(gateway, "/api/v1/deployments")["rollouts"]);
        *shared.deployments.lock() = self.deployments.iter().copied().collect();
    }

    /// Checks everything after these calls, and returns the ids of the calls that took effect.
    pub(super) fn check(&mut self, gateway: &Gateway, calls: &[Call], random: &mut SmallRng) -> Vec<String> {
        for listener in [&gateway.site, &gateway.admin] {
            assert_eq!(listener.get("/readyz").status, 200);
        }
        let before = self.deployments.clone();
        let changes = self.catch_up(gateway);
        self.match_calls(calls, &changes);
        let deletes = calls.iter().any(|call| call.kind == Kind::CollectGarbage);
        assert!(
            deletes || before.is_subset(&self.deployments),
            "deployments of {before:?} are lost"
        );
        assert!(
            self.all_deployments
                .keys()
                .rev()
                .take(RETAINED)
                .all(|number| self.deployments.contains(number))
        );

        let mut site = Connection::open(&gateway.site).unwrap();
        self.assert_pages_resolve(&mut site);
        self.assert_previews_open(&mut site, calls);
        let releases_of = |number: &u64| {
            let releases = self.all_deployments[number].iter();
            releases.map(|(name, version)| (name.clone(), text(version)))
        };
        let all = self.deployments.iter().flat_map(releases_of).collect();
        let public = self
            .deployments
            .difference(&self.preview_only)
            .flat_map(releases_of)
            .collect();
        let published = self
            .releases
            .check(gateway, &mut site, calls, &all, &public, random);
        self.assert_deployable(gateway, &mut site);
        assert!(
            !gateway.output().contains("deployment_skipped"),
            "{}",
            gateway.output()
        );

        let reasons = changes.iter().filter_map(|change| change["reason"].as_str());
        reasons.map(str::to_owned).chain(published).collect()
    }

    /// Reads the deployments and the new part of the history. Each change must follow from the one before,
    /// and the last one must result in the current state.
    fn catch_up(&mut self, gateway: &Gateway) -> Vec<Value> {
        let list = read(gateway, "/api/v1/deployments?limit=500");
        let mut listed = list["deployments"].as_array().unwrap().clone();
        let mut next = list["next"].as_u64();
        while let Some(before) = next {
            let page = read(gateway, &format!("/api/v1/deployments?limit=500&before={before}"));
            listed.extend_from_slice(page["deployments"].as_array().unwrap());
            next = page["next"].as_u64();
        }
        self.deployments.clear();
        self.preview_only.clear();
        for deployment in &listed {
            let number = deployment["number"].as_u64().unwrap();
            let releases = deployment["releases"].as_object().unwrap();
            assert_eq!(
                self.all_deployments
                    .entry(number)
                    .or_insert_with(|| releases.clone()),
                releases
            );
            self.deployments.insert(number);
            if deployment["preview"] == true {
                self.preview_only.insert(number);
            }
        }
        let new = self.new_changes(gateway);
        for change in &new {
            self.apply(change);
        }
        assert_eq!(list["live"], json!(self.live));
        let collected = new.iter().any(|change| change["action"] == "garbage-collection");
        self.check_rollouts(gateway, &list["rollouts"], collected);
        new
    }

    /// Each rollout has a candidate with exactly its changes.
    fn check_rollouts(&mut self, gateway: &Gateway, listed: &Value, collected: bool) {
        let listed = listed.as_array().unwrap();
        assert_eq!(listed.len(), self.rollouts.len(), "{listed:?}");
        let state = std::fs::read(gateway.store().join("live.json")).unwrap();
        let state: Value = serde_json::from_slice(&state).unwrap();
        assert_eq!(state["visible"]["live"], json!(self.live));
        if collected {
            let earlier = state["visible"]["earlier"].as_array().into_iter().flatten();
            let retained: BTreeSet<u64> = earlier.filter_map(|earlier| earlier["number"].as_u64()).collect();
            let live = self.live.unwrap();
            self.were_live
                .retain(|number| *number == live || retained.contains(number));
        }
        self.offered = vec![self.live.unwrap().to_string()];
        for (rollout, listed) in self.rollouts.iter().zip(listed) {
            assert_eq!(
                (&rollout.sections, &rollout.percent),
                (&listed["sections"], &listed["percent"])
            );
            assert_eq!(listed["deployment"], rollout.candidate);
            assert!(self.deployments.contains(&rollout.candidate), "{listed} is lost");
            // Any of the rollouts can be chosen together.
            let with: Vec<String> = self
                .offered
                .iter()
                .map(|set| format!("{set}.{}", rollout.candidate))
                .collect();
            self.offered.extend(with);
        }
    }

    /// The changes after the last known one. Known changes must be unchanged.
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

    /// Applies one change, which must follow from the state before it.
    fn apply(&mut self, change: &Value) {
        assert_eq!(change["revision"], json!(self.changes.len() + 1), "{change}");
        assert_eq!(change["before"], json!(self.live), "{change}");
        let live = change["live"].as_u64().unwrap();
        let candidate = change["candidate"].as_u64();
        let sections = &change["sections"];
        let rollout = self.rollouts.iter().position(|rollout| {
            let keys = |sections: &Value| sections.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            keys(&rollout.sections) == keys(sections)
        });
        let before = self
            .live
            .map_or_else(Releases::new, |number| self.all_deployments[&number].clone());
        let releases = |number: Option<u64>| &self.all_deployments[&number.unwrap()];
        match change["action"].as_str().unwrap() {
            "deploy" | "rollback" => {
                assert_eq!(releases(Some(live)), &apply_moves(&before, sections), "{change}");
                if let Some(restored) = change["restores"].as_u64() {
                    assert_eq!(releases(Some(live)), releases(Some(restored)), "{change}");
                    self.rollouts.clear();
                }
            }
            "promote" => {
                assert_eq!(releases(Some(live)), &apply_moves(&before, sections), "{change}");
                let promoted = self.rollouts.remove(rollout.unwrap());
                assert_eq!(candidate, Some(promoted.candidate), "{change}");
            }
            action @ ("rollout" | "preview") => {
                assert_eq!(self.live, Some(live), "{change}");
                assert_eq!(releases(candidate), &apply_moves(&before, sections), "{change}");
                if action == "rollout" {
                    self.rollouts.push(Rollout {
                        candidate: candidate.unwrap(),
                        sections: sections.clone(),
                        percent: change["percent"].clone(),
                    });
                }
            }
            "percent" => {
                assert_eq!(self.live, Some(live), "{change}");
                self.rollouts[rollout.unwrap()].percent = change["percent"].clone();
            }
            "abort" => {
                assert_eq!(self.live, Some(live), "{change}");
                let aborted = self.rollouts.remove(rollout.unwrap());
                let candidate = apply_moves(&before, &aborted.sections);
                assert_eq!(&before, &apply_moves(&candidate, sections), "{change}");
            }
            "garbage-collection" | "end-previews" => {
                assert_eq!(self.live, Some(live), "{change}");
                assert_eq!(change["sections"], json!({}), "{change}");
            }
            _ => panic!("{change}"),
        }
        self.live = Some(live);
        self.were_live.insert(live);
        self.changes.push(change.clone());
    }

    /// Compares the changes with the calls: acknowledged calls appear as they were acknowledged, rejected
    /// calls do not appear, no call appears twice, and every change belongs to a call.
    fn match_calls(&self, calls: &[Call], changes: &[Value]) {
        // These changes have no reason, so only their number can be checked.
        let ends = changes.iter();
        let ends = ends.filter(|change| change["action"] == "end-previews").count();
        let end_calls = calls.iter().filter(|call| call.kind == Kind::EndPreviews);
        let acknowledged_ends = end_calls
            .clone()
            .filter(|call| matches!(&call.response, Some((204, _))));
        assert!(
            (acknowledged_ends.count()..=end_calls.count()).contains(&ends),
            "{changes:?}"
        );
        let mut unmatched = changes.len() - ends;
        for call in calls {
            let found: Vec<&Value> = changes
                .iter()
                .filter(|change| change["reason"] == call.id.as_str())
                .collect();
            unmatched -= found.len();
            let count = found.len();
            let Some((status, response)) = &call.response else {
                assert!(count <= 1, "{found:?}");
                continue;
            };
            let context = format!("{} {:?} led to {found:?}", call.kind, call.response);
            match (status, call.kind) {
                (204, Kind::EndPreviews) | (201, Kind::Publish) => {}
                (404 | 409 | 422, kind) if kind != Kind::Publish => assert_eq!(count, 0, "{context}"),
                (200, Kind::Deploy | Kind::Rollout | Kind::RollBackAll) => assert_eq!(count, 0, "{context}"),
                (200, Kind::Percent) => assert!(count <= 1, "{context}"),
                (200, Kind::Promote | Kind::Abort) => assert_eq!(count, 1, "{context}"),
                (200, Kind::CollectGarbage) => {
                    let mut lists = ["deployments", "releases"].iter();
                    let removed = lists.any(|list| response[list] != json!([]));
                    // A garbage collection that removed nothing may appear too, if that of another gateway was
                    // faster.
                    assert!(count == 1 || !removed, "{context}");
                }
                (201, Kind::Preview) => {
                    assert_eq!(found[0]["candidate"], response["deployment"], "{context}");
                }
                (201, _) => {
                    assert_eq!(count, 1, "{context}");
                    let change = found[0];
                    // Another gateway may have made a further change before the response.
                    let made = [&change["live"], &change["candidate"]];
                    assert!(made.contains(&&response["number"]), "{context}");
                    let releases = &self.all_deployments[&response["number"].as_u64().unwrap()];
                    assert_eq!(response["releases"].as_object(), Some(releases), "{context}");
                }
                _ => panic!("{context}"),
            }
        }
        assert_eq!(unmatched, 0, "no call matches some of {changes:?}");
    }

    /// Every deployment that was live serves its own release of each section, and so does every set that visitors get.
    fn assert_pages_resolve(&self, site: &mut Connection) {
        for set in &self.offered {
            get(site, &format!("/_page/{set}?path=/"));
        }
        for number in self.deployments.intersection(&self.were_live) {
            for (name, version) in self.all_deployments[number]
                .iter()
                .filter(|(name, _)| *name != "shell")
            {
                let page = if name == "steady" { "" } else { name };
                let response = get(site, &format!("/_page/{number}?path=/{page}"));
                assert_eq!(
                    &response["section"]["version"], version,
                    "{name} in deployment {number}"
                );
            }
        }
    }

    /// Preview links work unless previews were ended, as long as their deployment exists.
    fn assert_previews_open(&self, site: &mut Connection, calls: &[Call]) {
        if calls.iter().any(|call| call.kind == Kind::EndPreviews) {
            return;
        }
        for call in calls.iter().filter(|call| call.kind == Kind::Preview) {
            if let Some((201, response)) = &call.response
                && self
                    .deployments
                    .contains(&response["deployment"].as_u64().unwrap())
            {
                let (_, path) = response["url"]
                    .as_str()
                    .unwrap()
                    .split_once("site.example")
                    .unwrap();
                let response = site.exchange(Request::new("GET", path)).unwrap();
                assert_eq!(response.status, 200, "{}", response.text());
            }
        }
    }

    /// Deployments still work: a section that no worker touches alternates between two releases.
    fn assert_deployable(&mut self, gateway: &Gateway, site: &mut Connection) {
        let live = &self.all_deployments[&self.live.unwrap()];
        let other = if live["steady"] == "1.0.0" {
            "2.0.0"
        } else {
            "1.0.0"
        };
        let number = gateway.deploy(&json!({ "steady": other }));
        assert_eq!(self.catch_up(gateway).len(), 1);
        assert_eq!(self.live, Some(number));
        let boot = site.exchange(Request::new("GET", "/")).unwrap().boot();
        let shown = boot["deployment"].as_str().unwrap();
        assert!(self.offered.iter().any(|set| set == shown), "{shown}");
        assert_eq!(boot["page"]["section"]["version"], other);
    }
}

/// Applies release changes to releases.
fn apply_moves(releases: &Releases, sections: &Value) -> Releases {
    let mut releases = releases.clone();
    for (name, step) in sections.as_object().unwrap() {
        let from = match &step["to"] {
            Value::Null => releases.remove(name),
            to => releases.insert(name.clone(), to.clone()),
        };
        assert_eq!(from.unwrap_or_default(), step["from"], "{sections}");
    }
    releases
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Gets JSON from the admin API.
pub(super) fn read(gateway: &Gateway, path: &str) -> Value {
    let response = gateway.admin_request(Request::new("GET", path));
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.json()
}

fn get(site: &mut Connection, path: &str) -> Value {
    let response = site.exchange(Request::new("GET", path)).unwrap();
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.json()
}
