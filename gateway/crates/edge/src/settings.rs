//! The settings of a listener that a configuration reload can change.

use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use colonnade_web::host::Host;
use http::HeaderValue;
use ipnet::IpNet;

use crate::{Limits, proxy};

/// The settings of a listener.
#[derive(Debug)]
pub struct Settings {
    /// Whether the listener uses TLS, which a reload does not change.
    pub is_tls: bool,
    /// What clients may send, keep open and delay.
    pub limits: Limits,
    /// The hosts that requests may name.
    pub allowed_hosts: AllowedHosts,
    /// The networks of the proxies whose forwarding headers are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether trusted proxies begin each connection with a PROXY header.
    pub proxy_protocol: bool,
    /// The value of `Strict-Transport-Security`, if clients use HTTPS.
    pub hsts: HeaderValue,
    /// Whether HTTP/2 clients may open WebSockets (RFC 8441), which a reload does not change.
    pub websocket: bool,
}

/// The hosts that requests may name.
#[derive(Debug)]
pub enum AllowedHosts {
    /// Every host.
    Any,
    /// The listed hosts.
    Listed(Vec<Host>),
    /// The listed hosts, IP addresses and `localhost`. Protects from DNS rebinding: a page whose
    /// domain was pointed at this listener still sends its own domain as the host.
    ListedOrIp(Vec<Host>),
}

/// The current settings, replaced as a whole on reload.
pub type CurrentSettings = Arc<ArcSwap<Settings>>;

impl Settings {
    /// Returns whether requests may name this host.
    pub(crate) fn allows_host(&self, host: &Host) -> bool {
        let is_listed = |hosts: &[Host]| hosts.iter().any(|listed| listed.matches(host));
        match &self.allowed_hosts {
            AllowedHosts::Any => true,
            AllowedHosts::Listed(hosts) => is_listed(hosts),
            AllowedHosts::ListedOrIp(hosts) => host.resists_dns_rebinding() || is_listed(hosts),
        }
    }

    /// Returns the maximum number of connections of a peer. A trusted proxy has the connections of
    /// many clients.
    pub(crate) fn max_connections_of(&self, peer: IpAddr) -> usize {
        if proxy::is_trusted(&self.trusted_proxies, peer) {
            usize::MAX
        } else {
            self.limits.max_connections_per_client
        }
    }

    /// Wraps the settings so that they can be replaced later.
    pub fn into_current(self) -> CurrentSettings {
        Arc::new(ArcSwap::from_pointee(self))
    }
}
