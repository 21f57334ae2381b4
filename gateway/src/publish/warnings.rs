//! What a release that is sound by itself would meet if it were deployed now.
//!
//! Warnings never refuse: what is live may change before the deploy, and a set may change in several places at once.

use semver::Version;

use crate::deployment::{Deployments, LoadError, Set};
use crate::store::ReleaseId;

/// What speaks against putting a published release into the live set; nothing when nothing is live.
pub(crate) async fn warnings(deployments: &Deployments, id: &ReleaseId) -> Result<Vec<String>, LoadError> {
    let snapshot = deployments.current();
    let Some(live) = snapshot.live() else {
        return Ok(Vec::new());
    };
    let mut warnings = Vec::new();
    if let Some(there) = live.deployment.releases.get(&id.name)
        && is_older(&id.version, there)
    {
        warnings.push(format!("{id} is older than {there}, which is live"));
    }
    let others = live.releases.iter().filter(|release| release.id.name != id.name);
    let mut releases: Vec<_> = others.cloned().collect();
    releases.push(snapshot.find(deployments.store(), id).await?);
    // In the order a deploy puts them together, so that the words are the same.
    releases.sort_by(|a, b| a.id.cmp(&b.id));
    let mut deployment = live.deployment.clone();
    deployment.releases.insert(id.name.clone(), id.version.clone());
    let problems = match Set::assemble(deployment, releases) {
        Ok(set) => deployments.unrenderable(&snapshot, &set).await,
        Err(problems) => problems,
    };
    let refused = |problem| format!("a deploy now would be refused: {problem}");
    warnings.extend(problems.into_iter().map(refused));
    Ok(warnings)
}

/// Development builds of one version end in a hash of their inputs, so neither is older.
fn is_older(version: &str, there: &str) -> bool {
    let (Ok(version), Ok(there)) = (Version::parse(version), Version::parse(there)) else {
        return false;
    };
    let core = |version: &Version| (version.major, version.minor, version.patch);
    let is_development = |version: &Version| version.pre.starts_with("dev.");
    if core(&version) == core(&there) && is_development(&version) && is_development(&there) {
        return false;
    }
    // What stands behind a plus says nothing about age.
    version.cmp_precedence(&there).is_lt()
}

#[cfg(test)]
mod tests {
    use super::is_older;

    #[test]
    fn versions_age_as_semver_says() {
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
        for (version, there, expected) in cases {
            assert_eq!(is_older(version, there), expected, "{version} and {there}");
        }
    }
}
