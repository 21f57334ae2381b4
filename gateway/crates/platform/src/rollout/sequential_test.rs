//! The sequential test of canary analysis: whether failures are more frequent with a rollout's
//! releases.
//!
//! If both sides fail equally often, each failure is the candidate's with the probability of the
//! candidate's share of the requests, also while the rate of failures changes. The test is a
//! mixture sequential probability ratio test of this: the likelihood of the failures so far,
//! averaged over all probabilities with the prior Beta(1/2, 1/2), divided by their likelihood with
//! that share. The chance that this ratio ever reaches 1/α is at most α, however often one looks
//! (Ville's inequality).
//!
//! Source: M. Lindon, A. Malek, "Anytime-Valid Inference for Multinomial Count Data", 2022,
//! <https://arxiv.org/abs/2011.03567>.

use std::f64::consts::PI;

/// The chance that one measurement of an identical candidate is ever significant. A rollout with
/// four measurements in four steps then fails by chance in less than 1% of cases.
const FALSE_ALARMS: f64 = 0.0005;

/// How many of the requests or clients on one side failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed {
    pub(super) failed: u64,
    pub(super) of: u64,
}

/// Whether the candidate fails significantly more often than the live deployment. Valid at any
/// number of looks.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn is_more_frequent(candidate: Failed, live: Failed) -> bool {
    if candidate.of == 0 || live.of == 0 {
        return false;
    }
    let (failed, live_failed) = (candidate.failed as f64, live.failed as f64);
    let share = candidate.of as f64 / (candidate.of as f64 + live.of as f64);
    let averaged =
        ln_gamma(failed + 0.5) + ln_gamma(live_failed + 0.5) - ln_gamma(failed + live_failed + 1.0) - PI.ln();
    let equal = failed * share.ln() + live_failed * (1.0 - share).ln();
    let is_more = failed > (failed + live_failed) * share;
    is_more && averaged - equal >= -FALSE_ALARMS.ln()
}

/// The logarithm of the gamma function by Stirling's series. For 0.5 and above the error is less
/// than 0.01.
fn ln_gamma(z: f64) -> f64 {
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3))
}
