//! TLS: generated certificates, and a client that verifies them.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertificateParams, CertifiedKey, KeyPair, SanType, date_time_ymd, generate_simple_self_signed};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, NamedGroup, RootCertStore, ServerConfig, StreamOwned,
};

use super::{Client, Request, Response};

/// A self-signed certificate for `site.example`.
pub(crate) struct Certificate {
    der: CertificateDer<'static>,
    pem: String,
    key: String,
}

/// The paths of a certificate's files.
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Certificate {
    /// Generates a certificate.
    pub(crate) fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["site.example".to_owned()]).unwrap();
        Self {
            der: cert.der().clone(),
            pem: cert.pem(),
            key: signing_key.serialize_pem(),
        }
    }

    /// Generates a certificate for a host that is valid in these years.
    pub(crate) fn valid_in(host: &str, years: Range<i32>) -> Self {
        let mut parameters = CertificateParams::new(vec![host.to_owned()]).unwrap();
        parameters.not_before = date_time_ymd(years.start, 1, 1);
        parameters.not_after = date_time_ymd(years.end, 1, 1);
        Self::self_signed(&parameters)
    }

    /// Generates the certificate of a client with this URI.
    pub(crate) fn of_client(uri: &str) -> Self {
        let mut parameters = CertificateParams::default();
        parameters.subject_alt_names = vec![SanType::URI(uri.try_into().unwrap())];
        Self::self_signed(&parameters)
    }

    fn self_signed(parameters: &CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        Self {
            der: certificate.der().clone(),
            pem: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    /// The certificate in PEM.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// Writes certificate and key to a folder.
    pub(crate) fn write(&self, folder: &Path) -> Files {
        self.write_as("", folder)
    }

    /// Writes them to files whose names begin like this.
    pub(crate) fn write_as(&self, name: &str, folder: &Path) -> Files {
        let files = Files {
            certificate: folder.join(format!("{name}certificate.pem")),
            key: folder.join(format!("{name}key.pem")),
        };
        std::fs::write(&files.key, &self.key).unwrap();
        std::fs::set_permissions(&files.key, Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&files.certificate, &self.pem).unwrap();
        files
    }

    /// A server with this certificate that only accepts clients with the other one.
    pub(crate) fn server_config(&self, client: &Self) -> Arc<ServerConfig> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(client.der.clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider));
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(vec![self.der.clone()], key);
        let mut config = config.unwrap();
        // A resumed session shows no certificate.
        config.send_tls13_tickets = 0;
        Arc::new(config)
    }

    /// Connects and trusts only this certificate. Fails on any other and without TLS.
    pub(crate) fn connect(&self, client: &Client, protocols: &[&str]) -> std::io::Result<Tls> {
        connect_to("site.example", client, self.client_config(protocols))
    }

    /// Connects to another host.
    pub(crate) fn serves(&self, host: &str, client: &Client) -> bool {
        connect_to(host, client, self.client_config(&[])).is_ok()
    }

    /// Connects without naming a host (SNI).
    pub(crate) fn serves_without_name(&self, client: &Client) -> bool {
        let mut config = self.client_config(&[]);
        config.enable_sni = false;
        connect_to("site.example", client, config).is_ok()
    }

    /// A client that trusts only this certificate.
    pub(crate) fn client_config(&self, protocols: &[&str]) -> ClientConfig {
        self.client_config_with(aws_lc_rs::default_provider(), protocols)
    }

    /// The same with this provider.
    pub(crate) fn client_config_with(&self, provider: CryptoProvider, protocols: &[&str]) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let mut config = client_with(provider, roots);
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        config
    }

    /// A client that trusts only this certificate, and shows its own if it has one.
    pub(crate) fn client_config_as(&self, client: Option<&Self>) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        match client {
            None => builder.with_no_client_auth(),
            Some(client) => {
                let key = PrivateKeyDer::from_pem_slice(client.key.as_bytes()).unwrap();
                builder
                    .with_client_auth_cert(vec![client.der.clone()], key)
                    .unwrap()
            }
        }
    }

    /// Requests `/` over a new connection.
    pub(crate) fn get(&self, client: &Client) -> std::io::Result<Response> {
        self.send(client, Request::new("GET", "/"))
    }

    /// Sends a request over a new connection.
    pub(crate) fn send(&self, client: &Client, request: Request) -> std::io::Result<Response> {
        self.connect(client, &[])?.send(request)
    }
}

/// A client that trusts these certificates.
pub(crate) fn tls_client(roots: RootCertStore) -> ClientConfig {
    client_with(aws_lc_rs::default_provider(), roots)
}

fn client_with(provider: CryptoProvider, roots: RootCertStore) -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// Performs a TLS handshake for this host.
fn connect_to(host: &str, client: &Client, config: impl Into<Arc<ClientConfig>>) -> std::io::Result<Tls> {
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let mut connection = ClientConnection::new(config.into(), name).unwrap();
    let mut stream = client.connect();
    connection.complete_io(&mut stream)?;
    Ok(Tls(StreamOwned::new(connection, stream)))
}

impl Files {
    /// The configuration table with the paths.
    pub(crate) fn table(&self, name: &str) -> String {
        format!(
            "[listen.{name}]\ncertificate = \"{}\"\nkey = \"{}\"\n",
            self.certificate.display(),
            self.key.display()
        )
    }

    /// The value of the key of a client's certificate.
    pub(crate) fn value(&self) -> String {
        format!("{{ certificate = {:?}, key = {:?} }}", self.certificate, self.key)
    }

    /// The configuration table of an additional certificate of the site listener.
    pub(crate) fn additional_table(&self) -> String {
        self.table("tls.additional_certificates").replace(
            "[listen.tls.additional_certificates]",
            "[[listen.tls.additional_certificates]]",
        )
    }
}

/// An encrypted connection.
pub(crate) struct Tls(StreamOwned<ClientConnection, TcpStream>);

impl Tls {
    /// Connects as this client.
    pub(crate) fn connect(client: &Client, config: &Arc<ClientConfig>) -> std::io::Result<Self> {
        connect_to("site.example", client, Arc::clone(config))
    }

    /// Sends the only request of the connection.
    pub(crate) fn send(mut self, request: Request) -> std::io::Result<Response> {
        let request = request
            .header("host", "site.example")
            .header("connection", "close");
        let address = self.0.sock.peer_addr()?;
        self.0.write_all(&request.into_bytes(address))?;
        let mut response = Vec::new();
        self.0.read_to_end(&mut response)?;
        Ok(Response::parse(&response))
    }

    /// The negotiated ALPN protocol.
    pub(crate) fn protocol(&self) -> Option<&[u8]> {
        self.0.conn.alpn_protocol()
    }

    /// The key exchange of the handshake.
    pub(crate) fn key_exchange(&self) -> NamedGroup {
        self.0.conn.negotiated_key_exchange_group().unwrap().name()
    }

    /// Whether the handshake resumed a session.
    pub(crate) fn handshake_kind(&self) -> HandshakeKind {
        self.0.conn.handshake_kind().unwrap()
    }

    /// Requests `/healthz` and keeps the connection open.
    pub(crate) fn exchange(&mut self) -> std::io::Result<()> {
        self.0
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n")?;
        let mut received = Vec::new();
        while !received.ends_with(b"ok\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte)?;
            received.extend(byte);
        }
        assert!(received.starts_with(b"HTTP/1.1 200"));
        Ok(())
    }

    /// The decrypted stream.
    pub(crate) fn stream(&mut self) -> &mut (impl Read + Write + use<>) {
        &mut self.0
    }
}
