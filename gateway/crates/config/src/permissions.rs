//! What tokens and grants permit: actions on sections.

use colonnade_model::release::is_name;
use serde::{Deserialize, Deserializer};
use strum::{EnumString, IntoStaticStr};

use crate::value::{as_nonempty_strings, convert};

/// An action that a token or a grant can allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Store a release.
    Publish,
    /// Make releases live; start, promote and abort rollouts.
    Deploy,
    /// Restore what was live before.
    Rollback,
    /// Create links to deployments that are not live, and end all previews.
    Preview,
    /// Run garbage collection.
    GarbageCollect,
    /// Remove responses of upstreams from the cache.
    Purge,
    /// Read the audit log.
    Audit,
    /// Read `/metrics` when the admin listener is not on a loopback address.
    Metrics,
}

impl Action {
    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The sections of a token or a grant.
#[derive(Debug, Clone)]
pub struct PermittedSections(Vec<String>);

/// The actions of a token or a grant.
#[derive(Debug, Clone)]
pub struct PermittedActions(Vec<Action>);

impl PermittedSections {
    /// The names, or `*` for all.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether `section` is one of them: a section's name, `shell`, or `*` for all sections.
    pub fn contain(&self, section: &str) -> bool {
        self.0.iter().any(|name| name == "*" || name == section)
    }

    /// Whether there is a section that both contain.
    pub fn overlap(&self, other: &Self) -> bool {
        other.0.iter().any(|name| name == "*" || self.contain(name))
    }
}

impl PermittedActions {
    /// The names in the configuration.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied().map(Action::name)
    }

    /// Whether an action is one of them.
    pub fn contain(&self, action: Action) -> bool {
        self.0.contains(&action)
    }
}

impl<'de> Deserialize<'de> for PermittedSections {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        convert(deserializer, "a list of section names, or [\"*\"]", |value| {
            let names = as_nonempty_strings(value, |name| match name {
                _ if name == "*" || is_name(name) => Ok(name.to_owned()),
                _ => Err(format!("`{name}` is not a section name")),
            });
            names.map(Self)
        })
    }
}

impl<'de> Deserialize<'de> for PermittedActions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a list of `publish`, `deploy`, `rollback`, `preview`, `garbage_collect`, `purge`, `audit` and `metrics`";
        convert(deserializer, expected, |value| {
            let actions = as_nonempty_strings(value, |name| {
                let action = name.parse();
                action.map_err(|_| format!("`{name}` is not an action"))
            });
            actions.map(Self)
        })
    }
}
