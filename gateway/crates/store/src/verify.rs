//! Verifying a store: every digest, every reference, and the chain of changes.
//!
//! Nothing is changed or locked, so that a gateway can use the store meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde::Serialize;

use colonnade_model::deployment::{Change, Deployment, LiveState, ReleaseChange};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_web::content_negotiation::Coding;

use super::loaded::LoadedRelease;
use super::paths::{Paths, entry_names};
use super::read::{read_json, reject_link};
use super::{ListedFile, StoreError, StoredRelease};

/// Whether a store can serve the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// Nothing is wrong.
    Ok,
    /// Something is wrong, but a gateway starts.
    Problems,
    /// A gateway does not start.
    Unusable,
}

/// The result of verifying a store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whether it can serve the site.
    pub health: Health,
    /// The revision of the live state; 0 before the first deploy.
    pub revision: u64,
    /// The live deployment, if it is known.
    pub live: Option<u64>,
    /// The number of verified releases.
    pub releases: usize,
    /// The number of verified files of releases, with their compressed variants.
    pub files: usize,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
    /// The releases of the deployments that visitors see.
    pub visible: Vec<VisibleRelease>,
}

/// One problem.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The path of the file in the store.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A release that visitors see.
#[derive(Debug, Serialize)]
pub struct VisibleRelease {
    /// The release: `name@version`.
    pub release: String,
    /// The deployments that contain it.
    pub deployments: Vec<u64>,
    /// What a gateway serves of it.
    pub serves: Serves,
}

/// What a gateway serves of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Serves {
    /// All of it.
    All,
    /// All except the damaged files.
    Partly,
    /// Nothing.
    Nothing,
}

/// Verifies the store in a folder.
pub fn verify(folder: &Path) -> Result<Report, StoreError> {
    // Absolute and without links, as in a gateway.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut verifier = Verifier {
        paths: Paths::of(&folder),
        folder: &folder,
        report: Report {
            health: Health::Ok,
            revision: 0,
            live: None,
            releases: 0,
            files: 0,
            problems: Vec::new(),
            visible: Vec::new(),
        },
        serves: BTreeMap::new(),
    };
    verifier.run()?;
    Ok(verifier.report)
}

struct Verifier<'a> {
    paths: Paths,
    folder: &'a Path,
    report: Report,
    /// What a gateway serves of each release.
    serves: BTreeMap<String, Serves>,
}

impl Verifier<'_> {
    fn run(&mut self) -> Result<(), StoreError> {
        if !self.folder.is_dir() {
            self.unusable("", &"there is no such folder");
            return Ok(());
        }
        if let Err(error) = self.paths.reject_incomplete() {
            self.unusable("live.json", &error);
        }
        for (name, error) in self.linked_folders() {
            self.unusable(&name, &error);
        }
        let state = match self.paths.live_state() {
            Ok(state) => state,
            Err(error) => {
                self.unusable("live.json", &error);
                None
            }
        };
        if let Err(error) = self.paths.keys(KeyPurpose::Previews) {
            self.unusable("preview-keys.json", &error);
        } else {
            self.check_keys("preview-keys.json", KeyPurpose::Previews);
        }
        self.check_keys("ticket-keys.json", KeyPurpose::Tickets);
        for id in self.paths.releases()? {
            self.check_release(&id);
        }
        self.check_tombstones()?;
        let mut deployments = BTreeMap::new();
        for number in self.paths.deployments()? {
            self.check_deployment(number, &mut deployments);
        }
        if let Some(state) = &state {
            self.report.revision = state.revision();
            self.report.live = Some(state.live());
            self.check_visible(state, &deployments);
        }
        self.check_history(state.as_ref(), &deployments)
    }

    /// Checks that keys are readable. A gateway replaces damaged ones.
    fn check_keys(&mut self, file: &str, purpose: KeyPurpose) {
        let keys: Result<Option<RotatingKeys>, _> = read_json(self.paths.key_file(purpose));
        if let Err(error) = keys {
            self.problem(file, &error);
        }
    }

    /// The folders of the store that are links, with the errors.
    fn linked_folders(&self) -> Vec<(String, StoreError)> {
        let folders = self.paths.folders().into_iter().filter_map(|folder| {
            let name = folder.file_name()?.to_string_lossy().into_owned();
            Some((name, reject_link(folder).err()?))
        });
        folders.collect()
    }

    /// Checks a release and all its files. A release that garbage collection deletes in the meantime is no problem.
    fn check_release(&mut self, id: &ReleaseId) {
        let name = format!("releases/{}/{}", id.name, id.version);
        let mut problems = Vec::new();
        let mut files = 0;
        let serves = match self.paths.release(id) {
            Ok(Some(stored)) => {
                files = self.check_files(id, &stored, &mut problems);
                match LoadedRelease::new(id, stored) {
                    Ok(_) if problems.is_empty() => Serves::All,
                    Ok(_) => Serves::Partly,
                    Err(error) => {
                        problems.push((name.clone(), error.to_string()));
                        Serves::Nothing
                    }
                }
            }
            Ok(None) => {
                problems.push((name.clone(), "release.json or stored.json is missing".to_owned()));
                Serves::Nothing
            }
            Err(error) => {
                problems.push((name.clone(), error.to_string()));
                Serves::Nothing
            }
        };
        if self
            .paths
            .release_folder(id)
            .is_some_and(|folder| !folder.exists())
        {
            return;
        }
        self.report.releases += 1;
        self.report.files += files;
        for (file, problem) in problems {
            self.problem(&file, &problem);
        }
        self.serves.insert(id.to_string(), serves);
    }

    fn check_files(
        &self,
        id: &ReleaseId,
        stored: &StoredRelease,
        problems: &mut Vec<(String, String)>,
    ) -> usize {
        let StoredRelease { release, record } = stored;
        let mut count = 0;
        if release.name != id.name || release.version != id.version {
            let problem = format!("release.json is of {}@{}", release.name, release.version);
            problems.push((format!("releases/{}/{}", id.name, id.version), problem));
        }
        for file in &release.files {
            let variants = record.variants.get(&file.path).into_iter().flatten();
            for coding in std::iter::once(&Coding::Identity).chain(variants) {
                count += 1;
                let problem = match self.paths.release_file(id, ListedFile::from(file), *coding) {
                    Ok(Some(_)) => continue,
                    Ok(None) | Err(StoreError::MissingFile(_)) => format!("its {coding} form is missing"),
                    Err(StoreError::Damaged { .. }) => format!("its {coding} form does not match its digest"),
                    Err(error) => error.to_string(),
                };
                let path = format!("releases/{}/{}/{}", id.name, id.version, file.path);
                problems.push((path, problem));
            }
        }
        count
    }

    /// Checks that the tombstones are readable: a damaged one prevents that its version is published.
    fn check_tombstones(&mut self) -> Result<(), StoreError> {
        for name in entry_names(&self.paths.tombstones)? {
            for file in entry_names(&self.paths.tombstones.join(&name))? {
                let version = file.strip_suffix(".json").unwrap_or(&file).to_owned();
                let id = ReleaseId {
                    name: name.clone(),
                    version,
                };
                if let Err(error) = self.paths.tombstone(&id) {
                    self.problem(&format!("tombstones/{name}/{file}"), &error);
                }
            }
        }
        Ok(())
    }

    fn check_deployment(&mut self, number: u64, deployments: &mut BTreeMap<u64, Deployment>) {
        let file = format!("deployments/{number}.json");
        let deployment: Deployment = match read_json(&self.paths.deployment(number)) {
            Ok(Some(deployment)) => deployment,
            // Garbage collection has just deleted it.
            Ok(None) => return,
            Err(error) => return self.problem(&file, &error),
        };
        if deployment.number != number {
            self.problem(&file, &format_args!("it is deployment {}", deployment.number));
        }
        let missing: Vec<String> = deployment
            .release_ids()
            .map(|id| id.to_string())
            .filter(|id| !self.serves.contains_key(id))
            .collect();
        if !missing.is_empty() && self.paths.deployment(number).exists() {
            self.problem(
                &file,
                &format_args!("it names missing releases: {}", missing.join(", ")),
            );
        }
        deployments.insert(number, deployment);
    }

    /// Checks the deployments that visitors see. A gateway needs all of them, with their shells.
    fn check_visible(&mut self, state: &LiveState, deployments: &BTreeMap<u64, Deployment>) {
        let mut visible: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for number in state.visible.deployments() {
            let Some(deployment) = deployments.get(number) else {
                self.unusable(
                    "live.json",
                    &format_args!("visitors see deployment {number}, which is missing or damaged"),
                );
                continue;
            };
            for id in deployment.release_ids() {
                visible.entry(id.to_string()).or_default().push(*number);
            }
        }
        for (release, deployments) in visible {
            let serves = self.serves.get(&release).copied().unwrap_or(Serves::Nothing);
            let is_shell = release.starts_with(&format!("{SHELL}@"));
            if is_shell && serves == Serves::Nothing {
                self.unusable(
                    "live.json",
                    &format_args!("visitors see {release}, which is missing or damaged"),
                );
            }
            self.report.visible.push(VisibleRelease {
                release,
                deployments,
                serves,
            });
        }
    }

    /// Checks that the history has every change up to that of the live state, and no other, and that it leads to the stored
    /// deployments.
    fn check_history(
        &mut self,
        state: Option<&LiveState>,
        deployments: &BTreeMap<u64, Deployment>,
    ) -> Result<(), StoreError> {
        let newest = state.map(|state| &state.change);
        let revisions: BTreeSet<u64> = self.paths.revisions()?.into_iter().collect();
        let mut before: Option<Change> = None;
        // What is live after each change; `None` if that is unknown.
        let mut live = Some(BTreeMap::new());
        for revision in 1..newest.map_or(0, |change| change.revision) {
            let change = self.change(revision);
            if let (Some(before), Some(change)) = (&before, &change) {
                self.check_successor(before, change);
            }
            live = self.check_releases(live, change.as_ref(), deployments);
            before = change;
        }
        let Some(newest) = newest else { return Ok(()) };
        if let Some(before) = &before {
            self.check_successor(before, newest);
        }
        self.check_releases(live, Some(newest), deployments);
        for revision in revisions.range(newest.revision..) {
            let problem = match read_json::<Change>(&self.paths.history_entry(*revision)) {
                Ok(Some(change)) if change == *newest => continue,
                Ok(_) => "it is not a change of this timeline; the next changes replace it".to_owned(),
                Err(error) => error.to_string(),
            };
            // Another gateway may make changes in the meantime.
            if self.paths.live_state()?.as_ref() == state {
                self.problem(&format!("history/{revision}.json"), &problem);
            }
        }
        Ok(())
    }

    /// Checks that a change replaces the releases that were live, and that the deployment which it made live has the others.
    /// Returns the releases that are live after it.
    fn check_releases(
        &mut self,
        live: Option<BTreeMap<String, String>>,
        change: Option<&Change>,
        deployments: &BTreeMap<u64, Deployment>,
    ) -> Option<BTreeMap<String, String>> {
        let change = change?;
        if !change.changed_live() {
            return live;
        }
        let stored = deployments
            .get(&change.live)
            .map(|deployment| &deployment.releases);
        let before = live.as_ref();
        let is_successor = before.is_none_or(|live| {
            let mut sections = change.sections.iter();
            sections.all(|(name, ReleaseChange { from, .. })| live.get(name) == from.as_ref())
        });
        let after = live.map(|mut live| {
            for (name, ReleaseChange { to, .. }) in &change.sections {
                match to {
                    Some(to) => drop(live.insert(name.clone(), to.clone())),
                    None => drop(live.remove(name)),
                }
            }
            live
        });
        let is_stored = stored.is_none_or(|stored| {
            let mut sections = change.sections.iter();
            after.as_ref().is_none_or(|after| after == stored)
                && sections.all(|(name, ReleaseChange { to, .. })| stored.get(name) == to.as_ref())
        });
        let problem = if !is_successor {
            "it replaces other releases than those that were live before it".to_owned()
        } else if !is_stored {
            let number = change.live;
            format!("deployments/{number}.json has other releases than this change")
        } else {
            return after.or_else(|| stored.cloned());
        };
        self.problem(&format!("history/{}.json", change.revision), &problem);
        // One of these files is wrong, so the live deployment is unknown.
        None
    }

    /// An entry of the history.
    fn change(&mut self, revision: u64) -> Option<Change> {
        let file = format!("history/{revision}.json");
        let change: Change = match read_json(&self.paths.history_entry(revision)) {
            Ok(Some(change)) => change,
            Ok(None) => {
                self.problem(&file, &"it is missing; the history ends before it");
                return None;
            }
            Err(error) => {
                self.problem(&file, &error);
                return None;
            }
        };
        if change.revision != revision || change.previous >= revision {
            self.problem(&file, &"it is not the change of its revision");
        }
        Some(change)
    }

    fn check_successor(&mut self, before: &Change, change: &Change) {
        if change.before != Some(before.live) {
            let file = format!("history/{}.json", before.revision);
            let problem = format!(
                "deployment {} was live after it, but the next change replaced another",
                before.live
            );
            self.problem(&file, &problem);
        }
    }

    fn problem(&mut self, file: &str, problem: &dyn fmt::Display) {
        self.report.health = self.report.health.max(Health::Problems);
        // Errors of the store name the whole path.
        let prefix = format!("{}/", self.folder.display());
        self.report.problems.push(Problem {
            file: file.to_owned(),
            problem: problem.to_string().replace(&prefix, ""),
        });
    }

    fn unusable(&mut self, file: &str, problem: &dyn fmt::Display) {
        self.problem(file, problem);
        self.report.health = Health::Unusable;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Problem { file, problem } in &self.problems {
            writeln!(f, "{file}: {problem}")?;
        }
        for visible in &self.visible {
            let serves = match visible.serves {
                Serves::All => continue,
                Serves::Partly => "serves except for its damaged files",
                Serves::Nothing => "does not serve",
            };
            let numbers: Vec<String> = visible.deployments.iter().map(u64::to_string).collect();
            let (release, numbers) = (&visible.release, numbers.join(", "));
            writeln!(f, "{release} {serves} (in deployment {numbers})")?;
        }
        let verdict = match self.health {
            Health::Ok => "ok",
            Health::Problems => "problems; the rest of the site serves",
            Health::Unusable => "unusable; a gateway does not start with this store",
        };
        let Report {
            revision,
            releases,
            files,
            ..
        } = self;
        write!(
            f,
            "{verdict}: revision {revision}, {releases} releases with {files} files verified"
        )
    }
}
