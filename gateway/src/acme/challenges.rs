//! The answers to the challenges of a certificate authority. The gateway that orders stores them,
//! and all gateways answer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use colonnade_edge::ChallengeCertificates;
use colonnade_store::{AcmeFile, AcmeFiles};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::crypto::aws_lc_rs::sign::any_supported_type;
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// One challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Challenge {
    pub(super) host: String,
    pub(super) token: String,
    pub(super) key_authorization: String,
}

/// The answers to the pending challenges.
#[derive(Default)]
pub(crate) struct Challenges {
    /// Key authorizations by token.
    http: ArcSwap<HashMap<String, String>>,
    certificates: Arc<ChallengeCertificates>,
}

impl Challenges {
    /// The answer to a challenge over HTTP.
    pub(crate) fn http(&self, token: &str) -> Option<String> {
        self.http.load().get(token).cloned()
    }

    /// The answers to challenges over TLS.
    pub(crate) fn certificates(&self) -> &Arc<ChallengeCertificates> {
        &self.certificates
    }

    /// Replaces the challenges.
    fn set(&self, challenges: &[Challenge]) {
        let certificates = challenges.iter().filter_map(|challenge| {
            let certificate = certificate(challenge)?;
            Some((challenge.host.clone(), Arc::new(certificate)))
        });
        self.certificates.set(certificates.collect());
        let http = challenges
            .iter()
            .map(|challenge| (challenge.token.clone(), challenge.key_authorization.clone()));
        self.http.store(Arc::new(http.collect()));
    }

    /// Follows the challenges in the store. Never returns.
    pub(super) async fn follow(&self, store: &AcmeFiles, poll_interval: Duration) {
        let mut current = Vec::new();
        loop {
            let text = store.read(AcmeFile::Challenges).await.ok().flatten();
            let next = text.and_then(|text| serde_json::from_slice::<Vec<Challenge>>(&text).ok());
            let next = next.unwrap_or_default();
            if next != current {
                self.set(&next);
                current = next;
                if current.is_empty() {
                    // An order ended. Without its certificate now, this gateway fetches it later.
                    let _ = store.fetch_certificate().await;
                }
            }
            tokio::time::sleep(poll_interval).await;
        }
    }
}

/// The certificate that answers a challenge over TLS (RFC 8737, section 3).
fn certificate(challenge: &Challenge) -> Option<CertifiedKey> {
    let digest = Sha256::digest(&challenge.key_authorization);
    let mut parameters = CertificateParams::new(vec![challenge.host.clone()]).ok()?;
    parameters.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
    let key = KeyPair::generate().ok()?;
    let chain = vec![parameters.self_signed(&key).ok()?.der().clone()];
    let key = PrivateKeyDer::try_from(key.serialize_der()).ok()?;
    // `from_der` rejects the extension, which is critical.
    let key = any_supported_type(&key).ok()?;
    Some(CertifiedKey::new(chain, key))
}
