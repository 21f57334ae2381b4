//! Why deployments cannot be loaded from the store.

use colonnade_model::release::ReleaseId;
use colonnade_store::StoreError;
use colonnade_store::loaded::LoadReleaseError;

/// A deployment cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The deployment is not in the store.
    #[error("deployment {0} is not in the store")]
    DeploymentNotFound(u64),
    /// The release is not in the store.
    #[error("{0} is not in the store")]
    ReleaseNotFound(ReleaseId),
    /// The release is damaged.
    #[error(transparent)]
    Release(#[from] LoadReleaseError),
    /// The releases conflict with each other.
    #[error("the releases conflict: {}", .0.join("; "))]
    Conflict(Vec<String>),
    /// Visitors see the deployment, and it is missing or damaged.
    #[error(
        "deployment {number} is live or a candidate, but cannot be loaded: {error}; restore its files from a backup, or run \
         `gateway serve --recover`"
    )]
    Visible {
        /// The deployment.
        number: u64,
        /// Why it cannot be loaded.
        error: Box<LoadError>,
    },
    /// The live state, or the whole folder, was deleted.
    #[error("live.json is missing from the store; restore it from a backup")]
    LiveStateMissing,
    /// The store was restored from a backup, or replaced by an older copy.
    #[error("the store was restored while this gateway runs; restart the gateway")]
    OtherTimeline,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LoadError {
    /// Whether the store may be intact and only cannot be used now.
    pub(super) fn is_away(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_away())
    }

    /// This error about a deployment that visitors get. Says how to go on if trying again does not
    /// help.
    pub(super) fn of_visible(self, number: u64) -> Self {
        match self {
            Self::Store(error) if !error.is_loss() => Self::Store(error),
            error => Self::Visible {
                number,
                error: Box::new(error),
            },
        }
    }
}
