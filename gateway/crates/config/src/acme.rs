//! `[listen.acme]`: certificates from a certificate authority (RFC 8555).

use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use colonnade_web::host::Host;
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::config_file::ConfigFile;
use crate::url::secure_url;
use crate::value::{as_nonempty_strings, as_string, convert, default_ms, milliseconds, optional_path};

/// The directory of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// How the gateway proves that it serves a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcmeChallenge {
    /// A response to plain HTTP on port 80 (RFC 8555, section 8.3).
    Http01,
    /// A certificate in a TLS handshake on port 443 (RFC 8737).
    TlsAlpn01,
    /// A DNS record (RFC 8555, section 8.4).
    Dns01,
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
    /// The program that sets and removes a DNS record, with its first arguments.
    #[serde(default, deserialize_with = "command")]
    pub dns_hook: Vec<String>,
    /// The names of the certificate. Default: the public hosts of the site.
    #[serde(default, deserialize_with = "names")]
    pub names: Vec<String>,
    /// How often a gateway reads the challenges that another one stores.
    #[serde(rename = "poll_interval_ms", default = "default_ms::<5_000>")]
    #[serde(deserialize_with = "milliseconds::<100, 60_000, _>")]
    pub poll_interval: Duration,
}

impl Acme {
    /// Makes relative paths start at `folder`, and checks the keys that depend on others.
    /// `site_hosts` are the hosts of the site.
    pub(crate) fn resolve(
        &mut self,
        folder: &Path,
        site_hosts: &[String],
        has_redirect: bool,
        file: &mut ConfigFile<'_>,
    ) {
        self.root_certificate = self.root_certificate.take().map(|path| folder.join(path));
        if let Some(program) = self.dns_hook.first_mut() {
            *program = folder.join(&*program).to_string_lossy().into_owned();
        }
        if !self.terms_of_service_agreed {
            let key = ["listen", "acme", "terms_of_service_agreed"];
            let wrong = "the certificate authority issues no certificate";
            file.problem(&key, wrong, "true, if you agree to its terms of service");
        }
        self.check_challenge(has_redirect, file);
        let is_public = |host: &&String| host.contains('.') && host.parse::<IpAddr>().is_err();
        let public = || site_hosts.iter().filter(is_public);
        if self.names.is_empty() {
            self.names = public().cloned().collect();
        }
        if let Some(host) = public().find(|host| !self.names.iter().any(|name| covers(name, host))) {
            let wrong = format!("does not cover `{host}`");
            file.warning(&["listen", "acme", "names"], &wrong, "all hosts of the site");
        }
        if self.names.is_empty() {
            let wrong = "neither the host of `site.origin` nor an allowed host is a public name";
            file.problem(&["listen", "acme"], wrong, "a site with a domain name");
        }
    }

    /// Checks that the challenge can be answered.
    fn check_challenge(&self, has_redirect: bool, file: &mut ConfigFile<'_>) {
        let key = ["listen", "acme", "challenge"];
        let is_dns = self.challenge == AcmeChallenge::Dns01;
        if self.challenge == AcmeChallenge::Http01 && !has_redirect {
            file.problem(&key, "no listener answers http-01", "`listen.redirect_http`, too");
        }
        if is_dns && self.dns_hook.is_empty() {
            file.problem(&key, "no program sets the record of dns-01", "`dns_hook`, too");
        }
        if let Some(wildcard) = self.names.iter().find(|host| host.starts_with("*.") && !is_dns) {
            let wrong = format!("only dns-01 verifies `{wildcard}`");
            file.problem(&key, &wrong, "dns-01, or names without a wildcard");
        }
        if let Some(program) = self.dns_hook.first() {
            let key = ["listen", "acme", "dns_hook"];
            let is_program = std::fs::metadata(program)
                .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0);
            if !is_program {
                let wrong = format!("{program} is not a program");
                file.problem(&key, &wrong, "the path of a program that can be executed");
            }
        }
    }
}

/// Whether a name of a certificate covers a host.
fn covers(name: &str, host: &str) -> bool {
    let domain = host.split_once('.').map(|(_, domain)| domain);
    name == host || (domain.is_some() && name.strip_prefix("*.") == domain)
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

fn challenge<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AcmeChallenge, D::Error> {
    convert(
        deserializer,
        "`http-01`, `tls-alpn-01` or `dns-01`",
        |value| match as_string(value)? {
            "http-01" => Ok(AcmeChallenge::Http01),
            "tls-alpn-01" => Ok(AcmeChallenge::TlsAlpn01),
            "dns-01" => Ok(AcmeChallenge::Dns01),
            other => Err(format!("is `{other}`")),
        },
    )
}

fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let expected = "a list of the path of a program and its arguments";
    convert(deserializer, expected, |value| {
        as_nonempty_strings(value, |text| Ok(text.to_owned()))
    })
}

/// Names of a certificate: hosts without a port, whose first label may be a wildcard.
fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let expected = "a list of host names, such as [\"site.example\", \"*.site.example\"]";
    convert(deserializer, expected, |value| {
        as_nonempty_strings(value, |text| {
            let (wildcard, host) = text.strip_prefix("*.").map_or(("", text), |host| ("*.", host));
            let is_name = host.contains('.') && host.parse::<IpAddr>().is_err() && !host.contains(':');
            let host = Host::parse(host).filter(|_| is_name);
            let host = host.ok_or_else(|| format!("`{text}` is not a host name"))?;
            Ok(format!("{wildcard}{}", host.name()))
        })
    })
}
