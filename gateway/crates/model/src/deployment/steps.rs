//! The steps of a rollout, such as `5% for 10m, 25% for 30m, 100%`.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

/// The maximum number of steps before the last one.
const MAX_STEPS: usize = 20;

/// The maximum duration of a step in seconds: a week.
const MAX_SECONDS: i64 = 7 * 24 * 60 * 60;

/// What a step looks like, for errors.
pub const EXPECTED_STEPS: &str = "steps with rising shares, such as `5% for 10m, 25% for 1h, 100%`";

/// The units of a duration, largest first, each with its seconds.
const UNITS: [(char, i64); 3] = [('h', 60 * 60), ('m', 60), ('s', 1)];

/// A share of visitors for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RolloutStep {
    /// The share of visitors who get the candidate, in percent: 1 to 99.
    pub percent: u8,
    /// The minimum duration of the step.
    pub duration: SignedDuration,
}

/// The steps of a rollout, at least one, with rising shares. After the last one the candidate
/// becomes live for all visitors, which the text calls `100%`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RolloutSteps(Vec<RolloutStep>);

impl RolloutSteps {
    /// The steps, in order.
    pub fn as_slice(&self) -> &[RolloutStep] {
        &self.0
    }

    /// The first step.
    pub fn first(&self) -> RolloutStep {
        self.0[0]
    }
}

impl FromStr for RolloutSteps {
    type Err = String;

    /// Parses the text form. The error says what is wrong and in which step.
    fn from_str(text: &str) -> Result<Self, String> {
        let texts: Vec<&str> = text.split(',').map(str::trim).collect();
        let Some((&"100%", texts)) = texts.split_last() else {
            return Err("does not end with `100%`".to_owned());
        };
        if texts.is_empty() {
            return Err("has no step before `100%`".to_owned());
        }
        if texts.len() > MAX_STEPS {
            return Err(format!(
                "has {} steps before `100%`, more than {MAX_STEPS}",
                texts.len()
            ));
        }
        let mut steps: Vec<RolloutStep> = Vec::new();
        for (number, text) in (1..).zip(texts) {
            let wrong = |what: &str| format!("step {number}, `{}`, {what}", text.escape_debug());
            let step: RolloutStep = text.parse().map_err(wrong)?;
            if steps.last().is_some_and(|before| before.percent >= step.percent) {
                return Err(wrong("has no larger share than the step before"));
            }
            steps.push(step);
        }
        Ok(Self(steps))
    }
}

impl FromStr for RolloutStep {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (percent, duration) = text.split_once("% for ").ok_or("is not `<share>% for <time>`")?;
        let percent = whole(percent).and_then(|percent| u8::try_from(percent).ok());
        let percent = percent.filter(|percent| (1..100).contains(percent));
        let percent = percent.ok_or("has no share from 1% to 99%")?;
        let seconds = UNITS.iter().find_map(|(unit, seconds)| {
            let number = whole(duration.strip_suffix(*unit)?)?;
            number.checked_mul(*seconds)
        });
        let seconds = seconds.filter(|seconds| (1..=MAX_SECONDS).contains(seconds));
        let seconds = seconds.ok_or("has no time from 1s to 168h, with the unit s, m or h")?;
        Ok(Self {
            percent,
            duration: SignedDuration::from_secs(seconds),
        })
    }
}

/// A number of only digits. Rust also reads a sign.
fn whole(text: &str) -> Option<i64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_digits)
}

impl fmt::Display for RolloutSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            write!(f, "{step}, ")?;
        }
        f.write_str("100%")
    }
}

impl fmt::Display for RolloutStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.duration.as_secs();
        let fits = |(_, unit): &&(char, i64)| seconds % unit == 0;
        let (unit, length) = UNITS.iter().find(fits).unwrap_or(&('s', 1));
        write!(f, "{}% for {}{unit}", self.percent, seconds / length)
    }
}

impl TryFrom<String> for RolloutSteps {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<RolloutSteps> for String {
    fn from(steps: RolloutSteps) -> Self {
        steps.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::RolloutSteps;

    #[test]
    fn steps_are_read_and_written() {
        for (text, written) in [
            ("5% for 10m, 25% for 1h, 100%", "5% for 10m, 25% for 1h, 100%"),
            ("1% for 60s,99% for 60m,100%", "1% for 1m, 99% for 1h, 100%"),
            ("10% for 90s, 100%", "10% for 90s, 100%"),
            ("10% for 168h, 100%", "10% for 168h, 100%"),
        ] {
            let steps: RolloutSteps = text.parse().unwrap();
            assert_eq!(steps.to_string(), written);
            assert_eq!(written.parse(), Ok(steps));
        }
    }

    #[test]
    fn problem_names_the_step() {
        let many = "1% for 1s, ".repeat(21) + "100%";
        for (text, expected) in [
            ("", "does not end with `100%`"),
            ("5% for 10m", "does not end with `100%`"),
            ("100%", "has no step before `100%`"),
            (&*many, "has 21 steps before `100%`, more than 20"),
            ("5%, 100%", "step 1, `5%`, is not `<share>% for <time>`"),
            (
                "5% for 1m, 0% for 1m, 100%",
                "step 2, `0% for 1m`, has no share from 1% to 99%",
            ),
            ("100% for 1m, 100%", "step 1, `100% for 1m`, has no share from"),
            ("+5% for 1m, 100%", "step 1, `+5% for 1m`, has no share from"),
            (
                "5% for 1m, 5% for 1m, 100%",
                "step 2, `5% for 1m`, has no larger share",
            ),
            (
                "5% for 10, 100%",
                "step 1, `5% for 10`, has no time from 1s to 168h",
            ),
            ("5% for 0m, 100%", "has no time"),
            ("5% for 169h, 100%", "has no time"),
            ("5% for 9223372036854775807h, 100%", "has no time"),
            ("5% for \n1m, 100%", "step 1, `5% for \\n1m`, has no time"),
        ] {
            let problem = text.parse::<RolloutSteps>().expect_err(text);
            assert!(
                problem.starts_with(expected) || problem.contains(expected),
                "{problem}"
            );
        }
    }
}
