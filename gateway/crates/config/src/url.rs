//! URLs in the configuration.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Deserializer};
use url::{Host, Url};

use crate::value::{as_string, convert};

/// An origin: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(Url);

/// The description of a valid origin in errors.
const ORIGIN: &str = "scheme://host or scheme://host:port, with https unless the host is this machine";

impl Origin {
    /// Parses an origin. The scheme must be https unless the host is this machine.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let origin = Self::parse_any(text)?;
        check_encrypted(&origin.0).map(|()| origin)
    }

    /// Parses an origin whose scheme may be http on every host.
    pub(crate) fn parse_any(text: &str) -> Result<Self, String> {
        let url = parse_any_url(text)?;
        let is_origin = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if is_origin && !text.ends_with('/') {
            Ok(Self(url))
        } else {
            Err(format!("`{text}` is more than an origin"))
        }
    }

    /// The origin as browsers serialize it, without a trailing slash.
    pub fn as_str(&self) -> &str {
        // `Url` has a slash after an origin.
        self.0.as_str().trim_end_matches('/')
    }

    /// The scheme.
    pub fn scheme(&self) -> &str {
        self.0.scheme()
    }

    /// The host name or address.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The host with its port, if it is not the default one of the scheme.
    pub(crate) fn authority(&self) -> &str {
        self.0.authority()
    }

    /// The origin as a URL.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        convert(deserializer, ORIGIN, |value| Self::parse(as_string(value)?))
    }
}

/// Deserializes a URL. The scheme must be https unless the host is this machine.
pub(crate) fn secure_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Url, D::Error> {
    let expected = "a full URL with https, or with http if the host is this machine";
    convert(deserializer, expected, |value| parse_url(as_string(value)?))
}

/// What is wrong with a URL with credentials.
pub(crate) const HAS_CREDENTIALS: &str = "contains a user name or password";

/// Parses a URL. The scheme must be https unless the host is this machine.
pub(crate) fn parse_url(text: &str) -> Result<Url, String> {
    let url = parse_any_url(text)?;
    check_encrypted(&url).map(|()| url)
}

/// Parses a URL whose scheme may be http on every host.
pub(crate) fn parse_any_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is not a URL ({error})"))?;
    // The error does not contain the URL, because of the password.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(HAS_CREDENTIALS.to_owned());
    }
    match url.scheme() {
        "https" | "http" => Ok(url),
        other => Err(format!("`{text}` has the scheme {other}")),
    }
}

/// Checks that a URL is https, or http on this machine.
///
/// # Errors
///
/// That the URL is not encrypted.
pub fn check_encrypted(url: &Url) -> Result<(), String> {
    if url.scheme() == "https" || url.host().is_some_and(|host| is_loopback(&host)) {
        return Ok(());
    }
    Err(format!(
        "`{}` is not encrypted",
        url.as_str().trim_end_matches('/')
    ))
}

/// Whether a host is always this machine.
fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => IpAddr::V4(*address).is_loopback(),
        Host::Ipv6(address) => IpAddr::V6(*address).is_loopback(),
    }
}
