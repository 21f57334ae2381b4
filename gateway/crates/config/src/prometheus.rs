//! `[prometheus]`: the server that answers the queries of rollouts.

use std::path::Path;

use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::config_file::ConfigFile;
use crate::secret::{SECRET, SecretSource};
use crate::upstream::has_link_local_host;
use crate::url::{check_encrypted, parse_any_url};
use crate::value::{as_string, convert};

/// A Prometheus server, or another one with its HTTP API.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Prometheus {
    /// Its base URL, to which `api/v1/query` is appended.
    #[serde(deserialize_with = "any_url")]
    pub url: Url,
    #[serde(default)]
    allow_plain_http: bool,
    #[serde(rename = "bearer_token", default, deserialize_with = "optional_secret")]
    source: Option<SecretSource>,
    /// The token that it needs.
    #[serde(skip)]
    pub bearer_token: Option<SecretString>,
}

impl Prometheus {
    /// Reads the token, and checks the address. A relative path starts at `folder`.
    pub(crate) fn resolve(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        if check_encrypted(&self.url).is_err() && !self.allow_plain_http {
            let expected = "https, or `allow_plain_http`";
            file.problem(&["prometheus", "url"], "is not encrypted", expected);
        }
        if has_link_local_host(&self.url) {
            let wrong = "has a link-local address, or that of a cloud's metadata service";
            file.problem(&["prometheus", "url"], wrong, "another address");
        }
        match self.source.as_ref().map(|source| source.read(folder)).transpose() {
            Ok(token) => self.bearer_token = token,
            Err(wrong) => file.problem(&["prometheus", "bearer_token"], &wrong, SECRET),
        }
    }
}

/// The error does not contain the URL, whose query can have a secret.
fn any_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Url, D::Error> {
    convert(deserializer, "a full URL with https or http", |value| {
        parse_any_url(as_string(value)?).map_err(|_| "is not such a URL".to_owned())
    })
}

fn optional_secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretSource>, D::Error> {
    SecretSource::deserialize(deserializer).map(Some)
}
