//! Verifying a store: every digest, every reference, and the chain of changes.
//!
//! Nothing is changed or locked, so that a gateway can use the store meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use colonnade_model::deployment::{Change, Deployment, LiveState, ReleaseChange};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_web::content_negotiation::Coding;

use crate::error::StoreError;
use crate::inner::Inner;
use crate::keys::{FOLDERS, deployment_key, history_key, keys_key, release_id, release_key};
use crate::loaded::LoadedRelease;
use crate::metrics::StoreMetrics;
use crate::objects::Objects;
use crate::place::Place;
use crate::published::Tombstone;
use crate::scratch::Scratch;
use crate::types::{ListedFile, StoredRelease, file_path};

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

/// Verifies a store.
///
/// # Errors
/// If it cannot be read.
pub async fn verify(place: &Place) -> Result<Report, StoreError> {
    let mut report = Report {
        health: Health::Ok,
        revision: 0,
        live: None,
        releases: 0,
        files: 0,
        problems: Vec::new(),
        visible: Vec::new(),
    };
    let whole = place.existing().await;
    let objects = match (place.objects(), &whole) {
        (Ok(objects), Err(error)) if !error.is_away() => {
            report.add("store.json", error, "", Health::Unusable);
            objects
        }
        (Ok(objects), _) => {
            whole?;
            objects
        }
        (Err(error), _) => {
            report.add("", &error, "", Health::Unusable);
            return Ok(report);
        }
    };
    let scratch = Scratch {
        folder: std::env::temp_dir(),
    };
    let mut verifier = Verifier {
        root: format!("{}", objects.path("").display()),
        store: Arc::new(Inner::new(objects, scratch, StoreMetrics::default())),
        report,
        serves: BTreeMap::new(),
    };
    verifier.run().await?;
    Ok(verifier.report)
}

struct Verifier {
    store: Arc<Inner>,
    /// What errors of the store begin with.
    root: String,
    report: Report,
    /// What a gateway serves of each release.
    serves: BTreeMap<String, Serves>,
}

impl Report {
    fn add(&mut self, file: &str, problem: &dyn fmt::Display, root: &str, health: Health) {
        self.health = self.health.max(health);
        let problem = problem.to_string();
        self.problems.push(Problem {
            file: file.to_owned(),
            problem: if root.is_empty() {
                problem
            } else {
                problem.replace(root, "")
            },
        });
    }
}

impl Verifier {
    async fn run(&mut self) -> Result<(), StoreError> {
        if !self.check_folders().await {
            return Ok(());
        }
        let state = match self.store.live_state().await {
            Err(error) if error.is_away() => return Err(error),
            Err(error) => {
                self.unusable("live.json", &error);
                None
            }
            Ok(state) => state,
        };
        for purpose in [KeyPurpose::Previews, KeyPurpose::Tickets] {
            self.check_keys(purpose).await;
        }
        for id in self.store.releases(None).await? {
            self.check_release(&id).await;
        }
        self.check_tombstones().await?;
        let mut deployments = BTreeMap::new();
        for number in self.store.deployments().await? {
            self.check_deployment(number, &mut deployments).await;
        }
        match &state {
            Some(state) => {
                self.report.revision = state.revision();
                self.report.live = Some(state.live());
                self.check_visible(state, &deployments);
            }
            None if !deployments.is_empty() && self.report.health != Health::Unusable => {
                self.unusable("live.json", &StoreError::HistoryMissing);
            }
            None => {}
        }
        self.check_history(state.as_ref(), &deployments).await
    }

    fn objects(&self) -> Arc<dyn Objects> {
        Arc::clone(&self.store.objects)
    }

    /// Checks that keys are readable. A gateway replaces damaged ones, but not those of a newer
    /// gateway.
    async fn check_keys(&mut self, purpose: KeyPurpose) {
        let file = keys_key(purpose);
        match self.objects().read::<RotatingKeys>(file).await {
            Err(error @ StoreError::NewerSchema { .. }) => self.unusable(file, &error),
            Err(error) => self.problem(file, &error),
            Ok(_) => {}
        }
    }

    /// Checks that the folders of a store can be read: they must not be links.
    async fn check_folders(&mut self) -> bool {
        for folder in FOLDERS {
            if let Err(error) = self.objects().list(folder).await {
                self.unusable(folder, &error);
            }
        }
        self.report.problems.is_empty()
    }

    /// Checks a release and all its files. A release that garbage collection deletes in the
    /// meantime is no problem.
    async fn check_release(&mut self, id: &ReleaseId) {
        let name = release_key(id);
        let mut problems = Vec::new();
        let mut files = 0;
        let serves = match self.store.release(id).await {
            Ok(Some(stored)) => {
                files = self.check_files(id, &stored, &mut problems).await;
                match LoadedRelease::new(id, stored) {
                    Ok(_) if problems.is_empty() => Serves::All,
                    Ok(_) => Serves::Partly,
                    Err(error) => {
                        problems.push((name, error.to_string()));
                        Serves::Nothing
                    }
                }
            }
            Ok(None) => return,
            Err(error) => {
                problems.push((name, error.to_string()));
                Serves::Nothing
            }
        };
        if !problems.is_empty() && matches!(self.store.published(id).await, Ok(None)) {
            return;
        }
        self.report.releases += 1;
        self.report.files += files;
        for (file, problem) in problems {
            self.problem(&file, &problem);
        }
        self.serves.insert(id.to_string(), serves);
    }

    async fn check_files(
        &self,
        id: &ReleaseId,
        stored: &StoredRelease,
        problems: &mut Vec<(String, String)>,
    ) -> usize {
        let StoredRelease { release, record } = stored;
        let mut count = 0;
        if release.name != id.name || release.version != id.version {
            let problem = format!("release.json is of {}@{}", release.name, release.version);
            problems.push((release_key(id), problem));
        }
        for file in &release.files {
            let variants = record.variants.get(&file.path).into_iter().flatten();
            for coding in std::iter::once(&Coding::Identity).chain(variants) {
                count += 1;
                let path = file_path(&file.path, *coding);
                let problem = match self.store.read_file(id, ListedFile::from(file), *coding).await {
                    Ok(Some(_)) => continue,
                    Ok(None) => "the file is missing".to_owned(),
                    Err(error) => error.to_string(),
                };
                problems.push((release_key(id), format!("{path}: {problem}")));
            }
        }
        count
    }

    /// Checks that the tombstones are readable: a damaged one prevents that its version is
    /// published.
    async fn check_tombstones(&mut self) -> Result<(), StoreError> {
        for listed in self.objects().list("tombstones").await? {
            let file = format!("tombstones/{}", listed.name);
            if release_id(&listed.name).is_some()
                && let Err(error) = self.objects().read::<Tombstone>(&file).await
            {
                self.problem(&file, &error);
            }
        }
        Ok(())
    }

    async fn check_deployment(&mut self, number: u64, deployments: &mut BTreeMap<u64, Deployment>) {
        let file = deployment_key(number);
        let deployment = match self.store.deployment(number).await {
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
        if !missing.is_empty() && matches!(self.store.deployment(number).await, Ok(Some(_))) {
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
        for number in state.visible.numbers() {
            let Some(deployment) = deployments.get(&number) else {
                self.unusable(
                    "live.json",
                    &format_args!("visitors see deployment {number}, which is missing or damaged"),
                );
                continue;
            };
            for id in state.visible_ids(deployment) {
                visible.entry(id.to_string()).or_default().push(number);
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

    /// Checks that the history has every change up to that of the live state, and no other, and
    /// that it leads to the stored deployments.
    async fn check_history(
        &mut self,
        state: Option<&LiveState>,
        deployments: &BTreeMap<u64, Deployment>,
    ) -> Result<(), StoreError> {
        let newest = state.map(|state| &state.change);
        let revisions: BTreeSet<u64> = self.store.revisions().await?.into_iter().collect();
        let mut before: Option<Change> = None;
        // What is live after each change; `None` if that is unknown.
        let mut live = Some(BTreeMap::new());
        for revision in 1..newest.map_or(0, |change| change.revision) {
            let change = self.change(revision).await;
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
            let problem = match self.store.history_entry(*revision).await {
                Ok(Some(change)) if change == *newest => continue,
                Ok(_) => "it is not a change of this timeline; the next changes replace it".to_owned(),
                Err(error) => error.to_string(),
            };
            // Another gateway may make changes in the meantime.
            if self.store.live_state().await?.as_ref() == state {
                self.problem(&history_key(*revision), &problem);
            }
        }
        Ok(())
    }

    /// Checks that a change replaces the releases that were live, and that the deployment which it
    /// made live has the others. Returns the releases that are live after it.
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
        self.problem(&history_key(change.revision), &problem);
        // One of these files is wrong, so the live deployment is unknown.
        None
    }

    /// An entry of the history.
    async fn change(&mut self, revision: u64) -> Option<Change> {
        let file = history_key(revision);
        let change = match self.store.history_entry(revision).await {
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
            let file = history_key(before.revision);
            let problem = format!(
                "deployment {} was live after it, but the next change replaced another",
                before.live
            );
            self.problem(&file, &problem);
        }
    }

    fn problem(&mut self, file: &str, problem: &dyn fmt::Display) {
        self.report.add(file, problem, &self.root, Health::Problems);
    }

    fn unusable(&mut self, file: &str, problem: &dyn fmt::Display) {
        self.report.add(file, problem, &self.root, Health::Unusable);
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
