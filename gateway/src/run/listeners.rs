//! Opens the site listener and the admin listener.

use std::net::SocketAddr;
use std::sync::Arc;

use colonnade_config::{Config, Tls};
use colonnade_edge::{
    CurrentSettings, InheritedSockets, Listener, check_backlog, raise_file_descriptor_limit,
};

use super::StartError;
use super::certificates::ReloadingCertificates;
use crate::metrics::Metrics;

/// An open listener, its actual address, and its certificates if it uses TLS.
pub(super) struct OpenListener {
    pub(super) listener: Listener,
    pub(super) address: SocketAddr,
    pub(super) certificates: Option<ReloadingCertificates>,
}

/// Opens the site listener and the admin listener. Sockets inherited by socket activation take the place of the addresses
/// in the configuration.
pub(super) async fn open(
    config: &Config,
    metrics: &Metrics,
    site_settings: &CurrentSettings,
    admin_settings: &CurrentSettings,
) -> Result<(OpenListener, OpenListener), StartError> {
    // Each listener has a share of its own, so that neither can use up the file descriptors of the other.
    let capacity = raise_file_descriptor_limit();
    let (admin_capacity, site_capacity) = (capacity / 4, capacity - capacity / 4);
    check_backlog(config.listen.backlog);
    let mut inherited = InheritedSockets::from_env();
    let mut open = async |name, number, address, tls: &Option<Tls>, settings: &CurrentSettings, capacity| {
        let socket = inherited
            .take_or_bind(number, address, config.listen.backlog)
            .await;
        let (socket, address) = socket.map_err(|source| StartError::Listen { address, source })?;
        let certificates = match tls {
            Some(tls) => Some(ReloadingCertificates::load(name, tls, &metrics.reloads).await?),
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
    let listen = &config.listen;
    let site = open("site", 0, listen.site, &listen.tls, site_settings, site_capacity).await?;
    let (tls, settings) = (&listen.admin_tls, admin_settings);
    let admin = open("admin", 1, listen.admin, tls, settings, admin_capacity).await?;
    // The configuration check does not cover the address of an inherited socket.
    if admin.listener.tls.is_none() && !admin.address.ip().is_loopback() {
        return Err(StartError::AdminWithoutTls(admin.address));
    }
    Ok((site, admin))
}
