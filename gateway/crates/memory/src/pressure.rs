//! Memory pressure: how much of its limit the process uses, in levels at which it accepts less
//! work.

use std::sync::atomic::{AtomicU8, Ordering};

/// The level of the process. Global, like its memory.
static CURRENT: AtomicU8 = AtomicU8::new(0);

/// How much of the memory limit is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pressure {
    /// Enough is free, or the limit is not known.
    Normal,
    /// From 85 % until below 80 %: what needs most memory is refused, and caches are halved.
    High,
    /// From 95 % until below 90 %: new requests of visitors are refused as well.
    Critical,
}

impl Pressure {
    /// The current level.
    pub fn current() -> Self {
        match CURRENT.load(Ordering::Relaxed) {
            0 => Self::Normal,
            1 => Self::High,
            _ => Self::Critical,
        }
    }

    /// Whether what needs most memory is refused.
    pub fn is_high() -> bool {
        Self::current() >= Self::High
    }

    /// Makes this the current level.
    pub fn apply(self) {
        CURRENT.store(self as u8, Ordering::Relaxed);
    }

    /// The level after this one at a use of this many percent of the limit. It falls only 5 % below
    /// where it rises, so that it does not alternate.
    #[must_use]
    pub fn next(self, percent: u64) -> Self {
        match percent {
            95.. => Self::Critical,
            90.. if self == Self::Critical => Self::Critical,
            85.. => Self::High,
            80.. if self >= Self::High => Self::High,
            _ => Self::Normal,
        }
    }

    /// Its name in log events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pressure::{self, Critical, High, Normal};

    #[test]
    fn level_falls_below_where_it_rises() {
        let mut level = Normal;
        let levels = [84, 85, 80, 79, 84, 95, 90, 89, 80, 96, 10].map(|percent| {
            level = Pressure::next(level, percent);
            level
        });
        let expected = [
            Normal, High, High, Normal, Normal, Critical, Critical, High, High, Critical, Normal,
        ];
        assert_eq!(levels, expected);
    }
}
