//! Warnings for a valid release: why a deploy of it would be rejected now, what it needs, pages that
//! would be hidden, and extensions that no page would show.
//!
//! They do not reject the release: the live deployment may change, and one deploy may replace
//! several releases.

use std::sync::Arc;

use semver::Version;

use crate::deployment::{
    Deployments, LeftOutExtensions, LoadError, Offer, assemble_new, pushed_out, refused_claims,
};
use colonnade_model::deployment::Deployment;
use colonnade_model::release::ReleaseId;

/// The reasons why a deploy of this release now would be rejected or need another token, its pages
/// that visitors could not see, and extensions that no page would show. While no deployment is live,
/// only those of settings.
pub async fn warnings(deployments: &Deployments, id: &ReleaseId) -> Result<Vec<String>, LoadError> {
    let snapshot = deployments.current();
    let release = snapshot.find_release(deployments.store(), id).await?;
    let settings = deployments.setting_problems(&release).into_iter();
    let mut warnings: Vec<String> = settings.map(|problem| rejected(&problem.to_string())).collect();
    let Some(live) = snapshot.live() else {
        return Ok(warnings);
    };
    if let Some(live_version) = live.deployment.releases.get(&id.name)
        && is_older(&id.version, live_version)
    {
        warnings.push(format!("{id} is older than the live version {live_version}"));
    }
    let others = live.releases.iter().filter(|release| release.id.name != id.name);
    let mut releases: Vec<_> = others.cloned().collect();
    releases.push(release);
    // Sorted as in a deploy, so that the messages are the same.
    releases.sort_by(|a, b| a.id.cmp(&b.id));
    let mut deployment = Deployment::clone(&live.deployment);
    deployment.releases.insert(id.name.clone(), id.version.clone());
    let lost = live.unavailable.iter().filter(|each| each.id.name != id.name);
    let lost = lost.cloned().collect();
    let problems = match assemble_new(Arc::new(deployment), releases, lost, Arc::clone(&live.rules)) {
        Ok(set) => {
            let needs_both = |claim| format!("{claim}; a deploy needs a token that covers both sections");
            warnings.extend(refused_claims(live, &set, &|_| false).into_iter().map(needs_both));
            let hidden = deployments.hidden_pages(&set).into_iter();
            let own = hidden.filter(|page| page.section == id.name);
            warnings.extend(own.map(|page| page.to_string()));
            let mut left_out = LeftOutExtensions::of(&set);
            left_out.retain(|left_out| left_out.concerns(|name| name == id.name));
            warnings.extend(left_out.iter().map(ToString::to_string));
            let [before, after] = [&**live, &set].map(|live| Offer::of(&snapshot, live, None));
            let mut problems = pushed_out(&before, &after);
            problems.extend(deployments.render_problems(&snapshot, &set).await);
            problems
        }
        Err(problems) => problems,
    };
    warnings.extend(problems.iter().map(|problem| rejected(problem)));
    Ok(warnings)
}

fn rejected(problem: &str) -> String {
    format!("a deploy now would be rejected: {problem}")
}

/// Whether a version is older than another. Development builds of one version end in a hash, so
/// neither is older.
fn is_older(version: &str, other: &str) -> bool {
    let (Ok(version), Ok(other)) = (Version::parse(version), Version::parse(other)) else {
        return false;
    };
    let core = |version: &Version| (version.major, version.minor, version.patch);
    let is_development = |version: &Version| version.pre.starts_with("dev.");
    if core(&version) == core(&other) && is_development(&version) && is_development(&other) {
        return false;
    }
    // Build metadata (after `+`) has no precedence.
    version.cmp_precedence(&other).is_lt()
}

#[cfg(test)]
mod tests {
    use super::is_older;

    #[test]
    fn version_age_follows_semver() {
        let cases = [
            ("1.0.0", "1.0.1", true),
            ("1.0.0", "1.0.0", false),
            ("1.10.0", "1.9.0", false),
            ("1.0.0-beta.2", "1.0.0-beta.10", true),
            ("1.0.0-beta", "1.0.0", true),
            ("1.0.0-dev.aa", "1.0.0", true),
            ("1.0.0-dev.aa", "1.0.0-dev.bb", false),
            ("1.0.0-dev.aa", "1.1.0-dev.bb", true),
            ("1.0.0+a", "1.0.0+b", false),
        ];
        for (version, other, expected) in cases {
            assert_eq!(is_older(version, other), expected, "{version} and {other}");
        }
    }
}
