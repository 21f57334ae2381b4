//! Cohort assignment: which visitors see the candidates of the running rollouts.
//!
//! The cookie is `<rollout>.<draw>` for each rollout, joined by `-`.

use http::HeaderMap;

use super::COOKIE;
use colonnade_model::deployment::{MAX_ROLLOUTS, Rollout};
use colonnade_web::cookie;

/// A visitor's draws for the running rollouts, in their order.
#[derive(Debug)]
pub struct CohortDraws<'a> {
    draws: Vec<(&'a Rollout, CohortDraw)>,
    /// Whether a draw is missing in the request's cookie.
    is_new: bool,
}

/// A visitor's random number for a rollout. Visitors below the rollout's percentage of the range see the candidate, so
/// raising the percentage only adds visitors; 0 % selects none of them and 100 % all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CohortDraw(u32);

impl<'a> CohortDraws<'a> {
    /// Reads the draws from the request's cookie, and draws the missing numbers.
    pub fn new(headers: &HeaderMap, rollouts: &'a [Rollout]) -> Self {
        let mut is_new = false;
        let draws = rollouts.iter().map(|rollout| {
            let draw = CohortDraw::from_cookie(headers, &rollout.id).unwrap_or_else(|| {
                is_new = true;
                CohortDraw(rand::random())
            });
            (rollout, draw)
        });
        Self {
            draws: draws.collect(),
            is_new,
        }
    }

    /// The combination of rollouts whose candidates the visitor sees.
    pub fn combination(&self) -> usize {
        let draws = self.draws.iter().enumerate();
        let included = draws.filter(|(_, (rollout, draw))| draw.is_within(rollout.percent));
        included.map(|(index, _)| 1 << index).sum()
    }

    /// The value of the cookie to set; `None` if the visitor's cookie has all draws.
    pub fn new_cookie(&self) -> Option<String> {
        self.is_new.then(|| self.cookie())
    }

    fn cookie(&self) -> String {
        let draws = self.draws.iter();
        let draws: Vec<String> = draws
            .map(|(rollout, draw)| format!("{}.{}", rollout.id, draw.0))
            .collect();
        draws.join("-")
    }
}

impl CohortDraw {
    /// The visitor's draw for the rollout with this ID, if the cookie has one. A cookie of the gateway has at most
    /// [`MAX_ROLLOUTS`].
    fn from_cookie(headers: &HeaderMap, rollout: &str) -> Option<Self> {
        let draws = cookie::get(headers, COOKIE)?.split('-').take(MAX_ROLLOUTS);
        let mut draws = draws.filter_map(|draw| draw.split_once('.'));
        let (_, draw) = draws.find(|(id, _)| *id == rollout)?;
        draw.parse().ok().map(Self)
    }

    /// Whether the visitor sees the candidate at this percentage.
    fn is_within(self, percent: u8) -> bool {
        u64::from(self.0) * 100 < u64::from(percent) << 32
    }
}

#[cfg(any(test, feature = "testing"))]
/// Fuzzing: draws survive the round trip through a cookie, each counts for its own rollout only, and draws of other
/// rollouts are dropped.
///
/// # Panics
///
/// If an invariant is violated.
pub fn fuzz(sent: &HeaderMap) {
    let rollouts = ["5f3a9c01", "5f3a9c02", "5f3a9c03"].map(|id| Rollout {
        id: id.to_owned(),
        percent: 50,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        by: "team".to_owned(),
        progress: None,
        unknown: serde_json::Map::new(),
    });
    let (running, ended) = rollouts.split_at(2);
    let draws = CohortDraws::new(sent, running);
    for (rollout, draw) in &draws.draws {
        let known = CohortDraw::from_cookie(sent, &rollout.id);
        assert!(known.is_none_or(|known| known == *draw));
    }
    let mut response = HeaderMap::new();
    cookie::set(&mut response, COOKIE, &draws.cookie(), 60, false);
    let returned = HeaderMap::from_iter([(http::header::COOKIE, cookie::returned(&response))]);
    let again = CohortDraws::new(&returned, running);
    assert_eq!((&again.draws, again.is_new), (&draws.draws, false));
    assert_eq!(CohortDraw::from_cookie(&returned, &ended[0].id), None);
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
