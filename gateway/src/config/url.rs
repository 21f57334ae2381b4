//! Addresses in the configuration.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::reader::Read;

/// An origin: scheme, host and port, nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin(Url);

impl Origin {
    /// The origin as browsers write it.
    pub(crate) fn as_str(&self) -> &str {
        // Without path and query an address is written with one slash behind its origin.
        self.0.as_str().trim_end_matches('/')
    }

    /// Its scheme.
    pub(crate) fn scheme(&self) -> &str {
        self.0.scheme()
    }

    /// Its host name or address.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// It as an address.
    pub(crate) fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is expected of an origin.
pub(super) const ORIGIN: &str =
    "scheme://host or scheme://host:port, with https unless the host is this machine";

/// What is expected of a full address.
pub(super) const ADDRESS: &str = "a full address with https, or with http if the host is this machine";

/// Reads an origin.
pub(super) fn origin(text: &str) -> Read<Origin> {
    let url = address(text)?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    if bare && !text.ends_with('/') {
        Ok(Origin(url))
    } else {
        Err(format!("`{text}` is more than an origin"))
    }
}

/// Reads an address that may be used for what is private: over https, or not over a network at all.
pub(super) fn address(text: &str) -> Read<Url> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is no address ({error})"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has a user name or password in it".to_owned());
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if url.host().is_some_and(|host| is_loopback(&host)) => Ok(url),
        "http" => Err(format!("`{text}` would send in the clear")),
        other => Err(format!("`{text}` has the scheme {other}")),
    }
}

/// Whether a host can only be this machine.
fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => IpAddr::V4(*address).is_loopback(),
        Host::Ipv6(address) => IpAddr::V6(*address).is_loopback(),
    }
}
