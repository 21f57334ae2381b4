//! Why releases are rejected.

use colonnade_model::release::ReleaseId;
use colonnade_store::StoreError;

use crate::publish::quota::QuotaError;

/// Why a release is rejected.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The upload is not a valid gzipped tar archive, or exceeds a limit.
    #[error("the body is not a gzipped tar: {0}")]
    InvalidArchive(std::io::Error),
    /// The release has these problems.
    #[error("the release has problems; fix all of them and publish again")]
    Rejected(Vec<String>),
    /// The version is already published with other contents.
    #[error("{0} is already published with other contents; publish under a new version")]
    VersionTaken(ReleaseId),
    /// The version was published with other contents, and deleted by garbage collection.
    #[error("{0} was published with other contents and deleted; publish under a new version")]
    VersionDeleted(ReleaseId),
    /// The section has used its quota.
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
