//! The links that the sections of a set contribute to the navigation of the shell.

use std::sync::Arc;

use colonnade_model::release::{Digest, NavigationEntry};

use crate::loaded::release::LoadedRelease;

/// The links of a set.
#[derive(Debug, Clone)]
pub struct Navigation {
    /// All of them, by their order, then by the names of their sections.
    pub entries: Vec<NavigationEntry>,
    /// Identifies the links in the keys of caches.
    pub digest: Digest,
}

impl Navigation {
    /// Of the set of these releases.
    pub(super) fn of(releases: &[Arc<LoadedRelease>]) -> Self {
        let mut entries: Vec<_> = releases
            .iter()
            .flat_map(|release| release.navigation.iter().map(|entry| (&release.id.name, entry)))
            .collect();
        // The links of a section with the same order stay as it lists them.
        entries.sort_by_key(|(section, entry)| (entry.order, *section));
        let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry.clone()).collect();
        let json = serde_json::to_vec(&entries).expect("links are JSON");
        Self {
            entries,
            digest: Digest::of(&json),
        }
    }
}
