//! TLS of a listener. The certificates can be replaced while connections are open.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ClientHello, NoClientAuth, NoServerSessionStorage, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::protocol::Protocol;
use crate::tickets::{TicketKeys, Tickets};

/// The ALPN protocol ID of HTTP/2 (RFC 7301; RFC 9113, section 3.2).
const H2: &[u8] = b"h2";

/// The ALPN protocol ID of a challenge (RFC 8737, section 6.2).
const ACME_TLS: &[u8] = b"acme-tls/1";

/// The TLS configuration of a listener.
#[derive(Clone)]
pub struct Tls {
    listener: &'static str,
    shared: SharedTls,
    certificates: Arc<CurrentCertificates>,
    /// The configuration of new connections.
    config: Arc<ArcSwap<ServerConfig>>,
}

/// What the TLS of all listeners shares.
#[derive(Clone)]
pub struct SharedTls {
    /// The keys of session tickets.
    pub ticket_keys: Arc<TicketKeys>,
    /// The certificates that answer challenges.
    pub challenges: Arc<ChallengeCertificates>,
}

/// A certificate with the names it is for.
#[derive(Debug, Clone)]
pub struct NamedCertificate {
    /// The certificate chain and the private key.
    pub key: CertifiedKey,
    /// DNS names in lower case. The wildcard `*` stands for exactly the first label.
    pub names: Vec<String>,
}

/// The certificates of new connections.
#[derive(Default)]
struct Certificates {
    /// The certificate for clients that name no host (SNI; RFC 6066, section 3), or one without a
    /// certificate.
    default: Option<Arc<CertifiedKey>>,
    by_name: HashMap<String, Arc<CertifiedKey>>,
}

impl Certificates {
    /// The first certificate is the default, and precedes others with the same name.
    fn new(certificates: Vec<NamedCertificate>) -> Self {
        let mut own = Self::default();
        for NamedCertificate { key, names } in certificates {
            let key = Arc::new(key);
            for name in names {
                own.by_name.entry(name).or_insert_with(|| Arc::clone(&key));
            }
            own.default.get_or_insert(key);
        }
        own
    }

    /// The certificate for a host. An exact name precedes a wildcard.
    fn select(&self, host: Option<&str>) -> Option<Arc<CertifiedKey>> {
        // One name would be looked up for nothing.
        let host = host
            .filter(|_| self.by_name.len() > 1)
            .map(str::to_ascii_lowercase);
        let named = host.and_then(|host| {
            let exact = self.by_name.get(&host);
            exact.or_else(|| self.by_name.get(&format!("*.{}", host.split_once('.')?.1)))
        });
        named.or(self.default.as_ref()).map(Arc::clone)
    }
}

/// The certificates of new connections, replaced as a whole on reload.
struct CurrentCertificates {
    certificates: ArcSwap<Certificates>,
    challenges: Arc<ChallengeCertificates>,
}

/// The certificates that answer the challenges of a certificate authority (TLS-ALPN-01, RFC 8737),
/// by host.
#[derive(Default)]
pub struct ChallengeCertificates(ArcSwap<HashMap<String, Arc<CertifiedKey>>>);

impl ChallengeCertificates {
    /// Replaces the certificates.
    pub fn set(&self, certificates: HashMap<String, Arc<CertifiedKey>>) {
        self.0.store(Arc::new(certificates));
    }
}

impl fmt::Debug for CurrentCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CurrentCertificates")
    }
}

impl ResolvesServerCert for CurrentCertificates {
    fn resolve(&self, client: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut protocols = client.alpn().into_iter().flatten();
        if protocols.next() == Some(ACME_TLS) && protocols.next().is_none() {
            return self.challenges.0.load().get(client.server_name()?).cloned();
        }
        self.certificates.load().select(client.server_name())
    }
}

impl Tls {
    /// Creates a configuration for TLS 1.2 and 1.3 with these certificates, of which the first is
    /// the default. The listener's session tickets have its name. `clients` checks the certificates of
    /// clients, if they need one.
    pub fn new(
        certificates: Vec<NamedCertificate>,
        listener: &'static str,
        clients: Option<Arc<dyn ClientCertVerifier>>,
        shared: &SharedTls,
    ) -> Self {
        let certificates = Arc::new(CurrentCertificates {
            certificates: ArcSwap::from_pointee(Certificates::new(certificates)),
            challenges: Arc::clone(&shared.challenges),
        });
        let config = server_config(&certificates, listener, clients, shared);
        Self {
            listener,
            shared: shared.clone(),
            certificates,
            config: Arc::new(ArcSwap::from_pointee(config)),
        }
    }

    /// Replaces what checks the certificates of clients of new connections.
    pub fn set_clients(&self, clients: Option<Arc<dyn ClientCertVerifier>>) {
        let config = server_config(&self.certificates, self.listener, clients, &self.shared);
        self.config.store(Arc::new(config));
    }

    /// Replaces the certificates of new connections.
    pub fn set_certificates(&self, certificates: Vec<NamedCertificate>) {
        self.certificates
            .certificates
            .store(Arc::new(Certificates::new(certificates)));
    }

    /// Performs the handshake and negotiates a protocol.
    pub(crate) async fn accept<S>(&self, stream: S) -> io::Result<(TlsStream<S>, Protocol)>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let acceptor = TlsAcceptor::from(self.config.load_full());
        let stream = acceptor.accept(stream).await?;
        let protocol = match stream.get_ref().1.alpn_protocol() {
            Some(H2) => Protocol::Http2,
            // The handshake was the answer.
            Some(ACME_TLS) => return Err(io::ErrorKind::ConnectionAborted.into()),
            _ => Protocol::Http1,
        };
        Ok((stream, protocol))
    }
}

/// The configuration for TLS 1.2 and 1.3 of a listener.
fn server_config(
    certificates: &Arc<CurrentCertificates>,
    listener: &'static str,
    clients: Option<Arc<dyn ClientCertVerifier>>,
    shared: &SharedTls,
) -> ServerConfig {
    let resolver: Arc<dyn ResolvesServerCert> = Arc::clone(certificates) as _;
    let is_open = clients.is_none();
    let mut config = ServerConfig::builder()
        .with_client_cert_verifier(clients.unwrap_or_else(|| Arc::new(NoClientAuth)))
        .with_cert_resolver(resolver);
    // Tickets suffice: a session in memory would resume at this process only.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    // A session that is resumed does not show the certificate of its client again.
    if is_open {
        config.ticketer = Arc::new(Tickets {
            keys: Arc::clone(&shared.ticket_keys),
            listener,
        });
    }
    config.alpn_protocols = vec![H2.to_vec(), b"http/1.1".to_vec(), ACME_TLS.to_vec()];
    config
}
