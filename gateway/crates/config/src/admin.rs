//! `[admin]`: the tokens of the admin API.

use colonnade_model::release::is_name;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use strum::{EnumString, IntoStaticStr};
use toml::Value;

use super::config_file::ConfigFile;
use super::value::{as_nonempty_strings, as_string, convert, tables};

/// Access to the admin API.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AdminSettings {
    /// The tokens. Without any, every call is rejected.
    #[serde(deserialize_with = "tables")]
    pub tokens: Vec<Token>,
}

impl AdminSettings {
    /// The keys that SIGHUP reloads.
    pub(crate) const RELOADABLE: &[&str] = &["admin.tokens"];

    /// Rejects tokens that share a name or a hash: one of them would have the permissions of the
    /// other, or its changes would look like the other's. Warns of tokens that have expired.
    pub(crate) fn resolve(&self, file: &mut ConfigFile<'_>) {
        for (index, token) in self.tokens.iter().enumerate() {
            let item = format!("[{index}]");
            let key = |name| ["admin", "tokens", &item, name];
            let earlier = &self.tokens[..index];
            if earlier.iter().any(|other| is_same(&other.name, &token.name)) {
                let wrong = format!("`{}` is the name of two tokens", token.name);
                file.problem(&key("name"), &wrong, "a name for each token");
            }
            if let Some(other) = earlier.iter().find(|other| other.hash == token.hash) {
                let wrong = format!("`{}` and `{}` have the same hash", other.name, token.name);
                file.problem(&key("hash"), &wrong, "a hash for each token");
            }
            if let Some(expires) = token.expires.filter(|_| token.is_expired()) {
                let wrong = format!("`{}` expired at {expires}", token.name);
                file.warning(&key("expires"), &wrong, "a later time, or no token");
            }
        }
    }
}

/// The permissions of one bearer token. Only the token's hash is known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The token's name in the history and the log.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// The token's SHA-256 hash.
    #[serde(deserialize_with = "hash")]
    pub hash: [u8; 32],
    /// When the token expires. `None` means never.
    #[serde(default, deserialize_with = "time")]
    pub expires: Option<Timestamp>,
    #[serde(deserialize_with = "sections")]
    sections: Vec<String>,
    #[serde(deserialize_with = "actions")]
    actions: Vec<Action>,
}

/// An action that a token can allow.
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
    /// Read `/metrics` when the admin listener is not on a loopback address.
    Metrics,
}

impl Action {
    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Token {
    /// Whether the token has expired.
    pub fn is_expired(&self) -> bool {
        self.expires
            .is_some_and(|expires| expires <= colonnade_clock::now())
    }

    /// The sections, or `*` for all.
    pub fn sections(&self) -> &[String] {
        &self.sections
    }

    /// The actions.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Whether the token allows an action on at least one section.
    pub fn allows_some(&self, action: Action) -> bool {
        self.actions.contains(&action)
    }

    /// Whether the token allows an action on `section`: a section's name, `shell`, or `*` for all
    /// sections.
    pub fn allows(&self, action: Action, section: &str) -> bool {
        self.allows_some(action) && self.sections.iter().any(|name| name == "*" || name == section)
    }
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    // The history and the log use `gateway` for automatic actions.
    convert(
        deserializer,
        "a name other than `gateway`",
        |value| match as_string(value)? {
            name if is_same(name, "gateway") => Err(format!("`{name}` is reserved for the gateway itself")),
            name => Ok(name.to_owned()),
        },
    )
}

/// Whether readers of the history and the log would take one name for the other.
fn is_same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let expected = "an RFC 3339 time, such as \"2030-01-31T00:00:00Z\"";
    convert(deserializer, expected, |value| {
        let text = match value {
            Value::Datetime(time) => time.to_string(),
            value => as_string(value)?.to_owned(),
        };
        let time = text.parse().map_err(|_| format!("`{text}` is not a time"))?;
        Ok(Some(time))
    })
}

fn sections<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    convert(deserializer, "a list of section names, or [\"*\"]", |value| {
        as_nonempty_strings(value, |name| match name {
            _ if name == "*" || is_name(name) => Ok(name.to_owned()),
            _ => Err(format!("`{name}` is not a section name")),
        })
    })
}

fn actions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Action>, D::Error> {
    let expected =
        "a list of `publish`, `deploy`, `rollback`, `preview`, `garbage_collect`, `purge` and `metrics`";
    convert(deserializer, expected, |value| {
        as_nonempty_strings(value, |name| {
            let action = name.parse();
            action.map_err(|_| format!("`{name}` is not an action"))
        })
    })
}

/// The error does not contain the string: it could be the token itself.
fn hash<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
    let expected = "`sha256:` and 64 hexadecimal digits, as `gateway token` prints them";
    convert(deserializer, expected, |value| {
        let digits = as_string(value)?.strip_prefix("sha256:").unwrap_or_default();
        let is_hash = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(byte).collect();
        let hash = bytes.filter(|_| is_hash).and_then(|bytes| bytes.try_into().ok());
        hash.ok_or_else(|| "is not a hash".to_owned())
    })
}
