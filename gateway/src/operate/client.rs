//! Calls of the admin API of the gateway on this machine.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use colonnade_config::{Config, ConfigError};
use reqwest::blocking::Client;
use reqwest::redirect::Policy;
use reqwest::{Identity, Method};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, SignatureScheme};
use serde_json::Value;

use crate::exit::INVALID_CONFIGURATION;

/// How long a call may take: a rollback reads the releases that it restores.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The environment variables with the PEM files of a client certificate and its private key.
const CERTIFICATE: &str = "COLONNADE_CLIENT_CERTIFICATE";
const KEY: &str = "COLONNADE_CLIENT_KEY";

/// Why a command fails. The exit codes are those of the command `colonnade`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Rejected(String),
    #[error("{0}")]
    Unauthorized(String),
    #[error("{0}")]
    Unavailable(String),
}

impl CallError {
    /// The exit code of the command.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Usage(_) => INVALID_CONFIGURATION,
            Self::Rejected(_) => 4,
            Self::Unauthorized(_) => 5,
            Self::Unavailable(_) => 6,
        }
    }
}

/// A client of the admin API.
pub(super) struct AdminClient {
    url: String,
    /// `None`: the certificate says who calls.
    token: Option<String>,
    client: Client,
}

impl AdminClient {
    /// A client of the gateway with this configuration, or with the URL in the environment.
    pub(super) fn new(config: &Path, token_file: Option<&Path>) -> Result<Self, CallError> {
        let own = client_certificate()?;
        let token = token(token_file, own.is_some())?;
        // The only possible error is that this provider is installed already.
        let _ = aws_lc_rs::default_provider().install_default();
        let client = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .timeout(TIMEOUT);
        let (url, certificate) = address(config)?;
        let client = match (certificate, own) {
            (Some(file), own) => client.tls_backend_preconfigured(pinned(&file, own)?),
            // Without TLS, no root certificates are needed.
            (None, _) if url.starts_with("http:") => client.tls_certs_only([]),
            (None, Some(own)) => client.identity(Identity::from_pem(&own).map_err(|error| unusable(&error))?),
            (None, None) => client,
        };
        let client = client
            .build()
            .map_err(|error| CallError::Unavailable(reason(&error)))?;
        Ok(Self { url, token, client })
    }

    /// Calls the admin API: POST with a body, GET without one. Returns the JSON of the response.
    pub(super) fn call(&self, path: &str, body: Option<&Value>) -> Result<Value, CallError> {
        let url = &self.url;
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let mut request = self.client.request(method.clone(), format!("{url}{path}"));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        let response = request
            .send()
            .and_then(|response| Ok((response.status(), response.text()?)));
        let (status, text) = response.map_err(|error| {
            let reason = reason(&error);
            CallError::Unavailable(format!(
                "cannot reach the gateway at {url} ({reason}); check that it runs, and that `listen.admin` of the configuration, \
                 or COLONNADE_ADMIN, is its admin listener"
            ))
        })?;
        let problem: Value = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() && !problem.is_null() {
            return Ok(problem);
        }
        let title = problem["title"].as_str().unwrap_or_default();
        let mut lines = vec![format!("{method} {path}: {} {title}", status.as_u16())];
        lines.extend(problem["detail"].as_str().map(ToOwned::to_owned));
        let problems = problem["problems"].as_array().into_iter().flatten();
        lines.extend(problems.map(|problem| format!("- {}", problem.as_str().unwrap_or_default())));
        if title.is_empty() {
            lines.push(format!("{url} did not respond as an admin listener"));
        }
        let message = lines.join("\n");
        Err(match status.as_u16() {
            401 | 403 => CallError::Unauthorized(message),
            400..=499 => CallError::Rejected(message),
            500.. => CallError::Unavailable(message),
            _ => CallError::Usage(message),
        })
    }
}

/// The URL of the admin listener, and the certificate that it has if the URL is from the
/// configuration.
fn address(config: &Path) -> Result<(String, Option<PathBuf>), CallError> {
    let url = std::env::var("COLONNADE_ADMIN").ok();
    if let Some(url) = url.filter(|url| !url.is_empty()) {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let expected = "expected http(s)://host:port, such as http://127.0.0.1:9090";
            let wrong = "COLONNADE_ADMIN is not the URL of an admin listener";
            return Err(CallError::Usage(format!("{wrong}; {expected}")));
        }
        return Ok((url.trim_end_matches('/').to_owned(), None));
    }
    let (mut address, certificate) = Config::admin_listener(config)?;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let scheme = if certificate.is_some() { "https" } else { "http" };
    Ok((format!("{scheme}://{address}"), certificate))
}

/// The certificate chain of the client and its private key, in PEM, if the environment names them.
fn client_certificate() -> Result<Option<Vec<u8>>, CallError> {
    let names = [CERTIFICATE, KEY];
    let files = names.map(|name| std::env::var_os(name).filter(|file| !file.is_empty()));
    let [Some(certificate), Some(key)] = &files else {
        let is_incomplete = files.iter().any(Option::is_some);
        let wrong = format!("expected both {CERTIFICATE} and {KEY}, or neither");
        return if is_incomplete {
            Err(CallError::Usage(wrong))
        } else {
            Ok(None)
        };
    };
    let mut pem = Vec::new();
    for (name, file) in names.iter().zip([certificate, key]) {
        let text = std::fs::read(file);
        pem.extend(text.map_err(|error| CallError::Usage(format!("{name} cannot be read: {error}")))?);
        pem.push(b'\n');
    }
    Ok(Some(pem))
}

fn unusable(error: &dyn Error) -> CallError {
    CallError::Usage(format!(
        "{CERTIFICATE} and {KEY} cannot be used: {}",
        reason(error)
    ))
}

/// The token in a file, or in the environment; `None` if there is a certificate instead.
fn token(file: Option<&Path>, has_certificate: bool) -> Result<Option<String>, CallError> {
    let (text, source) = match file {
        Some(path) => {
            let (text, source) = (std::fs::read_to_string(path), path.display().to_string());
            let unreadable = |error| CallError::Usage(format!("{source} cannot be read: {error}"));
            (Some(text.map_err(unreadable)?), source)
        }
        None => (
            std::env::var("COLONNADE_TOKEN").ok(),
            "COLONNADE_TOKEN".to_owned(),
        ),
    };
    if has_certificate && file.is_none() && text.as_ref().is_none_or(String::is_empty) {
        return Ok(None);
    }
    let token = text.map(|text| text.trim_end_matches(['\r', '\n']).to_owned());
    let token = token.filter(|token| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()));
    let missing = || {
        CallError::Usage(format!(
            "{source} has no token; expected COLONNADE_TOKEN or --token-file with a token of the admin API"
        ))
    };
    token.ok_or_else(missing).map(Some)
}

/// What an error and its causes say.
fn reason(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Trusts only the certificate in the gateway's own file, whatever its names: the connection is to
/// an address of this machine. Shows it the client's own certificate, in PEM.
fn pinned(file: &Path, own: Option<Vec<u8>>) -> Result<ClientConfig, CallError> {
    let certificate = CertificateDer::from_pem_file(file).map_err(|error| {
        let file = file.display();
        CallError::Usage(format!(
            "{file}: cannot read the certificate of the admin listener: {error}"
        ))
    })?;
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Arc::new(Pinned {
        certificate,
        provider: Arc::clone(&provider),
    });
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| CallError::Unavailable(error.to_string()))?;
    let config = config.dangerous().with_custom_certificate_verifier(verifier);
    let Some(own) = own else {
        return Ok(config.with_no_client_auth());
    };
    let chain = CertificateDer::pem_slice_iter(&own).collect::<Result<Vec<_>, _>>();
    let key = PrivateKeyDer::from_pem_slice(&own).map_err(|error| unusable(&error))?;
    let config = config.with_client_auth_cert(chain.map_err(|error| unusable(&error))?, key);
    config.map_err(|error| unusable(&error))
}

#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *end_entity == self.certificate {
            return Ok(ServerCertVerified::assertion());
        }
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
