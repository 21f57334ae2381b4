//! Which changed settings need a restart.

use std::collections::{BTreeMap, BTreeSet};

use secrecy::{ExposeSecret, SecretString};
use toml::{Table, Value};

use crate::integrations::Integrations;
use crate::limits::LimitsTable;
use crate::{AdminSettings, Budget, Listen, SiteSettings};

/// The tables and keys that SIGHUP reloads, from the settings that contain them.
const RELOADABLE: [&[&str]; 6] = [
    AdminSettings::RELOADABLE,
    Budget::RELOADABLE,
    LimitsTable::RELOADABLE,
    Listen::RELOADABLE,
    Integrations::RELOADABLE,
    SiteSettings::RELOADABLE,
];

/// The tables of certificates. SIGHUP reloads their keys, but a listener cannot switch between TLS
/// and plain HTTP.
const CERTIFICATES: [&str; 2] = ["listen.tls", "listen.admin_tls"];

/// Whether SIGHUP applies a change of this key, such as `limits.max_connections`. All others need
/// an upgrade or a restart.
pub fn is_reloadable(key: &str) -> bool {
    let is_inside = |name: &str| key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let mut names = RELOADABLE.iter().copied().flatten();
    names.any(|name| key == *name || is_inside(name)) || CERTIFICATES.into_iter().any(is_inside)
}

/// The settings of a file, to compare them with those of a later version.
#[derive(Debug, Default)]
pub struct RestartSettings {
    tables: Table,
    /// The secrets that keys refer to.
    secrets: BTreeMap<String, Vec<SecretString>>,
}

impl RestartSettings {
    pub(crate) fn new(tables: Table, secrets: BTreeMap<String, Vec<SecretString>>) -> Self {
        Self { tables, secrets }
    }

    /// The keys, such as `store.folder`, that differ in `newer` and that only a restart applies;
    /// sorted.
    pub fn restart_required(&self, newer: &Self) -> Vec<String> {
        let names: BTreeSet<String> = self.names().chain(newer.names()).collect();
        let changed = names.into_iter().filter(|name| self.differs(newer, name));
        changed.collect()
    }

    fn differs(&self, newer: &Self, name: &str) -> bool {
        let (before, after) = (self.get(name), newer.get(name));
        match name {
            _ if is_reloadable(name) => false,
            _ if CERTIFICATES.contains(&name) => before.is_some() != after.is_some(),
            // The variable or the file may contain a new secret.
            _ => before != after || !self.secrets(name).eq(newer.secrets(name)),
        }
    }

    /// The names of all keys: `table.key`.
    fn names(&self) -> impl Iterator<Item = String> {
        self.tables.iter().flat_map(|(table, value)| {
            let keys = value.as_table().into_iter().flat_map(Table::keys);
            keys.map(move |key| format!("{table}.{key}"))
        })
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let (table, key) = name.split_once('.')?;
        self.tables.get(table)?.get(key)
    }

    fn secrets(&self, name: &str) -> impl Iterator<Item = &str> {
        let secrets = self.secrets.get(name).into_iter().flatten();
        secrets.map(ExposeSecret::expose_secret)
    }
}
