//! The settings of the two listeners.

use colonnade_config::Config;
use colonnade_edge::{AllowedHosts, Settings};

/// The settings of the site listener.
pub(crate) fn site(config: &Config) -> Settings {
    Settings {
        limits: config.limits,
        allowed_hosts: match config.listen.allowed_hosts.as_slice() {
            [] => AllowedHosts::Any,
            hosts => AllowedHosts::Listed(hosts.to_vec()),
        },
        trusted_proxies: config.listen.trusted_proxies.clone(),
        proxy_protocol: config.listen.proxy_protocol,
    }
}

/// The settings of the admin listener, which trusts no proxy. Over TLS (`is_secure`) the certificate prevents DNS rebinding,
/// so that every host is allowed by default. If the certificate also has names of other services, for example by a
/// wildcard, the operator sets `admin_allowed_hosts`.
pub(crate) fn admin(config: &Config, is_secure: bool) -> Settings {
    let hosts = config.listen.admin_allowed_hosts.clone();
    Settings {
        limits: config.limits,
        allowed_hosts: if is_secure && hosts.is_empty() {
            AllowedHosts::Any
        } else {
            AllowedHosts::ListedOrIp(hosts)
        },
        trusted_proxies: Vec::new(),
        proxy_protocol: false,
    }
}
