//! The releases of one deployment assembled for serving, and the checks of their combination.

use std::collections::BTreeMap;
use std::sync::Arc;

use semver::Version;
use tokio::sync::OnceCell;

use colonnade_model::deployment::Deployment;
use colonnade_model::pattern::{PatternTable, RequestPath};
use colonnade_model::release::{ReleaseId, SHELL, VersionRange};
use colonnade_web::encoded_content::EncodedContent;

use super::manifest::{PageManifest, SlotManifest};
use super::release::{LoadedRelease, Role, SectionParts, ShellFrame};

/// A deployment, ready to serve.
#[derive(Debug)]
pub struct LoadedDeployment {
    /// Its record.
    pub deployment: Deployment,
    /// The shell's part of every document.
    pub frame: Arc<ShellFrame>,
    /// The section that fills each slot of the shell, by slot name.
    pub slots: BTreeMap<String, Arc<SlotManifest>>,
    /// All its releases.
    pub releases: Vec<Arc<LoadedRelease>>,
    /// The releases of sections that cannot be loaded. The rest of the deployment is served without
    /// them.
    pub unavailable: Vec<UnavailableRelease>,
    /// The files of the sitemap, encoded at the first request.
    pub sitemap: OnceCell<Vec<EncodedContent>>,
    routes: PatternTable<Arc<PageManifest>>,
}

/// A release that is missing or damaged.
#[derive(Debug, Clone)]
pub struct UnavailableRelease {
    /// The release.
    pub id: ReleaseId,
    /// Why it cannot be loaded.
    pub error: String,
}

impl LoadedDeployment {
    /// Assembles the releases of a deployment.
    ///
    /// # Errors
    /// All problems of the combination: no shell, colliding patterns, slots filled twice, different
    /// contracts, unmet shared packages.
    pub fn assemble(deployment: Deployment, releases: Vec<Arc<LoadedRelease>>) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut shell = None;
        let mut routes = PatternTable::default();
        let mut slots = BTreeMap::new();
        for release in &releases {
            match &release.role {
                Role::Shell(frame) => shell = Some((release, frame)),
                Role::Section(parts) => {
                    add_pages(&mut routes, release, parts, &mut problems);
                    add_slots(&mut slots, release, parts, &mut problems);
                }
            }
        }
        let Some((shell, frame)) = shell else {
            problems.push(format!("the deployment has no `{SHELL}`"));
            return Err(problems);
        };
        for release in &releases {
            if matches!(release.role, Role::Section(_)) {
                check_contract(shell, release, &mut problems);
                check_shared(shell, release, &mut problems);
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            deployment,
            frame: Arc::clone(frame),
            slots,
            unavailable: Vec::new(),
            sitemap: OnceCell::new(),
            routes,
            releases,
        })
    }

    /// The deployment's number.
    pub fn number(&self) -> u64 {
        self.deployment.number
    }

    /// The page that matches a path.
    pub fn page(&self, path: &RequestPath) -> Option<&Arc<PageManifest>> {
        self.routes.find(path).map(|(_, page)| page)
    }

    /// The first named path of each page that names paths.
    pub fn example_paths(&self) -> impl Iterator<Item = (&PageManifest, &str)> {
        let pages = self.releases.iter().flat_map(|release| release.named_paths());
        pages.filter_map(|(page, paths)| Some((page, &**paths.first()?)))
    }

    /// All named paths of all pages.
    pub fn named_paths(&self) -> impl Iterator<Item = (&PageManifest, &str)> {
        let pages = self.releases.iter().flat_map(|release| release.named_paths());
        pages.flat_map(|(page, paths)| paths.iter().map(move |path| (page, &**path)))
    }

    /// The release with this name.
    pub fn release(&self, name: &str) -> Option<&Arc<LoadedRelease>> {
        self.releases.iter().find(|release| release.id.name == name)
    }

    /// The named paths that search engines may index, by section.
    pub fn indexable_paths(&self) -> impl Iterator<Item = &str> {
        self.releases.iter().flat_map(|release| release.indexable_paths())
    }

    /// Whether search engines may index a path.
    pub fn is_indexable(&self, path: &str) -> bool {
        self.releases.iter().any(|release| release.is_indexable(path))
    }
}

fn add_pages(
    routes: &mut PatternTable<Arc<PageManifest>>,
    section: &LoadedRelease,
    parts: &SectionParts,
    problems: &mut Vec<String>,
) {
    for (pattern, page) in &parts.pages {
        if let Err((existing, other)) = routes.insert(pattern.clone(), Arc::clone(page)) {
            problems.push(format!(
                "pattern `{existing}` of {} and pattern `{pattern}` of {} collide",
                other.section.name, section.id.name
            ));
        }
    }
}

fn add_slots(
    slots: &mut BTreeMap<String, Arc<SlotManifest>>,
    section: &LoadedRelease,
    parts: &SectionParts,
    problems: &mut Vec<String>,
) {
    for (name, slot) in &parts.slots {
        if let Some(other) = slots.insert(name.clone(), Arc::clone(slot)) {
            problems.push(format!(
                "slot `{name}` is filled by both {} and {}",
                other.section.name, section.id.name
            ));
        }
    }
}

fn check_contract(shell: &LoadedRelease, section: &LoadedRelease, problems: &mut Vec<String>) {
    if section.contract != shell.contract {
        problems.push(format!(
            "{} has contract {}; {} has contract {}",
            section.id, section.contract, shell.id, shell.contract
        ));
    }
}

fn check_shared(shell: &LoadedRelease, section: &LoadedRelease, problems: &mut Vec<String>) {
    for (package, range) in &section.shared {
        let provided = shell.shared.get(package);
        let version = provided.and_then(|version| Version::parse(version).ok());
        let is_met = VersionRange::parse(range)
            .zip(version)
            .is_some_and(|(range, version)| range.contains(&version));
        if !is_met {
            let provided = provided.map_or("does not provide it".to_owned(), |version| {
                format!("provides {version}")
            });
            problems.push(format!(
                "{} needs `{package}` {range}; {} {provided}",
                section.id, shell.id
            ));
        }
    }
}
