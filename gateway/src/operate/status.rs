//! The status of a site as text, in the words of `colonnade status`.

use jiff::Timestamp;
use serde_json::Value;

const EMPTY: &str = "-";

/// Enough to find a commit.
const COMMIT_CHARACTERS: usize = 12;

/// Describes what is live, the rollouts, and the releases of each section.
pub(super) fn describe(status: &Value) -> String {
    let live = &status["live"];
    let mut lines = vec![match live {
        Value::Null => "no deployment is live".to_owned(),
        _ => format!("deployment {live} is live"),
    }];
    let lost = |release| {
        format!(
            "{} is missing or damaged: visitors do not get the section",
            cell(release)
        )
    };
    lines.extend(items(&status["unavailable"]).map(lost));
    lines.extend(items(&status["settingProblems"]).map(cell));
    lines.extend(items(&status["leftOutExtensions"]).map(cell));
    let mut parts = vec![lines.join("\n")];
    let rollouts = &status["rollouts"];
    if items(rollouts).next().is_some() {
        parts.push(table(ROLLOUT_HEADER, items(rollouts).map(rollout)));
    }
    let summaries = items(rollouts).filter_map(|rollout| {
        let summary = rollout["analysis"]["summary"].as_str()?;
        Some(format!("{}: {summary}", sections(rollout)))
    });
    let summaries: Vec<String> = summaries.collect();
    if !summaries.is_empty() {
        parts.push(summaries.join("\n"));
    }
    if items(&status["sections"]).next().is_some() {
        parts.push(table(SECTION_HEADER, items(&status["sections"]).map(section)));
    }
    parts.join("\n\n")
}

const ROLLOUT_HEADER: [&str; 7] = [
    "rollout of",
    "candidate",
    "visitors",
    "step",
    "analysis",
    "started by",
    "started",
];

fn rollout(rollout: &Value) -> [String; 7] {
    let progress = &rollout["progress"];
    let verdict = rollout["analysis"]["verdict"].as_str();
    let step = progress["steps"].as_str().map(|steps| {
        // The last one is not a step, but the end.
        let count = steps.split(',').count() - 1;
        let paused = if progress["paused"] == true {
            ", paused"
        } else {
            ""
        };
        format!("{} of {count}{paused}", progress["step"])
    });
    [
        sections(rollout),
        cell(&rollout["deployment"]),
        format!("{}%", rollout["percent"]),
        step.unwrap_or_else(|| EMPTY.to_owned()),
        verdict.map_or_else(|| EMPTY.to_owned(), |verdict| verdict.replace('-', " ")),
        cell(&rollout["by"]),
        time(&rollout["startedAt"]),
    ]
}

const SECTION_HEADER: [&str; 10] = [
    "section",
    "live",
    "live commit",
    "candidate",
    "newest release",
    "published",
    "commit",
    "author",
    "stored",
    "publishes in 24 h",
];

fn section(section: &Value) -> [String; 10] {
    let published = |release: &&Value| release["publishedAt"].as_str()?.parse::<Timestamp>().ok();
    let newest = items(&section["releases"])
        .max_by_key(published)
        .unwrap_or(&Value::Null);
    let mut releases = items(&section["releases"]);
    let live = releases
        .find(|release| release["version"] == section["live"])
        .unwrap_or(&Value::Null);
    let usage = &section["usage"];
    let mebibytes = |bytes: &Value| bytes.as_u64().unwrap_or_default().div_ceil(1024 * 1024);
    [
        cell(&section["name"]),
        cell(&section["live"]),
        commit(live),
        cell(&section["candidate"]),
        cell(&newest["version"]),
        time(&newest["publishedAt"]),
        commit(newest),
        cell(&newest["source"]["author"]),
        format!(
            "{} of {} MiB",
            mebibytes(&usage["storedBytes"]),
            mebibytes(&usage["maxStoredBytes"])
        ),
        format!(
            "{} of {}",
            cell(&usage["publishes"]),
            cell(&usage["maxPublishesPerDay"])
        ),
    ]
}

fn commit(release: &Value) -> String {
    let commit = cell(&release["source"]["commit"]);
    commit.chars().take(COMMIT_CHARACTERS).collect()
}

fn sections(rollout: &Value) -> String {
    let sections = rollout["sections"].as_object().into_iter().flatten();
    sections
        .map(|(name, _)| name.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A value as text.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => EMPTY.to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A time to the minute.
fn time(value: &Value) -> String {
    let time = value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    time.map_or_else(
        || cell(value),
        |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string(),
    )
}

/// Rows as aligned columns.
fn table<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<_> = [header.map(ToOwned::to_owned)].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().enumerate();
        let cells = cells.map(|(column, cell)| format!("{cell:0$}", width(column).unwrap_or_default()));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn status_has_the_columns_and_words_of_colonnade_status() {
        let status = include_str!("../../../packages/cli/fixtures/status.json");
        let expected = include_str!("../../../packages/cli/fixtures/status.txt");
        let status = serde_json::from_str(status).unwrap();
        assert_eq!(describe(&status) + "\n", expected);
    }
}
