//! Certificates of the clients of the admin listener.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use serde::{Deserialize, Deserializer};

use crate::client_tls::load_roots;
use crate::value::{as_string, convert, path};

/// Which clients of the admin listener need a certificate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ClientCertificates {
    /// All.
    #[default]
    Required,
    /// None; but one that is sent must be valid.
    Optional,
}

impl<'de> Deserialize<'de> for ClientCertificates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        convert(
            deserializer,
            "`required` or `optional`",
            |value| match as_string(value)? {
                "required" => Ok(Self::Required),
                "optional" => Ok(Self::Optional),
                other => Err(format!("is `{other}`")),
            },
        )
    }
}

/// Checks the certificates of clients with these authorities, a PEM file.
pub(crate) fn verifier(
    authorities: PathBuf,
    certificates: ClientCertificates,
) -> Result<Arc<dyn ClientCertVerifier>, String> {
    let roots = load_roots(authorities).map_err(|error| error.to_string())?;
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    if certificates == ClientCertificates::Optional {
        builder = builder.allow_unauthenticated();
    }
    builder.build().map_err(|error| error.to_string())
}

/// The path of the authorities.
pub(crate) fn authorities<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    path(deserializer).map(Some)
}
