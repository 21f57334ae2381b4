//! `[webhooks.<name>]`: receivers of events.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use colonnade_model::event::EventType;
use colonnade_model::release::is_name;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::config_file::ConfigFile;
use crate::secret::{SECRET, SecretSource};
use crate::upstream::has_link_local_host;
use crate::url::{HAS_CREDENTIALS, parse_url};
use crate::value::{as_nonempty_strings, as_string, convert, default_ms, milliseconds};

/// How a secret begins (Standard Webhooks 1.0.0, "Signature scheme").
const PREFIX: &str = "whsec_";

/// A receiver of events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Webhook {
    /// Where events are sent.
    #[serde(deserialize_with = "url")]
    pub url: Url,
    secret: SecretSource,
    #[serde(default)]
    previous_secret: Option<SecretSource>,
    /// The values of both secrets.
    #[serde(skip)]
    pub(crate) secrets: Vec<SecretString>,
    /// The kinds of events that it gets.
    #[serde(deserialize_with = "events")]
    pub events: Vec<EventType>,
    /// How long it may take to respond.
    #[serde(rename = "timeout_ms", default = "default_ms::<10_000>")]
    #[serde(deserialize_with = "milliseconds::<1, 60_000, _>")]
    pub timeout: Duration,
}

impl Webhook {
    /// The keys of the signatures: that of `secret` first, then that of `previous_secret`.
    pub fn keys(&self) -> Vec<Vec<u8>> {
        self.secrets.iter().filter_map(key).collect()
    }

    fn resolve(&mut self, name: &str, folder: &Path, file: &mut ConfigFile<'_>) {
        if !is_name(name) {
            let wrong = format!("`{name}` is not a name");
            let expected = "a name that matches [a-z][a-z0-9-]{0,31}";
            file.problem(&["webhooks", name], &wrong, expected);
        }
        if has_link_local_host(&self.url) {
            let wrong = "has a link-local address, or that of a cloud's metadata service";
            file.problem(&["webhooks", name, "url"], wrong, "another address");
        }
        let sources = [
            ("secret", Some(&self.secret)),
            ("previous_secret", self.previous_secret.as_ref()),
        ];
        for (option, source) in sources {
            let path = ["webhooks", name, option];
            match source.map(|source| source.read(folder)) {
                None => {}
                Some(Ok(secret)) if key(&secret).is_some() => self.secrets.push(secret),
                Some(Ok(_)) => {
                    let expected = "`whsec_` and the base64 of 24 to 64 bytes";
                    file.problem(&path, "is not the secret of a webhook", expected);
                }
                Some(Err(wrong)) => file.problem(&path, &wrong, SECRET),
            }
        }
    }
}

/// Reads the secrets, and checks names and addresses. A relative path starts at `folder`.
pub(crate) fn resolve(webhooks: &mut BTreeMap<String, Webhook>, folder: &Path, file: &mut ConfigFile<'_>) {
    for (name, webhook) in webhooks {
        webhook.resolve(name, folder, file);
    }
}

fn key(secret: &SecretString) -> Option<Vec<u8>> {
    let digits = secret.expose_secret().strip_prefix(PREFIX)?;
    let key = STANDARD.decode(digits).ok()?;
    (24..=64).contains(&key.len()).then_some(key)
}

/// The error does not contain the URL, because many receivers have a secret in it.
fn url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Url, D::Error> {
    let expected = "a full URL with https, or with http if the host is this machine";
    convert(deserializer, expected, |value| {
        parse_url(as_string(value)?).map_err(|wrong| match &*wrong {
            HAS_CREDENTIALS => wrong,
            _ => "is not a URL with https".to_owned(),
        })
    })
}

fn events<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EventType>, D::Error> {
    let names = EventType::ALL.map(|kind| format!("`{}`", kind.name()));
    let expected = format!("a list of {}", names.join(", "));
    convert(deserializer, &expected, |value| {
        as_nonempty_strings(value, |name| {
            let mut kinds = EventType::ALL.into_iter();
            let kind = kinds.find(|kind| kind.name() == name);
            kind.ok_or_else(|| format!("`{name}` is not a kind of events"))
        })
    })
}
