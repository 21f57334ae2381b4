//! The settings of the listeners, and warnings about the configuration.

use std::sync::Arc;

use colonnade_config::Config;
use colonnade_edge::{AllowedHosts, CurrentSettings, Settings};

/// The current settings of each listener.
#[derive(Clone)]
pub(crate) struct CurrentListenerSettings {
    pub(crate) site: CurrentSettings,
    pub(crate) admin: CurrentSettings,
    pub(crate) redirect: CurrentSettings,
}

impl CurrentListenerSettings {
    /// The settings of a configuration, and whether an upstream has WebSockets.
    pub(crate) fn new(config: &Config, websocket: bool) -> Self {
        Self {
            site: Settings {
                websocket,
                ..site(config, config.listen.tls.is_some())
            }
            .into_current(),
            admin: admin(config, config.listen.admin_tls.is_some()).into_current(),
            redirect: redirect(config).into_current(),
        }
    }

    /// Replaces the settings, except for whether a listener uses TLS and serves WebSockets.
    pub(crate) fn replace(&self, config: &Config) {
        let (site_tls, admin_tls) = (self.site.load().is_tls, self.admin.load().is_tls);
        let websocket = self.site.load().websocket;
        self.site.store(Arc::new(Settings {
            websocket,
            ..site(config, site_tls)
        }));
        self.admin.store(Arc::new(admin(config, admin_tls)));
        self.redirect.store(Arc::new(redirect(config)));
    }
}

/// The settings of the site listener.
pub(crate) fn site(config: &Config, is_tls: bool) -> Settings {
    Settings {
        is_tls,
        limits: config.limits,
        allowed_hosts: match config.listen.allowed_hosts.as_slice() {
            [] => AllowedHosts::Any,
            hosts => AllowedHosts::Listed(hosts.to_vec()),
        },
        trusted_proxies: config.listen.trusted_proxies.clone(),
        proxy_protocol: config.listen.proxy_protocol,
        hsts: config.listen.hsts.header_value(),
        websocket: false,
    }
}

/// The settings of the redirect listener. It redirects every host to the site's origin.
pub(crate) fn redirect(config: &Config) -> Settings {
    Settings {
        allowed_hosts: AllowedHosts::Any,
        ..site(config, false)
    }
}

/// The settings of the admin listener, which trusts no proxy. Over TLS the certificate prevents DNS
/// rebinding, so that every host is allowed by default. If the certificate also has names of other
/// services, for example by a wildcard, the operator sets `admin_allowed_hosts`.
pub(crate) fn admin(config: &Config, is_tls: bool) -> Settings {
    let hosts = config.listen.admin_allowed_hosts.clone();
    Settings {
        allowed_hosts: if is_tls && hosts.is_empty() {
            AllowedHosts::Any
        } else {
            AllowedHosts::ListedOrIp(hosts)
        },
        trusted_proxies: Vec::new(),
        proxy_protocol: false,
        ..site(config, is_tls)
    }
}

/// Logs the warnings about a configuration.
pub(super) fn log_warnings(warnings: &[String]) {
    for warning in warnings {
        tracing::warn!(event = "config_warning", warning);
    }
}
