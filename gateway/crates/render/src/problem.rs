//! What trial renders report.

use colonnade_model::release::ReleaseId;

use crate::request::ReleasePair;

/// The number of failed pages and extensions after which a trial stops: each may block a worker for
/// its whole CPU time.
pub(crate) const MAX_PROBLEMS: usize = 10;

/// What a trial renders together: pages of a section with a shell or, with the release that opens points,
/// extensions of the section for these points.
pub(crate) type TrialKey = (ReleasePair, Option<ReleaseId>);

/// Why a page or an extension fails.
pub(crate) struct Problem {
    /// The releases that it concerns; empty if it concerns all.
    pub(crate) releases: Vec<ReleaseId>,
    pub(crate) text: String,
}

/// The problem of a trial that stops at [`MAX_PROBLEMS`], before this many renders.
pub(crate) fn not_tried(count: usize) -> String {
    format!("{count} more pages, extensions or examples were not tried")
}
