//! Deployments: numbered, immutable sets of a shell and its sections. Exactly one is live, and each
//! running rollout has a candidate.
//!
//! [`Deployments`] is the API. Each change is a [`Command`], which a pure function plans on a snapshot. One
//! loop stores the deployment that the
//! plan creates, if any, and then makes the plan take effect with one compare-and-swap of the live
//! state.

mod change;
mod change_error;
mod change_queue;
mod claims;
#[cfg(test)]
mod composition_tests;
mod deployments;
mod error;
mod garbage_collection;
mod health;
mod hidden_pages;
mod history;
mod left_out;
mod metrics;
mod parts;
mod plan;
mod prerender;
mod pushed_out;
mod record_changes;
mod refresh;
mod rollback;
mod rollback_targets;
mod setting_problems;
mod settings;
mod snapshot;
#[cfg(test)]
mod tests;
mod types;

pub use change_error::ChangeError;
pub(crate) use claims::{assemble_new, refused_claims};
pub use deployments::Deployments;
pub use error::LoadError;
pub use hidden_pages::HiddenPage;
pub use history::HistoryPage;
pub use left_out::LeftOutExtensions;
pub use metrics::DeploymentMetrics;
pub use parts::Degradation;
pub use plan::{ChangeRequest, Command, Step};
pub(crate) use pushed_out::{Offer, pushed_out};
pub use refresh::StoreUnreadable;
pub use settings::SettingProblem;
pub(crate) use snapshot::concurrently;
pub use snapshot::{RunningRollout, Snapshot};
pub use types::{
    Author, ChangeOutcome, ChangePlan, Claim, CollectedGarbage, DeployRequest, Figures, MayChange,
    PreviewTarget, RollbackTarget, RolloutDescription, RolloutStart, RolloutTarget, Warm, Warming,
};
