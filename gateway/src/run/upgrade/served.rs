//! What a process serves. The new process of an upgrade compares itself with the running one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use colonnade_config::Listen;
use colonnade_platform::deployment::Degradation;
use serde::{Deserialize, Serialize};

use crate::run::certificates::CurrentCertificates;

/// What a process serves at one moment.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::run) struct Served {
    /// The configured addresses by their keys.
    addresses: BTreeMap<String, SocketAddr>,
    /// The names of the certificates and the hosts that they must cover, and whether clients accept
    /// the certificate for each.
    names: BTreeMap<String, bool>,
}

/// The listeners of a process, whose certificates change.
pub(in crate::run) struct Serving {
    addresses: BTreeMap<String, SocketAddr>,
    certificates: Vec<CurrentCertificates>,
}

impl Serving {
    /// The listeners with these settings and certificates.
    pub(in crate::run) fn new(listen: &Listen, certificates: Vec<CurrentCertificates>) -> Self {
        let addresses = [
            ("listen.site", Some(listen.site)),
            ("listen.admin", Some(listen.admin)),
            ("listen.redirect_http", listen.redirect_http),
        ];
        let addresses = addresses.into_iter();
        let addresses = addresses.filter_map(|(key, address)| Some((key.to_owned(), address?)));
        Self {
            addresses: addresses.collect(),
            certificates,
        }
    }

    /// What `/readyz` reports about their certificates.
    pub(in crate::run) fn degradation(self: &Arc<Self>) -> Degradation {
        let own = Arc::clone(self);
        Box::new(move || {
            own.certificates
                .iter()
                .find_map(|current| current.load().degradation())
        })
    }

    /// What they serve now.
    pub(in crate::run) fn now(&self) -> Served {
        let names = self.certificates.iter().map(|current| current.load().names());
        Served {
            addresses: self.addresses.clone(),
            names: names.flatten().collect(),
        }
    }
}

impl Served {
    /// Warns of addresses that differ from those of the running process, because its sockets are
    /// passed on. Returns the names whose certificate clients would no longer accept.
    pub(in crate::run) fn compare(&self, running: &Self) -> Vec<&str> {
        for (key, address) in &self.addresses {
            if let Some(old) = running.addresses.get(key).filter(|old| *old != address) {
                let warning =
                    format!("{key}: an upgrade keeps the socket of {old}; only a restart applies {address}");
                tracing::warn!(event = "config_warning", warning);
            }
        }
        let names = self.names.iter();
        let lost =
            names.filter(|(name, is_accepted)| !**is_accepted && running.names.get(*name) == Some(&true));
        lost.map(|(name, _)| name.as_str()).collect()
    }
}
