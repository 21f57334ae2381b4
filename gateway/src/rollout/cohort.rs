//! Which visitors see the candidate of a rollout.

use http::HeaderMap;

use super::COOKIE;
use crate::cookie;
use crate::deployment::Rollout;

/// A visitor's place in a rollout: a number drawn once, evenly from all there are. The visitor sees the candidate as
/// long as it lies below the rollout's share of that range, so a larger share only ever adds visitors, none sees
/// nobody, and all sees everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draw(u32);

impl Draw {
    /// Draws.
    pub(crate) fn new() -> Self {
        Self(rand::random())
    }

    /// What a visitor drew for this rollout before.
    pub(crate) fn of(headers: &HeaderMap, rollout: &Rollout) -> Option<Self> {
        let (id, draw) = cookie::get(headers, COOKIE)?.split_once('.')?;
        if id != rollout.id {
            return None;
        }
        draw.parse().ok().map(Self)
    }

    /// Whether whoever drew it sees the candidate at this share of 100.
    pub(crate) fn is_within(self, percent: u8) -> bool {
        u64::from(self.0) * 100 < u64::from(percent) << 32
    }

    /// The value of the cookie that keeps it.
    pub(crate) fn cookie(self, rollout: &Rollout) -> String {
        format!("{}.{}", rollout.id, self.0)
    }
}

#[cfg(any(test, feature = "fuzzing"))]
/// What must hold of a visitor's draw, whatever cookies are sent: one that is read is read again as the same, and of no
/// other rollout.
pub(crate) fn fuzz(sent: &HeaderMap) {
    let rollout = |id: &str| Rollout {
        id: id.to_owned(),
        deployment: 2,
        percent: 50,
        started_at: jiff::Timestamp::UNIX_EPOCH,
    };
    let (this, other) = (rollout("5f3a9c01"), rollout("5f3a9c02"));
    let before = Draw::of(sent, &this);
    assert!(before.is_none() || Draw::of(sent, &other).is_none());
    let draw = before.unwrap_or(Draw(u32::MAX));
    let mut reply = HeaderMap::new();
    cookie::set(&mut reply, COOKIE, &draw.cookie(&this), 60, false);
    let again = HeaderMap::from_iter([(http::header::COOKIE, cookie::returned(&reply))]);
    assert_eq!(Draw::of(&again, &this), Some(draw));
    assert_eq!(Draw::of(&again, &other), None);
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::Draw;

    const VISITORS: u32 = 100_000;

    fn visitors() -> Vec<Draw> {
        let mut random = SmallRng::seed_from_u64(20_261_121);
        (0..VISITORS).map(|_| Draw(random.random())).collect()
    }

    #[test]
    fn a_share_of_visitors_is_exact_within_binomial_error() {
        let visitors = visitors();
        for percent in [0, 1, 10, 50, 99, 100] {
            let within = visitors
                .iter()
                .map(|draw| u32::from(draw.is_within(percent)))
                .sum::<u32>();
            let share = f64::from(percent) / 100.0;
            let size = f64::from(VISITORS);
            // Four standard deviations; nothing at all for none and for everybody.
            let error = 4.0 * (size * share * (1.0 - share)).sqrt();
            let off = (f64::from(within) - size * share).abs();
            assert!(off <= error, "{within} of {VISITORS} at {percent} %");
        }
    }

    #[test]
    fn a_larger_share_never_moves_a_visitor_back() {
        for draw in visitors() {
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
    fn the_ends_of_the_range_are_exact() {
        for (draw, percent, within) in [
            (0, 0, false),
            (0, 1, true),
            (u32::MAX, 99, false),
            (u32::MAX, 100, true),
            (u32::MAX / 2, 50, true),
            (u32::MAX / 2 + 1, 50, false),
        ] {
            assert_eq!(Draw(draw).is_within(percent), within, "{draw} at {percent} %");
        }
    }
}
