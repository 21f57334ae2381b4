//! The counts of canary analysis in a folder: `canary/<gateway>.json`.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fmt, fs};

use colonnade_model::canary::GatewayCounts;

use super::StoreError;
use super::durable::{create_folder, io, replace_json};
use super::paths::{Paths, entry_names, if_exists};
use super::read::{read_json, reject_link};

/// What tells the processes on one store apart: a random number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayId(u128);

impl GatewayId {
    /// A new one.
    pub fn random() -> Self {
        Self(colonnade_random::random())
    }
}

impl fmt::Display for GatewayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The age at which counts are deleted: their gateway has ended, or cannot reach the store.
pub(super) const MAX_AGE: Duration = Duration::from_mins(1);

/// The name of the file with the counts of a gateway.
pub(super) fn file_name(gateway: GatewayId) -> String {
    format!("{gateway}.json")
}

/// The counts of one gateway, unless they cannot be read, such as those of a newer gateway.
pub(super) fn if_readable(
    read: Result<Option<GatewayCounts>, StoreError>,
) -> Result<Option<GatewayCounts>, StoreError> {
    match read {
        Err(error) if error.is_damage() => {
            tracing::warn!(event = "canary_counts_ignored", error = %error);
            Ok(None)
        }
        read => read,
    }
}

impl Paths {
    pub(super) fn exchange_counts(
        &self,
        gateway: GatewayId,
        counts: &GatewayCounts,
    ) -> Result<Vec<GatewayCounts>, StoreError> {
        create_folder(&self.canary)?;
        reject_link(&self.canary)?;
        let own = self.canary_file(gateway);
        replace_json(&own, &self.scratch.folder, counts)?;
        let now = modified(&own)?;
        let mut others = Vec::new();
        for name in entry_names(&self.canary)? {
            let path = self.canary.join(name);
            if path == own {
                continue;
            }
            let age = modified(&path)?
                .zip(now)
                .and_then(|(at, now)| now.duration_since(at).ok());
            if age.is_some_and(|age| age > MAX_AGE) {
                if_exists(fs::remove_file(&path)).map_err(io(&path))?;
            } else {
                others.extend(if_readable(read_json(&path))?);
            }
        }
        Ok(others)
    }

    pub(super) fn delete_counts(&self, gateway: GatewayId) -> Result<(), StoreError> {
        let path = self.canary_file(gateway);
        if_exists(fs::remove_file(&path)).map_err(io(&path)).map(drop)
    }

    fn canary_file(&self, gateway: GatewayId) -> PathBuf {
        self.canary.join(file_name(gateway))
    }
}

/// When a file was written; `None` if it does not exist.
fn modified(path: &Path) -> Result<Option<SystemTime>, StoreError> {
    let metadata = if_exists(fs::symlink_metadata(path)).map_err(io(path))?;
    let modified = metadata.map(|metadata| metadata.modified());
    modified.transpose().map_err(io(path))
}
