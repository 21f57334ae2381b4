//! Cohort assignment: which visitors see the candidates of the running rollouts.
//!
//! The cookie is `<rollout>.<draw>.<signature>` for each rollout, joined by `:`. The rollout's key signs the draw, so that a
//! visitor cannot choose it.

use super::COOKIE;
use crate::signature;
use colonnade_model::deployment::{MAX_ROLLOUTS, Rollout};
use colonnade_web::cookie::Cookies;

/// Separates the draws in the cookie.
const SEPARATOR: char = ':';

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
    pub fn new(cookies: Cookies<'_>, rollouts: &'a [Rollout]) -> Self {
        let (sent, mut is_new) = (cookies.get(COOKIE), false);
        let draws = rollouts.iter().map(|rollout| {
            let draw = CohortDraw::from_cookie(sent, rollout).unwrap_or_else(|| {
                is_new = true;
                CohortDraw(colonnade_random::random())
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
        combination(
            self.draws
                .iter()
                .map(|(rollout, draw)| draw.is_within(rollout.percent)),
        )
    }

    /// The combination of rollouts whose candidates the request's cookie selects. A rollout without a draw is not included: it
    /// started after the visitor's last document.
    pub fn known_combination(cookies: Cookies<'_>, rollouts: &[Rollout]) -> usize {
        let sent = cookies.get(COOKIE);
        combination(rollouts.iter().map(|rollout| {
            let draw = CohortDraw::from_cookie(sent, rollout);
            draw.is_some_and(|draw| draw.is_within(rollout.percent))
        }))
    }

    /// The value of the cookie to set; `None` if the visitor's cookie has all draws.
    pub fn new_cookie(&self) -> Option<String> {
        self.is_new.then(|| self.cookie())
    }

    fn cookie(&self) -> String {
        let draws = self.draws.iter();
        let draws: Vec<String> = draws.map(|(rollout, draw)| draw.signed(rollout)).collect();
        draws.join(&SEPARATOR.to_string())
    }
}

/// The combination of these rollouts: whether each is included, in their order.
fn combination(included: impl Iterator<Item = bool>) -> usize {
    included
        .enumerate()
        .map(|(index, is_included)| usize::from(is_included) << index)
        .sum()
}

impl CohortDraw {
    /// The visitor's draw for the rollout, if the cookie has one that the gateway signed. A cookie of the gateway has at most
    /// [`MAX_ROLLOUTS`].
    fn from_cookie(cookie: Option<&str>, rollout: &Rollout) -> Option<Self> {
        let draws = cookie?.split(SEPARATOR).take(MAX_ROLLOUTS);
        let mut draws = draws.filter_map(|draw| draw.rsplit_once('.'));
        let (signed, draw, signature) = draws.find_map(|(signed, signature)| {
            let (id, draw) = signed.split_once('.')?;
            (id == rollout.id).then_some((signed, draw, signature))
        })?;
        let is_signed = signature::is_signed(&rollout.key, signed, signature);
        draw.parse().ok().filter(|_| is_signed).map(Self)
    }

    /// The draw in the cookie.
    fn signed(self, rollout: &Rollout) -> String {
        let draw = format!("{}.{}", rollout.id, self.0);
        let signature = signature::sign(&rollout.key, &draw);
        format!("{draw}.{signature}")
    }

    /// Whether the visitor sees the candidate at this percentage.
    fn is_within(self, percent: u8) -> bool {
        u64::from(self.0) * 100 < u64::from(percent) << 32
    }
}

#[cfg(any(test, feature = "testing"))]
/// Fuzzing: only signed draws count, draws survive the round trip through a cookie, each counts for its own rollout only, and
/// draws of other rollouts are dropped.
///
/// # Panics
///
/// If an invariant is violated.
pub fn fuzz(sent: &http::HeaderMap) {
    use colonnade_web::cookie;
    use http::HeaderMap;

    /// Keys used only here. The corpus has draws that they signed.
    const KEYS: [&str; 3] = [
        "\"Zm9yIGEgZnV6emVyIGFuZCBub2JvZHkgZWxzZSEhISE\"",
        "\"Zm9yIGEgZnV6emVyIGFuZCBub2JvZHkgZWxzZSEhISI\"",
        "\"Zm9yIGEgZnV6emVyIGFuZCBub2JvZHkgZWxzZSEhISM\"",
    ];
    let rollouts = [1, 2, 3].map(|number| Rollout {
        id: format!("5f3a9c0{number}"),
        key: serde_json::from_str(KEYS[number - 1]).expect("it is a key"),
        percent: 50,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        by: "team".to_owned(),
        progress: None,
        unknown: serde_json::Map::new(),
    });
    let (running, ended) = rollouts.split_at(2);
    let sent = Cookies::new(sent, false);
    let draws = CohortDraws::new(sent, running);
    for (rollout, draw) in &draws.draws {
        let known = CohortDraw::from_cookie(sent.get(COOKIE), rollout);
        assert!(known.is_none_or(|known| known == *draw));
        let sent = sent.get(COOKIE).unwrap_or_default();
        assert!(known.is_none_or(|known| sent.contains(&known.signed(rollout))));
    }
    let mut response = HeaderMap::new();
    cookie::set(&mut response, COOKIE, &draws.cookie(), 60, false);
    let returned = HeaderMap::from_iter([(http::header::COOKIE, cookie::returned(&response))]);
    let returned = Cookies::new(&returned, false);
    let again = CohortDraws::new(returned, running);
    assert_eq!((&again.draws, again.is_new), (&draws.draws, false));
    assert_eq!(CohortDraw::from_cookie(returned.get(COOKIE), &ended[0]), None);
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
