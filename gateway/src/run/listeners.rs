//! Opens the listeners.

use std::net::SocketAddr;
use std::sync::Arc;

use colonnade_config::{Config, Tls};
use colonnade_edge::{
    CurrentSettings, InheritedSockets, Listener, SharedTls, check_backlog, raise_file_descriptor_limit,
};
use tokio::net::TcpListener;

use super::StartError;
use super::certificates::ReloadingCertificates;
use super::settings::CurrentListenerSettings;
use super::upgrade::served::Serving;
use crate::metrics::Metrics;

/// An open listener, its actual address, and its certificates if it uses TLS.
pub(super) struct OpenListener {
    pub(super) listener: Listener,
    pub(super) address: SocketAddr,
    pub(super) certificates: Option<ReloadingCertificates>,
}

/// All open listeners.
pub(super) struct OpenListeners {
    pub(super) site: OpenListener,
    pub(super) admin: OpenListener,
    /// The redirect listener, if there is one.
    pub(super) redirect: Option<OpenListener>,
    /// What they serve.
    pub(super) serving: Arc<Serving>,
}

impl OpenListeners {
    /// Logs the addresses.
    pub(super) fn log(&self) {
        tracing::info!(
            event = "listening",
            site = %self.site.address,
            admin = %self.admin.address,
            redirect = self.redirect.as_ref().map(|open| tracing::field::display(open.address))
        );
    }

    /// The listening sockets, in the order of socket activation.
    pub(super) fn sockets(&self) -> Vec<&Arc<TcpListener>> {
        let redirect = self.redirect.as_ref();
        let all = [Some(&self.site), Some(&self.admin), redirect]
            .into_iter()
            .flatten();
        all.map(|open| &open.listener.socket).collect()
    }
}

/// Opens the listeners. Sockets inherited by socket activation take the place of the addresses in the configuration.
pub(super) async fn open(
    config: &Config,
    metrics: &Metrics,
    settings: &CurrentListenerSettings,
    shared_tls: &SharedTls,
) -> Result<OpenListeners, StartError> {
    let listen = &config.listen;
    // Each listener has a share of its own, so that none can use up the file descriptors of another.
    let capacity = raise_file_descriptor_limit();
    let admin_capacity = capacity / 4;
    let redirect_capacity = listen.redirect_http.map_or(0, |_| capacity / 8);
    let site_capacity = capacity - admin_capacity - redirect_capacity;
    check_backlog(listen.backlog);
    let mut inherited = InheritedSockets::from_env();
    let mut open = async |name, number, address, tls: Option<&Tls>, settings: &CurrentSettings, capacity| {
        let socket = inherited.take_or_bind(number, address, listen.backlog).await;
        let (socket, address) = socket.map_err(|source| StartError::Listen { address, source })?;
        let certificates = match tls {
            Some(tls) => Some(ReloadingCertificates::load(name, tls, shared_tls, &metrics.reloads).await?),
            None => None,
        };
        Ok::<_, StartError>(OpenListener {
            listener: Listener {
                socket: Arc::new(socket),
                tls: certificates.as_ref().map(ReloadingCertificates::tls),
                settings: Arc::clone(settings),
                capacity,
                metrics: metrics.connections.for_listener(name),
                log_client_ip: config.telemetry.log_client_ip,
            },
            address,
            certificates,
        })
    };
    let (tls, own) = (listen.tls.as_ref(), &settings.site);
    let site = open("site", 0, listen.site, tls, own, site_capacity).await?;
    let (tls, own) = (listen.admin_tls.as_ref(), &settings.admin);
    let admin = open("admin", 1, listen.admin, tls, own, admin_capacity).await?;
    // The configuration check does not cover the address of an inherited socket.
    if admin.listener.tls.is_none() && !admin.address.ip().is_loopback() {
        return Err(StartError::AdminWithoutTls(admin.address));
    }
    let own = &settings.redirect;
    let redirect = match listen.redirect_http {
        Some(address) => Some(open("redirect", 2, address, None, own, redirect_capacity).await?),
        None => None,
    };
    if redirect.is_none() {
        inherited.close(2);
    }
    let certificates = [&site, &admin].into_iter();
    let certificates = certificates.filter_map(|open| open.certificates.as_ref());
    let certificates = certificates.map(ReloadingCertificates::current).collect();
    Ok(OpenListeners {
        site,
        admin,
        redirect,
        serving: Arc::new(Serving::new(listen, certificates)),
    })
}
