//! `[listen]`: the listeners, and which hosts and proxies they trust.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use colonnade_web::host::Host;
use ipnet::IpNet;
use rustls::server::danger::ClientCertVerifier;
use serde::{Deserialize, Deserializer};

use crate::acme::Acme;
use crate::certificate::Tls;
use crate::client_certificates::{self, ClientCertificates};
use crate::config_file::ConfigFile;
use crate::hsts::Hsts;
use crate::url::Origin;
use crate::value::{
    as_nonempty_strings, as_string, as_strings, convert, integer, optional_table, path, table,
};

/// The listeners, and which hosts and proxies they trust.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Listen {
    /// The address of the site listener.
    #[serde(deserialize_with = "address")]
    pub site: SocketAddr,
    /// The address of the admin listener.
    #[serde(deserialize_with = "address")]
    pub admin: SocketAddr,
    /// The address of the redirect listener, which redirects plain HTTP to the site's origin.
    /// `None`: there is none.
    #[serde(default, deserialize_with = "optional_address")]
    pub redirect_http: Option<SocketAddr>,
    /// The certificates of the site listener. `None` means plain HTTP.
    #[serde(default, deserialize_with = "optional_table")]
    pub tls: Option<Tls>,
    /// The certificate authority of the site listener, in place of `tls`.
    #[serde(default, deserialize_with = "optional_table")]
    pub acme: Option<Acme>,
    /// The certificates of the admin listener. `None` means plain HTTP.
    #[serde(default, deserialize_with = "optional_table")]
    pub admin_tls: Option<Tls>,
    /// The authorities of the certificates of the admin listener's clients.
    #[serde(default, deserialize_with = "client_certificates::authorities")]
    admin_client_authorities: Option<PathBuf>,
    /// Whether these clients need a certificate.
    #[serde(default)]
    admin_client_certificates: ClientCertificates,
    /// Checks their certificates. `None`: they need none.
    #[serde(skip)]
    pub admin_client_verifier: Option<Arc<dyn ClientCertVerifier>>,
    /// What browsers are told about plain HTTP.
    #[serde(default, deserialize_with = "table")]
    pub hsts: Hsts,
    /// The hosts that the site serves. If empty, it serves every host.
    #[serde(default, deserialize_with = "hosts")]
    pub allowed_hosts: Vec<Host>,
    /// The hosts that the admin listener serves besides IP addresses and `localhost`.
    #[serde(default, deserialize_with = "hosts")]
    pub admin_allowed_hosts: Vec<Host>,
    /// The proxies whose forwarding headers the gateway reads.
    #[serde(default, deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// The maximum number of connections of a listener that wait to be accepted.
    #[serde(
        default = "default_backlog",
        deserialize_with = "integer::<1, 1_000_000, _, _>"
    )]
    pub backlog: u32,
    /// The socket for `gateway upgrade`.
    #[serde(default, deserialize_with = "path")]
    pub control_socket: PathBuf,
    /// Whether the trusted proxies begin each connection with a PROXY header.
    #[serde(default)]
    pub proxy_protocol: bool,
}

impl Listen {
    /// The keys that SIGHUP reloads.
    pub(crate) const RELOADABLE: &[&str] = &[
        "listen.allowed_hosts",
        "listen.admin_allowed_hosts",
        "listen.admin_client_authorities",
        "listen.admin_client_certificates",
        "listen.trusted_proxies",
        "listen.proxy_protocol",
        "listen.hsts",
    ];

    /// Makes relative paths start at `folder`, and checks the keys that depend on each other or on
    /// files.
    pub(crate) fn resolve(
        &mut self,
        folder: &Path,
        origin: &Origin,
        store: &Path,
        file: &mut ConfigFile<'_>,
    ) {
        if self.control_socket.as_os_str().is_empty() {
            self.control_socket = default_control_socket(file.name());
        }
        self.control_socket = folder.join(&self.control_socket);
        if self.proxy_protocol && file.get(&["listen", "trusted_proxies"]).is_none() {
            let expected = "`trusted_proxies`, too";
            file.problem(&["listen", "proxy_protocol"], "no proxy is trusted", expected);
        }
        // Tokens must not cross a network unencrypted.
        if !self.admin.ip().is_loopback() && file.get(&["listen", "admin_tls"]).is_none() {
            let wrong = format!("{} is not a loopback address", self.admin.ip());
            let expected = "a loopback address, or `[listen.admin_tls]`";
            file.problem(&["listen", "admin"], &wrong, expected);
        }
        self.verify_clients(folder, file);
        self.warn(origin, file);
        self.hsts.warn(file);
        let mut site_hosts = names(&self.allowed_hosts);
        site_hosts.insert(0, origin.host().to_owned());
        site_hosts.dedup();
        let hosts_of_admin = names(&self.admin_allowed_hosts);
        if let Some(acme) = &mut self.acme {
            acme.resolve(folder, &site_hosts, self.redirect_http.is_some(), file);
            if self.tls.is_some() {
                let wrong = "`[listen.tls]` exists, too";
                file.problem(&["listen", "acme"], wrong, "one of the two tables");
            } else {
                self.tls = Some(Tls::issued(store, acme.names.clone()));
                site_hosts.clear();
            }
        }
        for (name, tls, hosts) in [
            ("tls", &mut self.tls, site_hosts),
            ("admin_tls", &mut self.admin_tls, hosts_of_admin),
        ] {
            if let Some(tls) = tls {
                tls.resolve(name, folder, hosts, file);
            }
        }
    }

    /// Reads the authorities of clients.
    fn verify_clients(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        let Some(authorities) = &self.admin_client_authorities else {
            return;
        };
        let key = ["listen", "admin_client_authorities"];
        if file.get(&["listen", "admin_tls"]).is_none() {
            file.problem(&key, "the admin listener has no TLS", "`[listen.admin_tls]`, too");
        }
        match client_certificates::verifier(folder.join(authorities), self.admin_client_certificates) {
            Ok(verifier) => self.admin_client_verifier = Some(verifier),
            Err(wrong) => file.problem(&key, &wrong, "a PEM file of certificates"),
        }
    }

    /// Warns of addresses and hosts that contradict each other.
    fn warn(&self, origin: &Origin, file: &mut ConfigFile<'_>) {
        let is_any = |address: SocketAddr| address.ip().is_unspecified();
        let collide = |a: SocketAddr, b: SocketAddr| {
            a.port() == b.port() && a.port() != 0 && (a.ip() == b.ip() || is_any(a) || is_any(b))
        };
        let listeners = [
            ("site", Some(self.site)),
            ("admin", Some(self.admin)),
            ("redirect_http", self.redirect_http),
        ];
        let listeners = listeners.map(|(name, address)| address.map(|address| (name, address)));
        for (index, (name, address)) in listeners.iter().flatten().enumerate() {
            let mut earlier = listeners.iter().flatten().take(index);
            if let Some((other, _)) = earlier.find(|(_, other)| collide(*address, *other)) {
                let wrong = format!("{address} is the port of `listen.{other}`, too");
                file.warning(&["listen", name], &wrong, "a port of its own");
            }
        }
        if self.redirect_http.is_some() && origin.scheme() != "https" {
            let wrong = format!("redirects to {origin}, which is not https");
            file.warning(
                &["listen", "redirect_http"],
                &wrong,
                "a site with an https origin",
            );
        }
        let public = Host::parse(origin.authority());
        let is_allowed = |public: &Host| self.allowed_hosts.iter().any(|host| host.matches(public));
        if !self.allowed_hosts.is_empty() && !public.as_ref().is_some_and(is_allowed) {
            let wrong = format!("does not contain `{}`, the host of `site.origin`", origin.host());
            file.warning(&["listen", "allowed_hosts"], &wrong, "the site's own host, too");
        }
    }
}

fn names(hosts: &[Host]) -> Vec<String> {
    hosts.iter().map(|host| host.name().to_owned()).collect()
}

fn default_backlog() -> u32 {
    4096
}

/// The control socket of a configuration file without one: next to the file, as `site.sock` is to
/// `site.toml`.
pub(crate) fn default_control_socket(name: &str) -> PathBuf {
    Path::new(name).with_extension("sock")
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let expected = "an IP address and a port, such as 127.0.0.1:8080";
    convert(deserializer, expected, |value| {
        let text = as_string(value)?;
        text.parse()
            .map_err(|_| format!("`{text}` is not an address with a port"))
    })
}

fn optional_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    address(deserializer).map(Some)
}

/// An empty list is an error: it could mean every host or no host.
fn hosts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Host>, D::Error> {
    let expected = "a list of hosts, such as [\"site.example\"], with a port to allow only that port";
    convert(deserializer, expected, |value| {
        as_nonempty_strings(value, |text| {
            Host::parse(text).ok_or_else(|| format!("`{text}` is not a host"))
        })
    })
}

/// A single address is a network of one address.
fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let expected = "a list of addresses or networks, such as [\"10.0.0.0/8\", \"::1\"]";
    convert(deserializer, expected, |value| {
        as_strings(value, |text| {
            let network = text
                .parse::<IpNet>()
                .or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
            network
                .map(|network| network.trunc())
                .map_err(|_| format!("`{text}` is not an address or network"))
        })
    })
}
