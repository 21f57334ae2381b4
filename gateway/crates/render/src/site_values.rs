//! What pages read of the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use colonnade_config::{NavigationSettings, PolicySettings};
use colonnade_model::release::NavigationList;
use colonnade_store::loaded::LoadedDeployment;
use jiff::civil::Date;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::navigation::{NavigationLink, links};

/// The configuration of a section, as JSON.
pub type SectionConfig = Arc<RawValue>;

/// Values that the configuration gives to pages. They are public, and a reload replaces them.
#[derive(Debug)]
pub struct SiteValues {
    /// Unique. The keys of caches contain it, so what was made from other values is not found.
    revision: u64,
    /// `site` in render requests and in documents, without the navigation and the date.
    pub site: Value,
    /// What the operator changes of the navigation.
    pub navigation: NavigationSettings,
    /// The configuration of each section that has one, by name.
    pub configs: BTreeMap<String, SectionConfig>,
    /// What documents may do.
    pub policy: PolicySettings,
}

impl SiteValues {
    /// New values.
    pub fn new(
        site: Value,
        navigation: NavigationSettings,
        configs: BTreeMap<String, SectionConfig>,
        policy: PolicySettings,
    ) -> Arc<Self> {
        static REVISIONS: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            revision: REVISIONS.fetch_add(1, Ordering::Relaxed),
            site,
            navigation,
            configs,
            policy,
        })
    }

    /// `site` in render requests and in documents of a set on a day.
    pub fn site_of(&self, set: &LoadedDeployment, day: Date) -> Value {
        let mut site = self.site.clone();
        site["navigation"] = json!({
            "menu": self.links(set, NavigationList::Menu),
            "footer": self.links(set, NavigationList::Footer),
        });
        site["today"] = json!(day.to_string());
        site
    }

    /// The links that documents of a set show in a list of the navigation.
    pub fn links<'a>(&'a self, set: &'a LoadedDeployment, list: NavigationList) -> Vec<NavigationLink<'a>> {
        let settings = match list {
            NavigationList::Menu => &self.navigation.menu,
            NavigationList::Footer => &self.navigation.footer,
        };
        let entries = set.navigation.entries.iter();
        links(settings, entries.filter(|entry| entry.to == list))
    }

    /// Identifies these values in the keys of caches.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
