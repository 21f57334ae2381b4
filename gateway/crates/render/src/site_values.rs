//! What pages read of the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use serde_json::value::RawValue;

/// The configuration of a section, as JSON.
pub type SectionConfig = Arc<RawValue>;

/// Values that the configuration gives to pages. They are public, and a reload replaces them.
#[derive(Debug)]
pub struct SiteValues {
    /// Unique. The keys of caches contain it, so what was made from other values is not found.
    revision: u64,
    /// `site` in render requests and in documents, without the date.
    pub site: Value,
    /// The configuration of each section that has one, by name.
    pub configs: BTreeMap<String, SectionConfig>,
}

impl SiteValues {
    /// New values.
    pub fn new(site: Value, configs: BTreeMap<String, SectionConfig>) -> Arc<Self> {
        static REVISIONS: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            revision: REVISIONS.fetch_add(1, Ordering::Relaxed),
            site,
            configs,
        })
    }

    /// Identifies these values in the keys of caches.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
