//! A model of the releases: each is stored completely or not at all.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use serde_json::Value;

use super::store_model::read;
use super::workload::{Call, Kind, TEAMS};
use crate::support::{Connection, Gateway, Release, Request, entries, read_json};

/// The name and version of a release.
type Id = (String, String);

/// All releases that were ever uploaded, and those that are listed.
pub(super) struct ReleaseModel {
    uploaded: BTreeMap<Id, Release>,
    listed: BTreeSet<Id>,
}

impl ReleaseModel {
    pub(super) fn new(releases: &[Release]) -> Self {
        let uploaded = releases.iter().map(|release| (id(release), release.clone()));
        Self {
            uploaded: uploaded.collect(),
            listed: releases.iter().map(id).collect(),
        }
    }

    /// The releases of the teams, which workers can deploy.
    pub(super) fn team_releases(&self) -> Vec<Id> {
        let teams = self
            .listed
            .iter()
            .filter(|(name, _)| TEAMS.contains(&name.as_str()));
        teams.cloned().collect()
    }

    /// Checks every file of every release, and returns the ids of the calls that published. `deployed` are
    /// the releases of all deployments, `public` those of deployments that are not previews.
    pub(super) fn check(
        &mut self,
        gateway: &Gateway,
        site: &mut Connection,
        calls: &[Call],
        deployed: &BTreeSet<Id>,
        public: &BTreeSet<Id>,
        random: &mut SmallRng,
    ) -> Vec<String> {
        let listed = listed(&read(gateway, "/api/v1/sections"));
        assert_eq!(listed, on_disk(gateway));
        assert!(
            deployed.is_subset(&listed),
            "{deployed:?} are deployed, but only {listed:?} are listed"
        );
        let mut published = Vec::new();
        for call in calls {
            let Some(release) = &call.release else {
                continue;
            };
            let is_listed = listed.contains(&id(release));
            assert!(
                is_listed || call.response.is_none(),
                "{}@{} is lost",
                release.name,
                release.version
            );
            if is_listed {
                published.push(call.id.clone());
                self.uploaded.insert(id(release), release.clone());
            }
        }
        let deletes = calls.iter().any(|call| call.kind == Kind::CollectGarbage);
        assert!(deletes || self.listed.is_subset(&listed));
        for id in &listed {
            let release = self
                .uploaded
                .get(id)
                .unwrap_or_else(|| panic!("{id:?} was never uploaded"));
            assert_stored(release, gateway);
            if public.contains(id) {
                assert_served(release, site, random);
            }
        }
        self.listed = listed;
        published
    }
}

/// Asserts that the store has every file as it was uploaded.
fn assert_stored(release: &Release, gateway: &Gateway) {
    let id = format!("{}/{}", release.name, release.version);
    for (path, (_, bytes)) in &release.files {
        let found = std::fs::read(gateway.object(&id, path));
        assert_eq!(found.as_ref().ok(), Some(bytes), "{path} of {id}");
    }
    let record = read_json(&gateway.record(&id));
    let json: Value = serde_json::from_str(record["manifest"].as_str().unwrap()).unwrap();
    assert_eq!(json, release.json());
}

/// Asserts that every public file is served with its bytes, in any encoding.
fn assert_served(release: &Release, site: &mut Connection, random: &mut SmallRng) {
    for (path, (_, bytes)) in &release.files {
        let Some(file) = path.strip_prefix("client/") else {
            continue;
        };
        let target = format!("/assets/{}/{}/{file}", release.name, release.version);
        let encoding = ["identity", "gzip", "br"].choose(random).unwrap();
        let request = Request::new("GET", &target).header("accept-encoding", encoding);
        let response = site.exchange(request).unwrap();
        assert_eq!(response.status, 200, "{target}");
        assert!(
            response.decoded() == *bytes,
            "{target} has wrong bytes in {encoding}"
        );
    }
}

fn id(release: &Release) -> Id {
    (release.name.clone(), release.version.clone())
}

fn listed(sections: &Value) -> BTreeSet<Id> {
    let mut listed = BTreeSet::new();
    for section in sections.as_array().unwrap() {
        for release in section["releases"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            listed.insert((text(&section["name"]), text(&release["version"])));
        }
    }
    listed
}

fn on_disk(gateway: &Gateway) -> BTreeSet<Id> {
    let mut found = BTreeSet::new();
    for section in entries(&gateway.store().join("releases")) {
        let name = section.file_name().unwrap().to_str().unwrap();
        for file in gateway.object_names(&format!("releases/{name}")) {
            found.insert((name.to_owned(), file.trim_end_matches(".json").to_owned()));
        }
    }
    found
}
