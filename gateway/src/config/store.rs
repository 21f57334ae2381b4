//! `[store]`: where releases and deployments are kept, and for how long.

use std::path::{Path, PathBuf};

use super::reader::{Table, count, number, path};

/// Where releases and deployments are kept.
#[derive(Debug)]
pub(crate) struct Store {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// What a collection leaves.
    pub(crate) keep: Keep,
}

/// Which deployments a collection leaves besides the live one and the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    /// How many of the last ones.
    pub(crate) deployments: usize,
    /// Those that visitors saw within so many hours.
    pub(crate) hours: i64,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            deployments: 20,
            hours: 72,
        }
    }
}

/// Reads `[store]`; a relative path starts from `folder`.
pub(super) fn read(mut table: Table<'_>, folder: &Path) -> Option<Store> {
    let place = table.required("folder", "the path of a folder", path);
    let deployments = table.optional("keep_deployments", "a whole number above zero", |value| {
        usize::try_from(count(value)?).map_err(|_| "is too large".to_owned())
    });
    let hours = table.optional("keep_hours", "a number of hours from 0 to 87600", |value| {
        let hours = number(value)?;
        i64::try_from(hours)
            .ok()
            .filter(|hours| *hours <= 87_600)
            .ok_or(format!("is {hours}"))
    });
    table.finish();
    let default = Keep::default();
    Some(Store {
        folder: folder.join(place?),
        keep: Keep {
            deployments: deployments?.unwrap_or(default.deployments),
            hours: hours?.unwrap_or(default.hours),
        },
    })
}
