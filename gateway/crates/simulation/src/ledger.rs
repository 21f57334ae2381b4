//! What took effect in the bucket, in order, and what must hold at each moment.

use std::collections::{BTreeMap, BTreeSet};

use colonnade_model::deployment::{Change, ChangeKind, Deployment, LiveState, release_changes};
use colonnade_model::release::ReleaseId;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;

use crate::bucket::StoredObject;

type Objects = BTreeMap<String, StoredObject>;

/// The content of the object of a deleted release or deployment.
const DELETED: &[u8] = br#"{"deleted":true}"#;

/// The history of the bucket.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// The live states with the times at which they took effect; the first one has revision 1.
    pub(crate) states: Vec<(Instant, LiveState)>,
    /// All deployments that were ever stored.
    pub(crate) deployments: BTreeMap<u64, Deployment>,
    /// The digests of all releases that were ever published.
    pub(crate) releases: BTreeMap<ReleaseId, String>,
    /// The names of the files of the releases that are published now.
    files: BTreeMap<ReleaseId, BTreeSet<String>>,
    /// The deployments that visitors may have seen.
    pub(crate) shown: BTreeSet<u64>,
    /// Those of previews that took effect.
    previews: BTreeSet<u64>,
}

fn parse<T: DeserializeOwned>(key: &str, object: &StoredObject) -> Result<T, String> {
    let value = serde_json::from_slice(&object.bytes);
    let mut value: Value = value.map_err(|error| format!("{key} is no JSON: {error}"))?;
    value.as_object_mut().and_then(|object| object.remove("schema"));
    serde_json::from_value(value).map_err(|error| format!("{key} is invalid: {error}"))
}

fn number(key: &str) -> Result<u64, String> {
    let name = key.rsplit('/').next().and_then(|name| name.strip_suffix(".json"));
    let number = name.and_then(|name| name.parse().ok());
    number.ok_or_else(|| format!("{key} has no number"))
}

/// Whether a deployment is in the bucket.
fn is_stored(objects: &Objects, number: u64) -> bool {
    let object = objects.get(&format!("deployments/{number}.json"));
    object.is_some_and(|object| object.bytes != DELETED)
}

fn release_id(key: &str) -> Result<ReleaseId, String> {
    let name = key.strip_suffix(".json").unwrap_or(key);
    let (name, version) = name
        .rsplit_once('/')
        .ok_or_else(|| format!("{key} is no release"))?;
    let name = name.rsplit('/').next().unwrap_or(name);
    Ok(ReleaseId {
        name: name.to_owned(),
        version: version.to_owned(),
    })
}

/// The names of the objects with the files of a release.
fn files_of(release: &Value) -> BTreeSet<String> {
    let files = release["files"].as_object().into_iter().flatten();
    files
        .filter_map(|(_, name)| name.as_str().map(str::to_owned))
        .collect()
}

impl Ledger {
    /// The newest state.
    pub(crate) fn current(&self) -> Option<&LiveState> {
        self.states.last().map(|(_, state)| state)
    }

    /// The state with this revision, and when it took effect.
    pub(crate) fn state(&self, revision: u64) -> Option<&(Instant, LiveState)> {
        self.states.get(usize::try_from(revision).ok()?.checked_sub(1)?)
    }

    /// Checks a write that has taken effect.
    pub(crate) fn written(&mut self, objects: &Objects, key: &str) -> Result<(), String> {
        let object = &objects[key];
        match key.split('/').next() {
            Some("live.json") => self.changed(objects, parse(key, object)?),
            Some("history") => self.recorded(number(key)?, &parse(key, object)?),
            Some("deployments") if object.bytes == DELETED => self.deployment_deleted(key),
            Some("deployments") => {
                let deployment: Deployment = parse(key, object)?;
                let number = number(key)?;
                let first = self
                    .deployments
                    .entry(number)
                    .or_insert_with(|| deployment.clone());
                if *first != deployment {
                    return Err(format!(
                        "deployment {number} changed from {first:?} to {deployment:?}"
                    ));
                }
                Ok(())
            }
            Some("releases") if object.bytes == DELETED => self.release_deleted(objects, key),
            Some("releases") => {
                let id = release_id(key)?;
                let release: Value = parse(key, object)?;
                let digest = release["record"]["digest"].to_string();
                let first = self.releases.entry(id.clone()).or_insert_with(|| digest.clone());
                if *first != digest {
                    return Err(format!("{id} changed from {first} to {digest}"));
                }
                let files = files_of(&release);
                for name in &files {
                    if !objects.contains_key(&format!("files/{name}")) {
                        return Err(format!("{id} is published without its file {name}"));
                    }
                }
                self.files.insert(id, files);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Checks a deletion that has taken effect.
    pub(crate) fn deleted(&mut self, objects: &Objects, key: &str) -> Result<(), String> {
        match key.split_once('/') {
            None | Some(("history" | "tombstones", _)) => Err(format!("{key} was deleted")),
            Some(("deployments", _)) => self.deployment_deleted(key),
            Some(("files", name)) => match self.files.iter().find(|(_, files)| files.contains(name)) {
                Some((id, _)) => Err(format!("{key} was deleted, but {id} has it")),
                None => Ok(()),
            },
            Some(("releases", _)) => self.release_deleted(objects, key),
            Some(_) => Ok(()),
        }
    }

    fn deployment_deleted(&self, key: &str) -> Result<(), String> {
        let number = number(key)?;
        let mut visible = self
            .current()
            .into_iter()
            .flat_map(|state| state.visible.numbers());
        if visible.any(|visible| visible == number) {
            return Err(format!("deployment {number} was deleted, but visitors see it"));
        }
        Ok(())
    }

    fn release_deleted(&mut self, objects: &Objects, key: &str) -> Result<(), String> {
        self.files.remove(&release_id(key)?);
        self.current()
            .map_or(Ok(()), |state| self.is_complete(objects, state))
    }

    /// Checks a new live state.
    fn changed(&mut self, objects: &Objects, state: LiveState) -> Result<(), String> {
        let revision = self.states.len() as u64 + 1;
        if state.revision() != revision {
            return Err(format!(
                "revision {} replaced revision {}",
                state.revision(),
                revision - 1
            ));
        }
        let before = self.current();
        let live_before = before.map(LiveState::live);
        if state.change.before != live_before || state.change.live != state.live() {
            let change = &state.change;
            return Err(format!("{change:?} replaced deployment {live_before:?}"));
        }
        if let Some(before) = before {
            let entry = objects.get(&format!("history/{}.json", before.revision()));
            let entry =
                entry.ok_or_else(|| format!("revision {} is not in the history", before.revision()))?;
            if parse::<Change>("history", entry)? != before.change {
                return Err(format!("the history has another revision {}", before.revision()));
            }
        }
        self.is_complete(objects, &state)?;
        if state.change.changed_live() && state.change.action != ChangeKind::Preview {
            let releases = |number| {
                self.deployments
                    .get(&number)
                    .map(|deployment| deployment.releases.clone())
            };
            let before = live_before.and_then(releases).unwrap_or_default();
            let expected = release_changes(&before, &releases(state.live()).unwrap_or_default());
            if state.change.sections != expected {
                let sections = &state.change.sections;
                return Err(format!(
                    "revision {revision} changed {expected:?}, but names {sections:?}"
                ));
            }
        }
        self.shown.extend(state.visible.numbers());
        self.previews.extend(state.change.candidate);
        self.states.push((Instant::now(), state));
        Ok(())
    }

    /// Checks that all that visitors see is in the bucket.
    fn is_complete(&self, objects: &Objects, state: &LiveState) -> Result<(), String> {
        for number in state.visible.numbers() {
            let missing = |what: &str| {
                format!(
                    "revision {}: {what} of deployment {number} is missing",
                    state.revision()
                )
            };
            if !is_stored(objects, number) {
                return Err(missing("the record"));
            }
            for id in self.deployments[&number].release_ids() {
                let files = self.files.get(&id);
                for name in files.ok_or_else(|| missing(&id.to_string()))? {
                    if !objects.contains_key(&format!("files/{name}")) {
                        return Err(missing(&format!("file {name} of {id}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether visitors see a release now.
    pub(crate) fn is_visible(&self, release: &ReleaseId) -> bool {
        let mut visible = self
            .current()
            .into_iter()
            .flat_map(|state| state.visible.numbers());
        visible.any(|number| self.deployments[&number].release_ids().any(|id| id == *release))
    }

    /// The numbers of the deployments of changes that took effect, and that are in the bucket now.
    /// One whose change failed can name a release that was deleted just before.
    pub(crate) fn stored_deployments(&self, objects: &Objects) -> Vec<u64> {
        let numbers = self.shown.union(&self.previews).copied();
        numbers.filter(|number| is_stored(objects, *number)).collect()
    }

    fn recorded(&self, revision: u64, change: &Change) -> Result<(), String> {
        match self.state(revision) {
            Some((_, state)) if state.change == *change => Ok(()),
            _ => Err(format!(
                "the history got revision {revision}, which is not what happened: {change:?}"
            )),
        }
    }

    /// Checks the bucket when all gateways are at rest.
    pub(crate) fn at_rest(&self, objects: &Objects) -> Result<(), String> {
        // Until the next change, only the live state is sure to have the newest one.
        let replaced = self.states.split_last().map(|(_, replaced)| replaced);
        for (_, state) in replaced.into_iter().flatten() {
            let revision = state.revision();
            let entry = objects.get(&format!("history/{revision}.json"));
            let entry = entry.ok_or_else(|| format!("revision {revision} is not in the history"))?;
            self.recorded(revision, &parse("history", entry)?)?;
        }
        for number in self.stored_deployments(objects) {
            for id in self.deployments[&number].release_ids() {
                let files = self.files.get(&id);
                for name in files.ok_or_else(|| format!("{id} is missing, but {number} names it"))? {
                    if !objects.contains_key(&format!("files/{name}")) {
                        return Err(format!("file {name} of {id} is missing, but {number} names it"));
                    }
                }
            }
        }
        Ok(())
    }
}
