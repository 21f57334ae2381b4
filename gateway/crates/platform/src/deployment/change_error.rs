//! Why changes are rejected.

use std::collections::BTreeSet;

use crate::deployment::error::LoadError;
use crate::deployment::types::{Claim, RolloutDescription, RolloutTarget};
use colonnade_model::extension_rules::ExtensionId;
use colonnade_store::StoreError;

/// How many running rollouts an error names.
const MAX_NAMED: usize = 3;

/// Why a change is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// These releases are not published.
    #[error("releases are not published; publish them first")]
    UnknownReleases(Vec<String>),
    /// These releases are damaged, or missing from the store although visitors should see them.
    #[error(
        "releases are missing from the store or damaged; deploy other versions of these sections, or restore their files"
    )]
    Unavailable(Vec<String>),
    /// The releases conflict with each other.
    #[error("the releases conflict with each other")]
    Conflict(Vec<String>),
    /// Releases need settings that the configuration does not have, or has with another type.
    #[error("releases need settings that the configuration does not have, or has with another type")]
    SettingsMissingOrMistyped(Vec<String>),
    /// Pages or extensions of the deployment fail to render, or requested paths change their status.
    #[error("pages or extensions of the deployment fail to render, or requested paths change their status")]
    RenderFailed(Vec<String>),
    /// The change would push extensions of other sections out of their points.
    #[error(
        "the change would push out extensions that are shown; only order or allow of the point in site.toml may do that"
    )]
    ExtensionsPushedOut(Vec<String>),
    /// No release that visitors get has the extension.
    #[error("no live release of `{}` fills `{}`; `colonnade extensions` lists what does", .0.section, .0.point)]
    ExtensionNotFound(ExtensionId),
    /// The deployment that the change builds on is not live.
    #[error("base deployment {base} is not live: {}", describe_live(*.live))]
    BaseNotLive {
        /// The requested base.
        base: u64,
        /// The live deployment.
        live: Option<u64>,
    },
    /// The releases conflict with those of running rollouts.
    #[error("the releases conflict with a rollout: {}; promote or abort it first, or deploy releases that fit both", join(.rollouts))]
    ConflictWithRollouts {
        /// The conflicts.
        problems: Vec<String>,
        /// The rollouts that some visitors see together with the releases.
        rollouts: Vec<RolloutDescription>,
    },
    /// Sections of the change are being rolled out.
    #[error("{}; promote or abort it first", join(.0))]
    SectionsInRollout(Vec<RolloutDescription>),
    /// The change needs a live deployment.
    #[error("no deployment is live; deploy one first, without `percent` or `steps`")]
    NoLiveDeployment,
    /// There is no such rollout to promote or abort.
    #[error("{target} is not being rolled out: {}", describe_running(.running))]
    NotInRollout {
        /// The requested rollout.
        target: RolloutTarget,
        /// The running rollouts.
        running: Vec<RolloutDescription>,
    },
    /// The rollout has no steps to pause or resume.
    #[error("the rollout of {0} has no steps: its share changes only with `promote`")]
    NoSteps(RolloutTarget),
    /// The deployment does not exist, or was deleted by garbage collection.
    #[error("deployment {0} does not exist")]
    DeploymentNotFound(u64),
    /// A record in the store is damaged.
    #[error("{0} is damaged; restore its file from a backup (see `gateway store verify`)")]
    DamagedRecord(String),
    /// There is nothing to roll back to.
    #[error("{0}")]
    NothingToRestore(String),
    /// The caller may not change this section.
    #[error("not allowed for `{0}`")]
    NotAllowed(String),
    /// The caller may not take paths of these sections.
    #[error("patterns take paths of other sections, so the change needs a token that also covers {}", describe_claimed(.0))]
    ClaimsNotAllowed(BTreeSet<Claim>),
    /// A deployment cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn describe_live(live: Option<u64>) -> String {
    live.map_or("no deployment is live".to_owned(), |live| {
        format!("deployment {live} is live")
    })
}

fn describe_claimed(claims: &BTreeSet<Claim>) -> String {
    let sections: BTreeSet<_> = claims
        .iter()
        .map(|claim| format!("`{}`", claim.from_section))
        .collect();
    sections.into_iter().collect::<Vec<_>>().join(", ")
}

fn describe_running(rollouts: &[RolloutDescription]) -> String {
    match rollouts {
        [] => "no rollout is running".to_owned(),
        _ => match rollouts.split_at_checked(MAX_NAMED) {
            Some((first, others @ [_, ..])) => format!("{}; and {} more", join(first), others.len()),
            _ => join(rollouts),
        },
    }
}

fn join(rollouts: &[RolloutDescription]) -> String {
    let rollouts: Vec<String> = rollouts.iter().map(ToString::to_string).collect();
    rollouts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::{ChangeError, RolloutDescription, RolloutTarget};

    #[test]
    fn missing_rollout_names_three_others_and_counts_the_rest() {
        let described = |count: u64| {
            let running = (0..count).map(|candidate| RolloutDescription {
                sections: vec![format!("section-{candidate}")],
                candidate,
                percent: 5,
                by: "ci".to_owned(),
            });
            let (target, running) = (RolloutTarget::Section("legal".to_owned()), running.collect());
            ChangeError::NotInRollout { target, running }.to_string()
        };
        assert!(described(0).ends_with("no rollout is running"));
        let named = |text: &str| text.matches("is being rolled out with").count();
        assert_eq!((named(&described(3)), described(3).contains("more")), (3, false));
        let many = described(20);
        assert_eq!(named(&many), 3);
        assert!(many.ends_with("; and 17 more"), "{many}");
    }
}
