//! `[[rollout.criteria]]`: queries to Prometheus that decide whether a rollout continues.

use serde::{Deserialize, Deserializer};
use toml::Value;

use crate::config_file::ConfigFile;
use crate::value::{convert, string, wrong_type};

/// What is different for the candidate and what is live.
const SIDES: [&str; 3] = ["$track", "$version", "$deployment"];

/// A query, and the limit of its result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Criterion {
    /// Its name in reports.
    #[serde(deserialize_with = "string")]
    pub name: String,
    /// The query, with placeholders: see [`Criterion::query`].
    #[serde(rename = "query", deserialize_with = "string")]
    template: String,
    /// The highest result of the candidate.
    #[serde(default, deserialize_with = "limit")]
    pub max: Option<f64>,
    /// The highest result of the candidate, as a multiple of that of the live release.
    #[serde(default, deserialize_with = "limit")]
    pub max_ratio: Option<f64>,
}

/// What a query asks for.
#[derive(Debug, Clone, Copy)]
pub struct QueriedSide<'a> {
    /// A section that the rollout changes, or `shell`.
    pub section: &'a str,
    /// The version of its release on this side.
    pub version: &'a str,
    /// `candidate` or `live`.
    pub track: &'a str,
    /// The number of the deployment.
    pub deployment: u64,
}

impl Criterion {
    /// The query for one side. No value has a character with a meaning in a string of a query. In a
    /// regular expression, `.` and `+` of a version have one.
    pub fn query(&self, side: QueriedSide<'_>) -> String {
        self.template
            .replace("$section", side.section)
            .replace("$version", side.version)
            .replace("$track", side.track)
            .replace("$deployment", &side.deployment.to_string())
    }
}

/// Checks names and limits.
pub(crate) fn resolve(criteria: &[Criterion], has_prometheus: bool, file: &mut ConfigFile<'_>) {
    for (index, criterion) in criteria.iter().enumerate() {
        let item = format!("[{index}]");
        let key = |name| ["rollout", "criteria", &item, name];
        if criteria[..index].iter().any(|other| other.name == criterion.name) {
            let wrong = format!("`{}` is the name of two criteria", criterion.name);
            file.problem(&key("name"), &wrong, "a name for each criterion");
        }
        // Also one with a problem is a limit.
        if ["max", "max_ratio"]
            .iter()
            .all(|limit| file.get(&key(limit)).is_none())
        {
            let wrong = format!("`{}` has no limit", criterion.name);
            file.problem(&key("name"), &wrong, "`max` or `max_ratio`");
        }
        let is_same = !SIDES.iter().any(|side| criterion.template.contains(side));
        if criterion.max_ratio.is_some() && is_same {
            let wrong = "asks for the same of the candidate and of what is live";
            file.problem(
                &key("query"),
                wrong,
                "`$track`, `$version` or `$deployment` in it",
            );
        }
    }
    if !criteria.is_empty() && !has_prometheus {
        file.problem(
            &["rollout", "criteria"],
            "need a server",
            "`[prometheus]` with its `url`",
        );
    }
}

/// A number that is not negative.
fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    convert(deserializer, "a number of at least 0", |value| {
        #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
        let number = match value {
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            other => return Err(wrong_type(other)),
        };
        let is_limit = number.is_finite() && number >= 0.0;
        is_limit
            .then_some(Some(number))
            .ok_or_else(|| format!("is {number}"))
    })
}
