//! `[store]`: the folder of releases and deployments, and what garbage collection retains.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::config_file::ConfigFile;
use super::value::{UNBOUNDED, integer, number, path};

/// Settings of the store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct StoreSettings {
    /// The folder.
    #[serde(deserialize_with = "path")]
    pub folder: PathBuf,
    #[serde(default = "number::<DEPLOYMENTS, _>")]
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    retain_deployments: usize,
    #[serde(default = "number::<HOURS, _>")]
    #[serde(deserialize_with = "integer::<0, 87_600, _, _>")]
    retain_hours: i64,
    #[serde(default = "number::<RELEASES, _>")]
    #[serde(deserialize_with = "integer::<0, UNBOUNDED, _, _>")]
    retain_releases: usize,
}

/// The deployments that garbage collection retains, besides the live deployment and the deployments of running rollouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The number of recent deployments.
    pub deployments: usize,
    /// Every deployment that was live, shown or created within this many hours.
    pub hours: i64,
    /// For each section, the number of previously live releases, and of releases that its rollbacks restore.
    pub releases: usize,
}

const DEPLOYMENTS: u16 = 20;
const HOURS: u16 = 72;
const RELEASES: u16 = 3;

impl Default for Retention {
    fn default() -> Self {
        Self {
            deployments: DEPLOYMENTS.into(),
            hours: HOURS.into(),
            releases: RELEASES.into(),
        }
    }
}

impl StoreSettings {
    /// Warns if the folder is not a folder that this user can write to, and cannot be created.
    pub(crate) fn warn(&self, file: &mut ConfigFile<'_>) {
        // The folder, or the folder in which it is created.
        let existing = self.folder.ancestors().find(|folder| folder.exists());
        let existing = existing.filter(|folder| *folder != Path::new(""));
        let existing = existing.unwrap_or(Path::new("."));
        let wrong = if !existing.is_dir() {
            format!("{} is not a folder", existing.display())
        } else if let Err(error) = tempfile::tempfile_in(existing) {
            format!("{} is not writable: {}", existing.display(), error.kind())
        } else {
            return;
        };
        let expected = "a folder that can be written to or created";
        file.warning(&["store", "folder"], &wrong, expected);
    }

    /// What garbage collection retains.
    pub fn retention(&self) -> Retention {
        Retention {
            deployments: self.retain_deployments,
            hours: self.retain_hours,
            releases: self.retain_releases,
        }
    }
}
