//! Counts the outcomes of sign-ups.

use super::error::SignupError;
use super::metrics::SignupMetrics;

/// Counts the outcome of one sign-up on drop.
pub(super) struct OutcomeRecorder<'a> {
    metrics: &'a SignupMetrics,
    outcome: &'static str,
}

impl<'a> OutcomeRecorder<'a> {
    /// Creates a recorder. If it is dropped without a result, the client closed the connection.
    pub(super) fn new(metrics: &'a SignupMetrics) -> Self {
        Self {
            metrics,
            outcome: "client_closed",
        }
    }

    /// Records a result.
    pub(super) fn record<T>(mut self, result: &Result<T, SignupError>) {
        self.outcome = match result {
            Ok(_) => "accepted",
            Err(error) => outcome(error),
        };
    }
}

impl Drop for OutcomeRecorder<'_> {
    fn drop(&mut self) {
        self.metrics.record_outcome(self.outcome);
    }
}

/// Returns the metric label of an error. The label does not name the invalid field, in particular the age.
fn outcome(error: &SignupError) -> &'static str {
    match error {
        SignupError::CrossOrigin => "cross_origin",
        SignupError::MediaType
        | SignupError::TooLarge
        | SignupError::TimedOut
        | SignupError::Malformed
        | SignupError::Missing(_) => "malformed",
        SignupError::Field(_) => "invalid",
        SignupError::Rejected { .. } => "rejected",
        SignupError::Unreachable(_) => "unreachable",
        SignupError::CircuitOpen(_) => "circuit_open",
        SignupError::ClientRateLimited { .. } => "client_rate_limited",
        SignupError::GlobalRateLimited { .. } => "global_rate_limited",
        SignupError::ConcurrencyLimited => "concurrency_limited",
    }
}
