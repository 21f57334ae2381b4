//! One deployment's releases put together, and the checks that only the whole set can fail.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use semver::Version;

use super::Deployment;
use super::answer::{PageAnswer, SlotAnswer};
use super::served::{Frame, Parts, Role, Served};
use crate::pattern::{RequestPath, Table};
use crate::release::{Range, SHELL};

/// A deployment ready to be served.
#[derive(Debug)]
pub(crate) struct Set {
    /// Its record.
    pub(crate) deployment: Deployment,
    /// What the shell puts around every page.
    pub(crate) frame: Arc<Frame>,
    /// Which section fills each slot of the shell.
    pub(crate) slots: BTreeMap<String, Arc<SlotAnswer>>,
    /// All its releases.
    pub(crate) releases: Vec<Arc<Served>>,
    /// What search engines are told of it: made when somebody first asks, and shared by all who do.
    pub(crate) sitemap: OnceLock<Bytes>,
    routes: Table<Arc<PageAnswer>>,
}

impl Set {
    /// Puts releases together, or says everything that keeps them apart.
    pub(crate) fn assemble(deployment: Deployment, releases: Vec<Arc<Served>>) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut shell = None;
        let mut routes = Table::default();
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
            problems.push(format!("the set has no `{SHELL}`"));
            return Err(problems);
        };
        for release in &releases {
            if matches!(release.role, Role::Section(_)) {
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
            sitemap: OnceLock::new(),
            routes,
            releases,
        })
    }

    /// Its number.
    pub(crate) fn number(&self) -> u64 {
        self.deployment.number
    }

    /// The page a path belongs to.
    pub(crate) fn page(&self, path: &RequestPath) -> Option<&Arc<PageAnswer>> {
        self.routes.find(path).map(|(_, answer)| answer)
    }

    /// For each page that names paths, the first of them.
    pub(crate) fn examples(&self) -> impl Iterator<Item = (&PageAnswer, &str)> {
        let pages = self.releases.iter().flat_map(|release| release.paths());
        pages.filter_map(|(page, paths)| Some((page, paths.first()?.as_str())))
    }

    /// Every path that a page names.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&PageAnswer, &str)> {
        let pages = self.releases.iter().flat_map(|release| release.paths());
        pages.flat_map(|(page, paths)| paths.iter().map(move |path| (page, path.as_str())))
    }

    /// The release of a name.
    pub(crate) fn release(&self, name: &str) -> Option<&Arc<Served>> {
        self.releases.iter().find(|release| release.id.name == name)
    }

    /// The paths that search engines may list, section by section.
    pub(crate) fn indexable(&self) -> impl Iterator<Item = &str> {
        self.releases
            .iter()
            .flat_map(|release| release.indexable())
            .map(String::as_str)
    }
}

fn add_pages(
    routes: &mut Table<Arc<PageAnswer>>,
    section: &Served,
    parts: &Parts,
    problems: &mut Vec<String>,
) {
    for (pattern, answer) in &parts.pages {
        if let Err((there, other)) = routes.insert(pattern.clone(), Arc::clone(answer)) {
            problems.push(format!(
                "pattern `{there}` of {} and pattern `{pattern}` of {} collide",
                other.section.name, section.id.name
            ));
        }
    }
}

fn add_slots(
    slots: &mut BTreeMap<String, Arc<SlotAnswer>>,
    section: &Served,
    parts: &Parts,
    problems: &mut Vec<String>,
) {
    for (name, answer) in &parts.slots {
        if let Some(other) = slots.insert(name.clone(), Arc::clone(answer)) {
            problems.push(format!(
                "slot `{name}` is filled by both {} and {}",
                other.section.name, section.id.name
            ));
        }
    }
}

fn check_shared(shell: &Served, section: &Served, problems: &mut Vec<String>) {
    for (package, range) in &section.shared {
        let provided = shell.shared.get(package);
        let version = provided.and_then(|version| Version::parse(version).ok());
        let fits = Range::parse(range)
            .zip(version)
            .is_some_and(|(range, version)| range.admits(&version));
        if !fits {
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
