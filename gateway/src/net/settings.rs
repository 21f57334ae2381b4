//! What a listener goes by, and can be told anew while it serves.

use std::sync::Arc;

use arc_swap::ArcSwap;
use ipnet::IpNet;

use crate::config::{Config, Limits};
use crate::host::Host;

/// What a listener goes by.
#[derive(Debug)]
pub(crate) struct Settings {
    /// What clients may send, hold open and wait for.
    pub(crate) limits: Limits,
    /// The hosts that may be asked for; any without.
    pub(crate) hosts: Vec<Host>,
    /// The proxies that are believed.
    pub(crate) proxies: Vec<IpNet>,
    /// Whether these begin each connection with a PROXY header.
    pub(crate) proxy_protocol: bool,
}

/// The settings as they are now.
pub(crate) type CurrentSettings = Arc<ArcSwap<Settings>>;

impl Settings {
    /// Those of the site listener.
    pub(crate) fn site(config: &Config) -> Self {
        Self {
            limits: config.limits,
            hosts: config.listen.hosts.clone(),
            proxies: config.listen.proxies.clone(),
            proxy_protocol: config.listen.proxy_protocol,
        }
    }

    /// Those of the admin listener, before which no proxy stands.
    pub(crate) fn admin(config: &Config) -> Self {
        Self {
            limits: config.limits,
            hosts: Vec::new(),
            proxies: Vec::new(),
            proxy_protocol: false,
        }
    }

    /// Whether this host may be asked for.
    pub(crate) fn serves(&self, host: &Host) -> bool {
        self.hosts.is_empty() || self.hosts.iter().any(|own| own.covers(host))
    }

    /// The same, to be told anew later.
    pub(crate) fn shared(self) -> CurrentSettings {
        Arc::new(ArcSwap::from_pointee(self))
    }
}
