//! `[listen.acme]`: certificates from a certificate authority (RFC 8555).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};
use url::Url;

use super::config_file::ConfigFile;
use super::url::secure_url;
use super::value::{as_string, convert, path};

/// The directory of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// How the gateway proves that it serves a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcmeChallenge {
    /// A response to plain HTTP on port 80 (RFC 8555, section 8.3).
    Http01,
    /// A certificate in a TLS handshake on port 443 (RFC 8737).
    TlsAlpn01,
}

/// The certificate authority of the site listener.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acme {
    /// The URL of its directory.
    #[serde(default = "lets_encrypt", deserialize_with = "directory")]
    pub directory: String,
    /// Whether the operator agrees to its terms of service.
    #[serde(default)]
    terms_of_service_agreed: bool,
    /// The PEM file of the root certificate that its server has. `None`: one that this system
    /// trusts.
    #[serde(default, deserialize_with = "optional_path")]
    pub root_certificate: Option<PathBuf>,
    /// How the gateway proves that it serves a host.
    #[serde(default = "default_challenge", deserialize_with = "challenge")]
    pub challenge: AcmeChallenge,
    /// The hosts of the certificate.
    #[serde(skip)]
    pub hosts: Vec<String>,
}

impl Acme {
    /// Makes relative paths start at `folder`, and checks the keys that depend on others.
    pub(crate) fn resolve(&mut self, folder: &Path, has_redirect: bool, file: &mut ConfigFile<'_>) {
        self.root_certificate = self.root_certificate.take().map(|path| folder.join(path));
        if !self.terms_of_service_agreed {
            let key = ["listen", "acme", "terms_of_service_agreed"];
            let wrong = "the certificate authority issues no certificate";
            file.problem(&key, wrong, "true, if you agree to its terms of service");
        }
        if self.challenge == AcmeChallenge::Http01 && !has_redirect {
            let key = ["listen", "acme", "challenge"];
            file.problem(&key, "no listener answers http-01", "`listen.redirect_http`, too");
        }
        if self.hosts.is_empty() {
            let wrong = "neither the host of `site.origin` nor an allowed host is a public name";
            file.problem(&["listen", "acme"], wrong, "a site with a domain name");
        }
    }
}

fn lets_encrypt() -> String {
    LETS_ENCRYPT.to_owned()
}

fn default_challenge() -> AcmeChallenge {
    AcmeChallenge::TlsAlpn01
}

fn directory<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    secure_url(deserializer).map(Url::into)
}

fn optional_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    path(deserializer).map(Some)
}

fn challenge<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AcmeChallenge, D::Error> {
    convert(
        deserializer,
        "`http-01` or `tls-alpn-01`",
        |value| match as_string(value)? {
            "http-01" => Ok(AcmeChallenge::Http01),
            "tls-alpn-01" => Ok(AcmeChallenge::TlsAlpn01),
            other => Err(format!("is `{other}`")),
        },
    )
}
