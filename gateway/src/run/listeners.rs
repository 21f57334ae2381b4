//! Opens the listeners.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use colonnade_config::{Config, Tls};
use colonnade_edge::{CurrentSettings, Listener, SharedTls, check_backlog, raise_file_descriptor_limit};
use listenfd::ListenFd;
use tokio::net::TcpListener;

use crate::metrics::Metrics;
use crate::run::certificates::ReloadingCertificates;
use crate::run::error::StartError;
use crate::run::settings::CurrentListenerSettings;
use crate::run::upgrade::served::Serving;
use crate::run::upgrade::takeover::{self, Takeover};

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

    /// The listening sockets, in the order of [`NAMES`].
    pub(super) fn sockets(&self) -> Vec<&Arc<TcpListener>> {
        let redirect = self.redirect.as_ref();
        let all = [Some(&self.site), Some(&self.admin), redirect]
            .into_iter()
            .flatten();
        all.map(|open| &open.listener.socket).collect()
    }
}

/// The names of the listeners, in the order in which an upgrade passes on their sockets.
const NAMES: [&str; 3] = ["site", "admin", "redirect"];

/// A listener to open.
struct Opening<'a> {
    /// An index into [`NAMES`].
    number: usize,
    address: SocketAddr,
    tls: Option<&'a Tls>,
    settings: &'a CurrentSettings,
    /// The maximum number of connections.
    capacity: usize,
}

/// What opens the listeners.
struct Opener<'a> {
    config: &'a Config,
    metrics: &'a Metrics,
    shared_tls: &'a SharedTls,
    /// The sockets of the process that this one replaces.
    inherited: ListenFd,
}

impl Opener<'_> {
    async fn open(&mut self, opening: Opening<'_>) -> Result<OpenListener, StartError> {
        let (name, address) = (NAMES[opening.number], opening.address);
        let socket = self.socket(opening.number, address).await;
        let socket = socket.map_err(|source| StartError::Listen { address, source })?;
        let certificates = match opening.tls {
            Some(tls) => {
                let reloads = &self.metrics.reloads;
                let clients = self.config.listen.admin_client_verifier.clone();
                let clients = clients.filter(|_| name == "admin");
                Some(ReloadingCertificates::load(name, tls, clients, self.shared_tls, reloads).await?)
            }
            None => None,
        };
        Ok(OpenListener {
            address: socket.local_addr()?,
            listener: Listener {
                socket: Arc::new(socket),
                tls: certificates.as_ref().map(ReloadingCertificates::tls),
                settings: Arc::clone(opening.settings),
                capacity: opening.capacity,
                metrics: self.metrics.connections.for_listener(name),
                log_client_ip: self.config.telemetry.logs_client_ip(name),
            },
            certificates,
        })
    }

    /// The inherited socket of a listener, or a new one bound to `address`.
    async fn socket(&mut self, number: usize, address: SocketAddr) -> io::Result<TcpListener> {
        let socket = match self.inherited.take_tcp_listener(number)? {
            Some(socket) => {
                socket.set_nonblocking(true)?;
                TcpListener::from_std(socket)?
            }
            None => TcpListener::bind(address).await?,
        };
        // Also changes the backlog of a socket that listens already.
        let backlog = i32::try_from(self.config.listen.backlog).unwrap_or(i32::MAX);
        rustix::net::listen(&socket, backlog)?;
        Ok(socket)
    }
}

/// Opens the listeners. In an upgrade, the sockets of the old process take the place of the
/// addresses in the configuration.
pub(super) async fn open(
    config: &Config,
    metrics: &Metrics,
    settings: &CurrentListenerSettings,
    shared_tls: &SharedTls,
    takeover: Option<&Takeover>,
) -> Result<OpenListeners, StartError> {
    let listen = &config.listen;
    // Each listener has its own share of the file descriptors and cannot use up that of another.
    let capacity = raise_file_descriptor_limit();
    let admin_capacity = capacity / 4;
    let redirect_capacity = listen.redirect_http.map_or(0, |_| capacity / 8);
    check_backlog(listen.backlog);
    let mut opener = Opener {
        config,
        metrics,
        shared_tls,
        inherited: takeover::sockets(takeover),
    };
    let site = opener.open(Opening {
        number: 0,
        address: listen.site,
        tls: listen.tls.as_ref(),
        settings: &settings.site,
        capacity: capacity - admin_capacity - redirect_capacity,
    });
    let site = site.await?;
    let admin = opener.open(Opening {
        number: 1,
        address: listen.admin,
        tls: listen.admin_tls.as_ref(),
        settings: &settings.admin,
        capacity: admin_capacity,
    });
    let admin = admin.await?;
    // The configuration check does not cover the address of an inherited socket.
    if admin.listener.tls.is_none() && !admin.address.ip().is_loopback() {
        return Err(StartError::AdminWithoutTls(admin.address));
    }
    let redirect = if let Some(address) = listen.redirect_http {
        let opening = Opening {
            number: 2,
            address,
            tls: None,
            settings: &settings.redirect,
            capacity: redirect_capacity,
        };
        Some(opener.open(opening).await?)
    } else {
        // Clients would wait for connections that this process never accepts.
        drop(opener.inherited.take_tcp_listener(2));
        None
    };
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
