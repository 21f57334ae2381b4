//! The releases of one deployment assembled for serving, and the checks that they fit each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use semver::Version;
use tokio::sync::OnceCell;

use colonnade_model::deployment::{Deployment, SetName};
use colonnade_model::extension_rules::ExtensionRules;
use colonnade_model::pattern::{PatternTable, RequestPath};
use colonnade_model::release::{
    NavigationEntry, PointReference, ReleaseId, SHELL, SharedPackages, VersionRange, omitted_use,
};
use colonnade_web::encoded_content::EncodedContent;

use crate::loaded::filled_points::{FilledPoints, LeftOut};
use crate::loaded::manifest::{ExtensionManifest, PageManifest};
use crate::loaded::navigation::Navigation;
use crate::loaded::release::{LoadedRelease, Role, SectionParts, ShellFrame};

/// The releases that some visitors get, ready to serve: those of a live deployment with the changes
/// of some candidates. Or those of a preview.
#[derive(Debug, Clone)]
pub struct LoadedDeployment {
    /// The name of the set.
    pub set: SetName,
    /// The name of the set as text.
    pub name: Arc<str>,
    /// The record of the live deployment, without the changes of the candidates.
    pub deployment: Arc<Deployment>,
    /// The shell's part of every document.
    pub frame: Arc<ShellFrame>,
    /// All its releases.
    pub releases: Vec<Arc<LoadedRelease>>,
    /// The releases of sections that cannot be loaded. The rest is served without them.
    pub unavailable: Vec<UnavailableRelease>,
    /// The links that its sections contribute to the navigation. One that is unavailable has none.
    pub navigation: Navigation,
    /// The files of the sitemap, encoded at the first request.
    pub sitemap: OnceCell<Vec<EncodedContent>>,
    /// What operators decide about its extensions.
    pub rules: Arc<ExtensionRules>,
    routes: Arc<Routes>,
    points: FilledPoints,
    candidates: Vec<Arc<LoadedCandidate>>,
    /// Whether each document is another one than without the candidates.
    changes_all_pages: bool,
    /// The extension points that the sections which the candidates change fill, with or without
    /// them.
    changed_points: BTreeSet<PointReference>,
}

/// The changes of a candidate, ready to serve.
#[derive(Debug)]
pub struct LoadedCandidate {
    /// Its record.
    pub deployment: Arc<Deployment>,
    /// Those of its releases that it changes.
    pub releases: Vec<Arc<LoadedRelease>>,
    /// Those that cannot be loaded.
    pub unavailable: Vec<UnavailableRelease>,
    routes: Routes,
}

type Routes = PatternTable<Arc<PageManifest>>;

/// A release that is missing or damaged.
#[derive(Debug, Clone)]
pub struct UnavailableRelease {
    /// The release.
    pub id: ReleaseId,
    /// Why it cannot be loaded.
    pub error: String,
    /// What is known of it, if anything.
    pub known: Option<Arc<LoadedRelease>>,
}

impl LoadedDeployment {
    /// Assembles the releases of a deployment, with these rules for its extensions.
    ///
    /// # Errors
    /// All problems: no shell, colliding patterns, different contracts, unmet shared packages.
    pub fn assemble(
        deployment: Arc<Deployment>,
        releases: Vec<Arc<LoadedRelease>>,
        unavailable: Vec<UnavailableRelease>,
        rules: Arc<ExtensionRules>,
    ) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut shell = None;
        let mut routes = PatternTable::default();
        let known = unavailable.iter().filter_map(|each| each.known.as_ref());
        let all: Vec<&Arc<LoadedRelease>> = releases.iter().chain(known).collect();
        for release in all.iter().copied() {
            match &release.role {
                Role::Shell(frame) => shell = Some((release, frame)),
                Role::Section(parts) => add_pages(&mut routes, release, parts, &mut problems),
            }
        }
        let Some((shell, frame)) = shell else {
            problems.push(format!("the deployment has no `{SHELL}`"));
            return Err(problems);
        };
        for release in all {
            if matches!(release.role, Role::Section(_)) {
                check_contract(shell, release, &mut problems);
                check_shared(shell, release, &mut problems);
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let set = SetName::of_live(deployment.number);
        let frame = Arc::clone(frame);
        Ok(Self {
            name: set.to_string().into(),
            set,
            deployment,
            points: FilledPoints::of(&releases, &frame, &rules),
            frame,
            unavailable,
            sitemap: OnceCell::new(),
            routes: Arc::new(routes),
            rules,
            navigation: Navigation::of(&releases),
            candidates: Vec::new(),
            changes_all_pages: false,
            changed_points: BTreeSet::new(),
            releases,
        })
    }

    /// This live deployment with the changes of these candidates, which fit it and each other. The
    /// routes are shared.
    #[must_use]
    pub fn with(&self, candidates: Vec<Arc<LoadedCandidate>>) -> Self {
        let is_changed = |name: &str| candidates.iter().any(|candidate| candidate.changes(name));
        let kept = self
            .releases
            .iter()
            .filter(|release| !is_changed(&release.id.name));
        let changed = candidates.iter().flat_map(|candidate| &candidate.releases);
        let mut releases: Vec<_> = kept.chain(changed).cloned().collect();
        releases.sort_by(|one, other| one.id.cmp(&other.id));
        let kept = self.unavailable.iter().filter(|each| !is_changed(&each.id.name));
        let changed = candidates.iter().flat_map(|candidate| &candidate.unavailable);
        let unavailable = kept.chain(changed).cloned().collect();
        let numbers = candidates.iter().map(|candidate| candidate.deployment.number);
        let set = SetName::with(self.deployment.number, numbers);
        let mut frame = &self.frame;
        for release in &releases {
            if let Role::Shell(shell) = &release.role {
                frame = shell;
            }
        }
        Self {
            name: set.to_string().into(),
            set,
            deployment: Arc::clone(&self.deployment),
            frame: Arc::clone(frame),
            unavailable,
            sitemap: OnceCell::new(),
            routes: Arc::clone(&self.routes),
            points: FilledPoints::of(&releases, frame, &self.rules),
            rules: Arc::clone(&self.rules),
            navigation: Navigation::of(&releases),
            changes_all_pages: candidates
                .iter()
                .any(|candidate| self.is_changed_everywhere(candidate)),
            changed_points: candidates
                .iter()
                .flat_map(|candidate| self.with_and_without(candidate))
                .flat_map(|release| release.filled_points().cloned())
                .collect(),
            candidates,
            releases,
        }
    }

    /// This set with these rules for its extensions.
    #[must_use]
    pub fn with_rules(&self, rules: Arc<ExtensionRules>) -> Self {
        Self {
            points: FilledPoints::of(&self.releases, &self.frame, &rules),
            rules,
            ..self.clone()
        }
    }

    /// Those of the candidates that decide what a visitor with all of them gets at a path, in
    /// ascending order by number. The others change other pages only, so documents of this path are
    /// the same with and without them. `None` is the path of no page.
    pub fn deciding(
        &self,
        candidates: &[Arc<LoadedCandidate>],
        path: Option<&RequestPath>,
    ) -> Vec<Arc<LoadedCandidate>> {
        let (mut deciding, mut others): (Vec<_>, Vec<_>) = candidates
            .iter()
            .cloned()
            .partition(|candidate| self.is_changed_everywhere(candidate));
        let page = |candidates: &[_]| find_page(&self.routes, candidates, path?).cloned();
        let with_all = page(candidates);
        // A candidate decides if it changes the page's section, or one that fills a point of the page
        // with it or without it. A page that a candidate removes uncovers that of another section,
        // which another candidate may change.
        loop {
            let pages: Vec<_> = with_all.iter().cloned().chain(page(&deciding)).collect();
            let decides = |candidate: &Arc<LoadedCandidate>| {
                pages.iter().any(|page| self.is_changed_by(page, candidate))
            };
            let Some(index) = others.iter().position(decides) else {
                break;
            };
            deciding.push(others.remove(index));
        }
        deciding.sort_by_key(|candidate| candidate.deployment.number);
        deciding
    }

    /// Whether a candidate of this live deployment changes documents of a page.
    fn is_changed_by(&self, page: &PageManifest, candidate: &LoadedCandidate) -> bool {
        let is_filled = |point: &PointReference| {
            let mut live = self.points.all(point).iter();
            live.any(|extension| candidate.changes(&extension.section.name))
                || candidate.releases.iter().any(|release| release.fills(point))
        };
        candidate.changes(&page.section.name) || page.points.iter().any(is_filled)
    }

    /// Whether a candidate of this live deployment changes each document: it changes the shell, a
    /// section that fills an extension point of the shell with it or without it, or the links of the
    /// navigation.
    fn is_changed_everywhere(&self, candidate: &LoadedCandidate) -> bool {
        self.changes_navigation(candidate)
            || self
                .with_and_without(candidate)
                .any(|release| release.is_everywhere())
    }

    fn changes_navigation(&self, candidate: &LoadedCandidate) -> bool {
        let mut changes = candidate.deployment.changes.iter();
        changes.any(|name| links_in(&self.releases, name) != links_in(&candidate.releases, name))
    }

    /// The releases that a candidate of this live deployment replaces, and those that it adds.
    fn with_and_without<'a>(
        &'a self,
        candidate: &'a LoadedCandidate,
    ) -> impl Iterator<Item = &'a Arc<LoadedRelease>> {
        let live = self.releases.iter();
        live.filter(|release| candidate.changes(&release.id.name))
            .chain(&candidate.releases)
    }

    /// Whether documents of a page are other ones than without the candidates, if there are any.
    pub fn changes_page(&self, page: &PageManifest) -> bool {
        let section = &page.section.name;
        self.candidates.is_empty()
            || self.changes_all_pages
            || self.candidates.iter().any(|candidate| candidate.changes(section))
            || page
                .points
                .iter()
                .any(|point| self.changed_points.contains(point))
    }

    /// The extensions that fill a point in the set, in the order in which they are shown. A point
    /// that no release opens has none.
    pub fn extensions(&self, point: &PointReference) -> &[Arc<ExtensionManifest>] {
        self.points.shown(point)
    }

    /// All extensions that fill a point, in this order: those that are shown, those that are too many,
    /// and those that the rules refuse.
    pub fn filling(&self, point: &PointReference) -> &[Arc<ExtensionManifest>] {
        self.points.all(point)
    }

    /// The extensions that no page shows: the set has no such point in this version, others fill it,
    /// or the rules refuse them.
    pub fn left_out(&self) -> impl Iterator<Item = LeftOut<'_>> {
        self.points.left_out(&self.rules)
    }

    /// The packages that its shell shares.
    pub fn shared(&self) -> SharedPackages {
        let shell = self.release(SHELL);
        let shared = shell.map(|shell| SharedPackages {
            shared: shell.shared.clone(),
            omitted_exports: shell.omitted_exports.clone(),
        });
        shared.unwrap_or_default()
    }

    /// Whether a section of the set is missing or damaged.
    pub fn is_unavailable(&self, section: &str) -> bool {
        is_unavailable(&self.unavailable, section)
    }

    /// Whether the path of no page may be one of an unavailable section of which nothing is known.
    pub fn may_lack_pages(&self) -> bool {
        self.unavailable.iter().any(|each| each.known.is_none())
    }

    /// The page that matches a path. Its section may be unavailable.
    pub fn page(&self, path: &RequestPath) -> Option<&Arc<PageManifest>> {
        find_page(&self.routes, &self.candidates, path)
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

impl LoadedCandidate {
    /// A candidate with those releases that it changes.
    pub fn new(
        deployment: Arc<Deployment>,
        releases: Vec<Arc<LoadedRelease>>,
        unavailable: Vec<UnavailableRelease>,
    ) -> Self {
        let mut routes = Routes::default();
        let known = unavailable.iter().filter_map(|each| each.known.as_ref());
        for release in releases.iter().chain(known) {
            if let Role::Section(parts) = &release.role {
                // Patterns that collide were rejected when the candidate was created.
                add_pages(&mut routes, release, parts, &mut Vec::new());
            }
        }
        Self {
            deployment,
            releases,
            unavailable,
            routes,
        }
    }

    /// Whether the candidate changes a section or the shell.
    pub fn changes(&self, name: &str) -> bool {
        self.deployment.changes.contains(name)
    }
}

/// The links of the release with this name.
fn links_in<'a>(releases: &'a [Arc<LoadedRelease>], name: &str) -> &'a [NavigationEntry] {
    let release = releases.iter().find(|release| release.id.name == name);
    release.map_or(&[], |release| &release.navigation)
}

fn is_unavailable(unavailable: &[UnavailableRelease], section: &str) -> bool {
    unavailable.iter().any(|each| each.id.name == section)
}

/// The page of a live deployment with candidates that matches a path.
fn find_page<'a>(
    routes: &'a Routes,
    candidates: &'a [Arc<LoadedCandidate>],
    path: &RequestPath,
) -> Option<&'a Arc<PageManifest>> {
    if candidates.is_empty() {
        return routes.find(path).map(|(_, page)| page);
    }
    let is_kept = |page: &Arc<PageManifest>| {
        let section = &page.section.name;
        !candidates.iter().any(|candidate| candidate.changes(section))
    };
    let kept = routes.find_among(path, is_kept);
    let changed = candidates
        .iter()
        .filter_map(|candidate| candidate.routes.find(path));
    let found = kept.into_iter().chain(changed);
    let (_, page) = found.max_by(|(one, _), (other, _)| one.cmp_precedence(other))?;
    Some(page)
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
    for (package, used) in &section.used_exports {
        let omitted = shell.omitted_exports.get(package);
        if let Some(path) = omitted.and_then(|omitted| omitted_use(used, omitted)) {
            problems.push(format!(
                "{} uses the export `{path}` of `{package}`; {} omits it or a part of it",
                section.id, shell.id
            ));
        }
    }
}
