//! What of a changed configuration only a restart applies.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret, SecretString};
use toml::de::{DeTable, DeValue};

use super::Signup;

/// The keys that hold from the moment the file is read again.
const APPLIED: [&str; 11] = [
    "admin.tokens",
    "listen.admin_hosts",
    "listen.hosts",
    "listen.proxies",
    "listen.proxy_protocol",
    "signup.attempts",
    "signup.attempts_per_client",
    "signup.concurrent",
    "signup.failures",
    "signup.rest_seconds",
    "limits",
];

/// The file as it was written, by table and key.
#[derive(Debug, Default)]
pub(crate) struct Written {
    keys: BTreeMap<String, String>,
    /// The secret that `signup.key` named.
    key: Option<SecretString>,
}

impl Written {
    /// What a file says.
    pub(super) fn read(document: &DeTable<'_>, signup: Option<&Signup>) -> Self {
        let mut keys = BTreeMap::new();
        for (name, value) in document {
            let name = name.get_ref();
            let DeValue::Table(table) = value.get_ref() else {
                keys.insert(name.to_string(), plain(value.get_ref()));
                continue;
            };
            for (key, value) in table {
                keys.insert(format!("{name}.{}", key.get_ref()), plain(value.get_ref()));
            }
        }
        Self {
            keys,
            key: signup.map(|signup| signup.key.clone()),
        }
    }

    /// The names of the keys that differ and that only a restart applies. Their values are nobody's business.
    pub(crate) fn awaiting_restart(&self, newer: &Self) -> Vec<String> {
        let mut names: Vec<String> = self.keys.keys().cloned().collect();
        names.extend(newer.keys.keys().cloned());
        names.sort();
        names.dedup();
        names.retain(|name| self.differs(newer, name));
        names
    }

    fn differs(&self, newer: &Self, name: &str) -> bool {
        let (before, now) = (self.keys.get(name), newer.keys.get(name));
        let table = name.split('.').next().unwrap_or(name);
        match name {
            _ if APPLIED.contains(&name) || APPLIED.contains(&table) => false,
            // Another certificate is read; whether there is one stays.
            "listen.tls" | "listen.admin_tls" => before.is_some() != now.is_some(),
            // Also where another secret stands in the same place.
            "signup.key" => before != now || self.secret() != newer.secret(),
            _ => before != now,
        }
    }

    fn secret(&self) -> Option<&str> {
        self.key.as_ref().map(ExposeSecret::expose_secret)
    }
}

/// A value without the place where it stands, nor the order of its keys.
fn plain(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Array(values) => {
            let values: Vec<String> = values.iter().map(|value| plain(value.get_ref())).collect();
            format!("{values:?}")
        }
        DeValue::Table(table) => {
            let entries = table.iter();
            let entries: BTreeMap<String, String> = entries
                .map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref())))
                .collect();
            format!("{entries:?}")
        }
        value => format!("{value:?}"),
    }
}
