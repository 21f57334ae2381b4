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
    /// The hosts that may be asked for.
    pub(crate) hosts: Hosts,
    /// The proxies that are believed.
    pub(crate) proxies: Vec<IpNet>,
    /// Whether these begin each connection with a PROXY header.
    pub(crate) proxy_protocol: bool,
}

/// The hosts that may be asked for.
#[derive(Debug)]
pub(crate) enum Hosts {
    /// Whatever is asked for.
    Any,
    /// These.
    Named(Vec<Host>),
    /// Addresses and `localhost`, and these. A page whose own name was made to lead here, in the browser of somebody who
    /// may reach this listener, still asks for that name.
    FixedOr(Vec<Host>),
}

/// The settings as they are now.
pub(crate) type CurrentSettings = Arc<ArcSwap<Settings>>;

impl Settings {
    /// Those of the site listener.
    pub(crate) fn site(config: &Config) -> Self {
        Self {
            limits: config.limits,
            hosts: match config.listen.hosts.as_slice() {
                [] => Hosts::Any,
                hosts => Hosts::Named(hosts.to_vec()),
            },
            proxies: config.listen.proxies.clone(),
            proxy_protocol: config.listen.proxy_protocol,
        }
    }

    /// Those of the admin listener, which believes no proxy. Over TLS (`is_secure`) a browser asks for no name that
    /// its certificate does not have; where that has names of others, too, as wildcards do, an operator says which are
    /// its own.
    pub(crate) fn admin(config: &Config, is_secure: bool) -> Self {
        let hosts = config.listen.admin_hosts.clone();
        Self {
            limits: config.limits,
            hosts: if is_secure && hosts.is_empty() {
                Hosts::Any
            } else {
                Hosts::FixedOr(hosts)
            },
            proxies: Vec::new(),
            proxy_protocol: false,
        }
    }

    /// Whether this host may be asked for.
    pub(crate) fn serves(&self, host: &Host) -> bool {
        let is_among = |hosts: &[Host]| hosts.iter().any(|own| own.covers(host));
        match &self.hosts {
            Hosts::Any => true,
            Hosts::Named(hosts) => is_among(hosts),
            Hosts::FixedOr(hosts) => host.is_fixed() || is_among(hosts),
        }
    }

    /// The same, to be told anew later.
    pub(crate) fn shared(self) -> CurrentSettings {
        Arc::new(ArcSwap::from_pointee(self))
    }
}
