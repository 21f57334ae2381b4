//! The local copy of what visitors see: the live state, its deployments and their releases. With
//! it, a gateway starts while the object store is away.
//!
//! `live.json` of the copy is written last, when everything that it needs is there.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use colonnade_model::deployment::LiveState;
use colonnade_model::release::ReleaseId;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{StoreError, if_intact};
use crate::folder::FolderObjects;
use crate::keys::{CACHE_MARKER, LIVE, deployment_key, numbers, release_id, release_key};
use crate::published::{FileNames, PublishedRelease};

/// The local copy in a folder.
#[derive(Debug)]
pub(crate) struct Mirror {
    objects: FolderObjects,
    /// The files of the copied releases, which never change: reading all of them at each change
    /// takes long.
    releases: Mutex<HashMap<ReleaseId, Arc<FileNames>>>,
    /// The last error that was logged.
    reported: Mutex<Option<String>>,
}

/// What a folder is the copy of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    /// The URL of the store.
    pub(crate) url: String,
    /// The ID of the store.
    pub(crate) id: String,
}

impl Mirror {
    /// The copy in a folder.
    pub(crate) fn new(objects: FolderObjects) -> Self {
        Self {
            objects,
            releases: Mutex::default(),
            reported: Mutex::default(),
        }
    }

    /// Reads a copied object; `None` if it is not there, or damaged. Blocks shortly.
    pub(crate) fn read<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        if_intact(self.objects.read_json(key))
    }

    pub(crate) fn live_state(&self) -> Result<Option<LiveState>, StoreError> {
        self.read(LIVE)
    }

    pub(crate) fn marker(&self) -> Result<Option<Marker>, StoreError> {
        self.read(CACHE_MARKER)
    }

    pub(crate) fn write(&self, key: &str, value: &impl Serialize) -> Result<(), StoreError> {
        self.objects.write_json(key, value)
    }

    /// The files of a copied release; `None` if it is not there. Blocks shortly.
    pub(crate) fn files(&self, id: &ReleaseId) -> Option<Arc<FileNames>> {
        let key = release_key(id);
        let known = self.releases.lock().get(id).cloned();
        if known.is_some() && self.objects.has(&key) {
            return known;
        }
        let read: PublishedRelease = self.read(&key).ok()??;
        let files = read.is_safe().then(|| Arc::new(read.files))?;
        self.releases.lock().insert(id.clone(), Arc::clone(&files));
        Some(files)
    }

    /// The numbers of the copied deployments.
    pub(crate) fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        let listed = self.objects.entries("deployments")?;
        Ok(numbers(listed.iter().map(|listed| &*listed.name)))
    }

    /// Reads the record of a release again when its files are needed.
    pub(crate) fn forget(&self, id: &ReleaseId) {
        self.releases.lock().remove(id);
    }

    /// The next error is logged, whatever it is.
    pub(crate) fn forget_report(&self) {
        *self.reported.lock() = None;
    }

    /// Logs an error of the cache, once.
    pub(crate) fn report(&self, error: &dyn std::fmt::Display) {
        let error = error.to_string();
        let mut reported = self.reported.lock();
        if reported.as_ref() != Some(&error) {
            tracing::warn!(event = "store_cache_failed", error = %error);
            *reported = Some(error);
        }
    }

    /// Deletes the copies of other deployments and releases.
    pub(crate) fn retain(
        &self,
        deployments: &BTreeSet<u64>,
        releases: &BTreeSet<ReleaseId>,
    ) -> Result<(), StoreError> {
        for number in self.deployments()? {
            if !deployments.contains(&number) {
                self.objects.remove(&deployment_key(number))?;
            }
        }
        self.releases.lock().retain(|id, _| releases.contains(id));
        for listed in self.objects.entries("releases")? {
            if release_id(&listed.name).is_none_or(|id| !releases.contains(&id)) {
                self.objects.remove(&format!("releases/{}", listed.name))?;
            }
        }
        Ok(())
    }
}
