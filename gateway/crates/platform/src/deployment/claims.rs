//! What a section may claim: paths that another section serves need the permission of both, and the
//! name of its container must be its own.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::deployment::types::{Claim, MayChange};
use colonnade_model::deployment::Deployment;
use colonnade_model::extension_rules::ExtensionRules;
use colonnade_model::pattern::{Pattern, Segment};
use colonnade_store::loaded::{LoadedDeployment, LoadedRelease, PageManifest, Role, UnavailableRelease};

/// The most claims that an error or a publish lists.
const MAX_CLAIMS: usize = 20;

/// A page with its pattern.
type RoutedPage = (Pattern, Arc<PageManifest>);

/// The claims over sections that the caller may not change: patterns that are new in a section and
/// take paths of another one. What the other section gives up is not taken. Returns at most
/// [`MAX_CLAIMS`].
pub(crate) fn refused_claims(
    before: &LoadedDeployment,
    after: &LoadedDeployment,
    may_change: MayChange<'_>,
) -> BTreeSet<Claim> {
    let refused: Vec<_> = pages(before)
        .filter(|(pattern, page)| !is_catch_all(pattern) && !may_change(&page.section.name))
        .collect();
    let identity = |(_, page): &RoutedPage| (page.section.name.clone(), page.pattern.clone());
    let known: HashSet<_> = pages(before).map(identity).collect();
    let new = pages(after).filter(|page| !known.contains(&identity(page)));
    let claims = new.flat_map(|claiming| {
        refused
            .iter()
            .filter_map(|taken| claim(before, after, claiming, taken))
    });
    claims.take(MAX_CLAIMS).collect()
}

/// Whether a pattern has only parameters, and the rest of a path. Such a pattern reserves no paths: it would lock all other
/// sections out.
fn is_catch_all(pattern: &Pattern) -> bool {
    let segments = pattern.segments();
    !segments.is_empty()
        && segments
            .iter()
            .all(|segment| matches!(segment, Segment::Param(_) | Segment::Rest))
}

/// The claim of a page over another one, if it takes paths of it.
fn claim(
    before: &LoadedDeployment,
    after: &LoadedDeployment,
    (pattern, page): &RoutedPage,
    (other, taken): &RoutedPage,
) -> Option<Claim> {
    if taken.section.name == page.section.name {
        return None;
    }
    let path = pattern.common_path(other)?;
    let is_routed = |deployment: &LoadedDeployment, page| {
        deployment
            .page(&path)
            .is_some_and(|routed| Arc::ptr_eq(routed, page))
    };
    (is_routed(before, taken) && is_routed(after, page)).then(|| Claim {
        pattern: page.pattern.clone(),
        section: page.section.name.clone(),
        from_pattern: taken.pattern.clone(),
        from_section: taken.section.name.clone(),
    })
}

/// The pages of a deployment, also those of unavailable sections.
fn pages(deployment: &LoadedDeployment) -> impl Iterator<Item = &RoutedPage> {
    let unavailable = deployment.unavailable.iter();
    let known = unavailable.filter_map(|each| each.known.as_ref());
    let releases = deployment.releases.iter().chain(known);
    releases.flat_map(|release| match &release.role {
        Role::Section(parts) => parts.pages.as_slice(),
        Role::Shell(_) => &[],
    })
}

/// Assembles the releases of a new deployment. Stored ones are exempt from the check of container
/// names, so that the gateway can load what it accepted before.
///
/// # Errors
/// All problems of the set.
pub(crate) fn assemble_new(
    deployment: Arc<Deployment>,
    releases: Vec<Arc<LoadedRelease>>,
    unavailable: Vec<UnavailableRelease>,
    rules: Arc<ExtensionRules>,
) -> Result<LoadedDeployment, Vec<String>> {
    let known = unavailable.iter().filter_map(|each| each.known.as_ref());
    let mut problems = container_problems(releases.iter().chain(known));
    match LoadedDeployment::assemble(deployment, releases, unavailable, rules) {
        Ok(loaded) if problems.is_empty() => Ok(loaded),
        assembled => {
            problems.extend(assembled.err().into_iter().flatten());
            Err(problems)
        }
    }
}

/// Sections with the same container: the browser would run the code of one in place of the other.
fn container_problems<'a>(releases: impl Iterator<Item = &'a Arc<LoadedRelease>>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut sections = BTreeMap::new();
    for remote in releases.filter_map(|release| release.remote()) {
        let entry = &remote.section;
        if let Some(other) = sections.insert(&entry.container, &entry.name) {
            problems.push(format!(
                "container `{}` is used by both {other} and {}",
                entry.container, entry.name
            ));
        }
    }
    problems
}
