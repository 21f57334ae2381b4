//! Cohort assignment: which visitors see the candidate of a rollout.

use http::HeaderMap;

use super::COOKIE;
use colonnade_model::deployment::Rollout;
use colonnade_web::cookie;

/// A visitor's random number for a rollout. Visitors below the rollout's percentage of the range see the candidate, so
/// raising the percentage only adds visitors; 0 % selects none of them and 100 % all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CohortDraw(u32);

impl CohortDraw {
    /// Draws a random number.
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// The visitor's draw for this rollout from the request's cookie, if there is one.
    pub fn from_cookie(headers: &HeaderMap, rollout: &Rollout) -> Option<Self> {
        let (id, draw) = cookie::get(headers, COOKIE)?.split_once('.')?;
        if id != rollout.id {
            return None;
        }
        draw.parse().ok().map(Self)
    }

    /// Whether the visitor sees the candidate at this percentage.
    pub fn is_within(self, percent: u8) -> bool {
        u64::from(self.0) * 100 < u64::from(percent) << 32
    }

    /// The value of the cookie.
    pub fn cookie(self, rollout: &Rollout) -> String {
        format!("{}.{}", rollout.id, self.0)
    }
}

#[cfg(any(test, feature = "testing"))]
/// Fuzzing: a draw survives the round trip through a cookie, and counts for its own rollout only.
///
/// # Panics
///
/// If an invariant is violated.
pub fn fuzz(sent: &HeaderMap) {
    let rollout = |id: &str| Rollout {
        id: id.to_owned(),
        deployment: 2,
        percent: 50,
        started_at: jiff::Timestamp::UNIX_EPOCH,
    };
    let (this, other) = (rollout("5f3a9c01"), rollout("5f3a9c02"));
    let draw_sent = CohortDraw::from_cookie(sent, &this);
    assert!(draw_sent.is_none() || CohortDraw::from_cookie(sent, &other).is_none());
    let draw = draw_sent.unwrap_or(CohortDraw(u32::MAX));
    let mut response = HeaderMap::new();
    cookie::set(&mut response, COOKIE, &draw.cookie(&this), 60, false);
    let again = HeaderMap::from_iter([(http::header::COOKIE, cookie::returned(&response))]);
    assert_eq!(CohortDraw::from_cookie(&again, &this), Some(draw));
    assert_eq!(CohortDraw::from_cookie(&again, &other), None);
}

#[cfg(test)]
mod tests {
    use super::CohortDraw;

    #[test]
    fn higher_percentage_never_removes_visitor() {
        // The last draw within each percentage, and the first one outside of it.
        let boundaries =
            (1..=100_u64).map(|percent| u32::try_from((percent << 32).div_ceil(100) - 1).unwrap());
        let draws = boundaries.flat_map(|last| [last, last.saturating_add(1)]);
        for draw in draws.chain([0]).map(CohortDraw) {
            let mut seen = false;
            for percent in 0..=100 {
                let within = draw.is_within(percent);
                assert!(within || !seen, "{draw:?} at {percent} %");
                seen = within;
            }
            assert!(seen);
        }
    }

    #[test]
    fn percentage_boundaries_are_exact() {
        for (draw, percent, within) in [
            (0, 0, false),
            (0, 1, true),
            (u32::MAX, 99, false),
            (u32::MAX, 100, true),
            (u32::MAX / 2, 50, true),
            (u32::MAX / 2 + 1, 50, false),
        ] {
            assert_eq!(
                CohortDraw(draw).is_within(percent),
                within,
                "{draw} at {percent} %"
            );
        }
    }
}
