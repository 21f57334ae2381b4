//! What must be true of releases: each is there whole, or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use serde_json::Value;

use super::ledger::read;
use super::work::{Asked, Kind, TEAMS};
use crate::support::{Connection, Gateway, Release, Request};

/// The name and version of a release.
type Id = (String, String);

/// The releases that were ever sent, and those that are kept.
pub(super) struct Shelf {
    sent: BTreeMap<Id, Release>,
    listed: BTreeSet<Id>,
}

impl Shelf {
    pub(super) fn new(releases: &[Release]) -> Self {
        let sent = releases.iter().map(|release| (id(release), release.clone()));
        Self {
            sent: sent.collect(),
            listed: releases.iter().map(id).collect(),
        }
    }

    /// The releases that teams can deploy.
    pub(super) fn of_teams(&self) -> Vec<Id> {
        let teams = self
            .listed
            .iter()
            .filter(|(name, _)| TEAMS.contains(&name.as_str()));
        teams.cloned().collect()
    }

    /// Looks at every file of every release; `named` are those that deployments name, `public` those that others than
    /// previews do. The ids of the calls that published come back.
    pub(super) fn check(
        &mut self,
        gateway: &Gateway,
        site: &mut Connection,
        asked: &[Asked],
        named: &BTreeSet<Id>,
        public: &BTreeSet<Id>,
        random: &mut SmallRng,
    ) -> Vec<String> {
        let listed = listed(&read(gateway, "/api/v1/sections"));
        let folder = gateway.store().join("releases");
        assert_eq!(listed, on_disk(&folder));
        assert!(named.is_subset(&listed), "of {named:?} only {listed:?} are there");
        let mut published = Vec::new();
        for call in asked {
            let Some(release) = &call.release else {
                continue;
            };
            let there = listed.contains(&id(release));
            assert!(
                there || call.answer.is_none(),
                "{}@{} is lost",
                release.name,
                release.version
            );
            if there {
                published.push(call.id.clone());
                self.sent.insert(id(release), release.clone());
            }
        }
        let collects = asked.iter().any(|call| call.kind == Kind::Collect);
        assert!(collects || self.listed.is_subset(&listed));
        for id in &listed {
            let release = self.sent.get(id).unwrap_or_else(|| panic!("nobody sent {id:?}"));
            is_whole(release, &folder.join(&id.0).join(&id.1));
            if public.contains(id) {
                is_served(release, site, random);
            }
        }
        self.listed = listed;
        published
    }
}

/// Every file of a release is in its folder as it was sent, and no other.
fn is_whole(release: &Release, folder: &Path) {
    for (path, (_, bytes)) in &release.files {
        let found = std::fs::read(folder.join(path));
        assert_eq!(found.as_ref().ok(), Some(bytes), "{path} in {}", folder.display());
    }
    let json: Value = serde_json::from_slice(&std::fs::read(folder.join("release.json")).unwrap()).unwrap();
    assert_eq!(json, release.json());
}

/// Every public file of a release is served with the bytes it was sent with, in any coding.
fn is_served(release: &Release, site: &mut Connection, random: &mut SmallRng) {
    for (path, (_, bytes)) in &release.files {
        let Some(file) = path.strip_prefix("client/") else {
            continue;
        };
        let target = format!("/assets/{}/{}/{file}", release.name, release.version);
        let coding = ["identity", "gzip", "br"].choose(random).unwrap();
        let request = Request::new("GET", &target).header("accept-encoding", coding);
        let answer = site.exchange(request).unwrap();
        assert_eq!(answer.status, 200, "{target}");
        assert!(answer.decoded() == *bytes, "{target} has other bytes in {coding}");
    }
}

fn id(release: &Release) -> Id {
    (release.name.clone(), release.version.clone())
}

fn listed(sections: &Value) -> BTreeSet<Id> {
    let mut listed = BTreeSet::new();
    for section in sections.as_array().unwrap() {
        for release in section["releases"].as_array().unwrap() {
            let word = |value: &Value| value.as_str().unwrap().to_owned();
            listed.insert((word(&section["name"]), word(&release["version"])));
        }
    }
    listed
}

fn on_disk(folder: &Path) -> BTreeSet<Id> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    let mut found = BTreeSet::new();
    for name in names(folder) {
        for version in names(&folder.join(&name)) {
            found.insert((name.clone(), version));
        }
    }
    found
}
