//! `[rollout]`: when a candidate is taken back by itself.

use super::reader::{Read, Table, count, truth};

/// When a candidate is taken back by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rollout {
    /// Whether it ever is.
    pub(crate) automatic_abort: bool,
    /// How many of 100 more clients than with the live deployment must fail.
    pub(crate) margin_percent: u8,
    /// How many documents of the candidate must have been served before it is judged.
    pub(crate) minimum_views: u64,
    /// How many different clients must have reported a failure of it.
    pub(crate) minimum_clients: u64,
    /// The share of failures that browsers report, of 100.
    pub(crate) sample_percent: u8,
}

impl Default for Rollout {
    fn default() -> Self {
        Self {
            automatic_abort: true,
            margin_percent: 5,
            minimum_views: 100,
            minimum_clients: 5,
            sample_percent: 100,
        }
    }
}

const PERCENT: &str = "a whole number from 1 to 100";
const NUMBER: &str = "a whole number above zero";

/// Reads `[rollout]`.
pub(super) fn read(mut table: Table<'_>) -> Option<Rollout> {
    let automatic_abort = table.optional("automatic_abort", "true or false", truth);
    let margin_percent = table.optional("margin_percent", PERCENT, percent);
    let minimum_views = table.optional("minimum_views", NUMBER, count);
    let minimum_clients = table.optional("minimum_clients", NUMBER, count);
    let sample_percent = table.optional("sample_percent", PERCENT, percent);
    table.finish();
    let default = Rollout::default();
    Some(Rollout {
        automatic_abort: automatic_abort?.unwrap_or(default.automatic_abort),
        margin_percent: margin_percent?.unwrap_or(default.margin_percent),
        minimum_views: minimum_views?.unwrap_or(default.minimum_views),
        minimum_clients: minimum_clients?.unwrap_or(default.minimum_clients),
        sample_percent: sample_percent?.unwrap_or(default.sample_percent),
    })
}

fn percent(value: &toml::de::DeValue<'_>) -> Read<u8> {
    let number = count(value)?;
    u8::try_from(number)
        .ok()
        .filter(|percent| *percent <= 100)
        .ok_or(format!("is {number}"))
}
