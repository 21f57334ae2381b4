//! What became of sign-ups, as a number for each kind.

use super::SignupError;
use crate::metrics::SignupMetrics;

/// Counts one sign-up when dropped.
pub(super) struct Counted<'a> {
    metrics: &'a SignupMetrics,
    outcome: &'static str,
}

impl<'a> Counted<'a> {
    /// One whose visitor leaves, unless an outcome is told.
    pub(super) fn new(metrics: &'a SignupMetrics) -> Self {
        Self {
            metrics,
            outcome: "left",
        }
    }

    /// One that ended so.
    pub(super) fn ended<T>(mut self, outcome: &Result<T, SignupError>) {
        self.outcome = match outcome {
            Ok(_) => "accepted",
            Err(error) => name(error),
        };
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.metrics.ended(self.outcome);
    }
}

/// What the metrics call it. Which field was not acceptable, a stated age above all, is nobody's business.
fn name(error: &SignupError) -> &'static str {
    match error {
        SignupError::CrossOrigin => "cross_origin",
        SignupError::MediaType
        | SignupError::TooLarge
        | SignupError::Stalled
        | SignupError::Malformed
        | SignupError::Missing(_) => "malformed",
        SignupError::Field(_) => "invalid",
        SignupError::Refused { .. } => "refused",
        SignupError::Unreachable(_) => "unreachable",
        SignupError::Resting(_) => "resting",
        SignupError::TooOften { .. } => "too_often",
        SignupError::Crowded { .. } => "crowded",
        SignupError::Busy => "busy",
    }
}
