//! Names of the sets of releases that visitors get.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// The most candidates of a name that is parsed.
const MAX_CANDIDATES: usize = 1000;

/// The name of a set of releases: a live deployment, with the changes of some candidates.
///
/// As text, the numbers of the deployments are joined by periods: `42` is the live deployment 42,
/// and `42.43.45` is the same with the changes of the candidates 43 and 45. Each set has one name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct SetName {
    /// The live deployment.
    live: u64,
    /// The candidates, in ascending order.
    candidates: Vec<u64>,
}

/// A text is not the name of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected the number of a deployment and the numbers of candidates, such as `42` or `42.43`")]
pub struct SetNameError;

impl SetName {
    /// The set of all visitors without a candidate.
    pub const fn of_live(live: u64) -> Self {
        Self {
            live,
            candidates: Vec::new(),
        }
    }

    /// The set of visitors with these candidates.
    #[must_use]
    pub fn with(live: u64, candidates: impl IntoIterator<Item = u64>) -> Self {
        let mut candidates: Vec<u64> = candidates.into_iter().collect();
        candidates.sort_unstable();
        candidates.dedup();
        Self { live, candidates }
    }

    /// The number of the live deployment.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// The numbers of the candidates, in ascending order.
    pub fn candidates(&self) -> &[u64] {
        &self.candidates
    }

    /// The highest number of a deployment in the name.
    pub fn newest(&self) -> u64 {
        self.candidates.last().copied().unwrap_or(0).max(self.live)
    }
}

impl fmt::Display for SetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.live)?;
        self.candidates
            .iter()
            .try_for_each(|candidate| write!(f, ".{candidate}"))
    }
}

impl FromStr for SetName {
    type Err = SetNameError;

    fn from_str(text: &str) -> Result<Self, SetNameError> {
        let mut numbers = text.split('.').map(parse_number);
        let live = numbers.next().ok_or(SetNameError)??;
        let candidates: Vec<u64> = numbers.take(MAX_CANDIDATES + 1).collect::<Result<_, _>>()?;
        let is_ascending = candidates.is_sorted_by(|one, next| one < next);
        if !is_ascending || candidates.len() > MAX_CANDIDATES {
            return Err(SetNameError);
        }
        Ok(Self { live, candidates })
    }
}

impl TryFrom<String> for SetName {
    type Error = SetNameError;

    fn try_from(text: String) -> Result<Self, SetNameError> {
        text.parse()
    }
}

/// A number without a sign and without leading zeros, so that each set has one name.
fn parse_number(text: &str) -> Result<u64, SetNameError> {
    if !text.starts_with(|first: char| matches!(first, '1'..='9')) {
        return Err(SetNameError);
    }
    text.parse().map_err(|_| SetNameError)
}

#[cfg(test)]
mod tests {
    use super::{SetName, SetNameError};

    #[test]
    fn set_has_one_name() {
        for name in ["1", "42", "42.43", "42.43.45", "42.7"] {
            let parsed: SetName = name.parse().unwrap();
            assert_eq!(parsed.to_string(), name);
        }
        assert_eq!(SetName::with(42, [45, 43, 45]).to_string(), "42.43.45");
        for name in [
            "",
            ".",
            "0",
            "042",
            "+42",
            "42.",
            "42.45.43",
            "42.43.43",
            "42.x",
            "42 ",
            "18446744073709551616",
        ] {
            assert_eq!(name.parse::<SetName>(), Err(SetNameError), "{name}");
        }
    }
}
