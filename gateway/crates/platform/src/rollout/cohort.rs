//! Cohort assignment: which visitors get the candidates of the running rollouts.
//!
//! A visitor's cookie names one of 65,536 groups, at random. The key of each rollout decides which
//! groups belong to its cohort, so that a visitor takes part in each rollout independently of the
//! others, and stays in it. Visitors share groups, so the cookie identifies nobody. It has the same
//! size for any number of rollouts.

use crate::rollout::COOKIE;
use crate::signature;
use colonnade_model::deployment::{Rollout, SetName, VisibleDeployments};
use colonnade_web::cookie::Cookies;

/// A visitor's group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cohort {
    group: u16,
    /// Whether the request's cookie has no group.
    is_new: bool,
}

impl Cohort {
    /// Reads the group from the request's cookie, or draws one.
    pub fn new(cookies: Cookies<'_>) -> Self {
        let known = Self::known(cookies);
        known.unwrap_or_else(|| Self {
            group: colonnade_random::random(),
            is_new: true,
        })
    }

    /// The group of the request's cookie.
    pub fn known(cookies: Cookies<'_>) -> Option<Self> {
        let group = cookies.get(COOKIE)?;
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        // Each group has one spelling.
        let is_valid = group.len() == 4 && group.bytes().all(is_hex);
        let group = u16::from_str_radix(group, 16).ok().filter(|_| is_valid)?;
        Some(Self { group, is_new: false })
    }

    /// The set that the visitor gets.
    pub fn set(self, visible: &VisibleDeployments) -> SetName {
        let rollouts = visible.rollouts().iter();
        let chosen = rollouts.filter(|rollout| self.is_within(rollout));
        SetName::with(visible.live(), chosen.map(|rollout| rollout.candidate))
    }

    /// The value of the cookie to set; `None` if the visitor has it.
    pub fn new_cookie(self) -> Option<String> {
        self.is_new.then(|| format!("{:04x}", self.group))
    }

    /// Whether the visitor gets the candidate of a rollout. Raising its percentage only adds
    /// visitors; 0 % selects none of them.
    fn is_within(self, rollout: &Rollout) -> bool {
        let draw = signature::hash(&rollout.key, &self.group.to_be_bytes());
        is_below(draw, rollout.percent)
    }
}

/// Whether a draw from all 64-bit numbers is within this share of them.
fn is_below(draw: u64, percent: u8) -> bool {
    u128::from(draw) * 100 < u128::from(percent) << 64
}

/// Fuzzing: a group survives the round trip through a cookie, and visitors get a set that is
/// offered.
///
/// # Panics
///
/// If an invariant is violated.
#[cfg(any(test, feature = "testing"))]
pub fn fuzz(sent: &http::HeaderMap) {
    use colonnade_model::secret::Secret;
    use colonnade_web::cookie::{self, Cookie};
    use http::HeaderMap;

    let rollout = |candidate: u64| Rollout {
        id: candidate.to_string(),
        key: Secret::none(),
        candidate,
        since: candidate,
        percent: 50,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        by: "team".to_owned(),
        progress: None,
        unknown: serde_json::Map::new(),
    };
    let visible = VisibleDeployments::first(1, 1)
        .started(rollout(2))
        .started(rollout(3));
    let cohort = Cohort::new(Cookies::new(sent, false));
    assert!(visible.has_offered(&cohort.set(&visible)));
    let mut response = HeaderMap::new();
    let group = format!("{:04x}", cohort.group);
    Cookie::new(COOKIE, &group, 60).append(&mut response, false);
    let returned = HeaderMap::from_iter([(http::header::COOKIE, cookie::returned(&response))]);
    let again = Cohort::known(Cookies::new(&returned, false)).expect("the cookie has a group");
    assert_eq!((again.group, again.new_cookie()), (cohort.group, None));
    assert_eq!(again.set(&visible), cohort.set(&visible));
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn percentage_boundaries_are_exact() {
        for percent in 0..=100_u8 {
            let first_outside = (u128::from(percent) << 64).div_ceil(100);
            if let Ok(draw) = u64::try_from(first_outside) {
                assert!(!is_below(draw, percent), "{percent} %");
            }
            if let Some(last) = first_outside.checked_sub(1) {
                assert!(is_below(u64::try_from(last).unwrap(), percent), "{percent} %");
            }
        }
    }
}
