//! Deployments: numbered, immutable sets of a shell and its sections. Exactly one is live.
//!
//! [`Deployments`] is the API: deploy, promote, abort, roll back, preview and collect garbage. Each change writes its
//! deployments first and takes effect with one compare-and-swap of the live state.

mod change;
mod claims;
mod deploy;
mod deployments;
mod garbage_collection;
mod hidden_pages;
mod history;
mod prerender;
mod preview;
mod record_changes;
mod rollback;
mod rollout;
mod snapshot;
#[cfg(test)]
mod tests;

pub use change::{Author, ChangeError, ChangeOutcome};
pub use claims::Claim;
pub(crate) use claims::{assemble_new, refused_claims};
pub use deploy::{DeployRequest, RolloutStart};
pub use deployments::{Degradation, Deployments, StoreUnreadable};
pub use hidden_pages::HiddenPage;
pub use history::HistoryPage;
pub use prerender::{Warm, Warming};
pub use preview::PreviewTarget;
pub use rollback::{RollbackPlan, RollbackTarget};
pub use rollout::{RolloutDescription, RolloutTarget, RunningRollout};
pub(crate) use snapshot::concurrently;
pub use snapshot::{LoadError, Snapshot};
