//! Sign-in with a browser: the authorization code flow (OIDC Core 1.0, section 3.1) with
//! PKCE (RFC 7636).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Client;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::keys::{self, FetchError};
use crate::provider::Provider;
use crate::types::{Holder, IdTokenProblem};

/// One attempt to sign in. State, nonce and code verifier are derived from a secret in a cookie of
/// the browser, so that any gateway can complete the attempt and gateways keep no state.
#[derive(Debug)]
pub struct Attempt {
    /// Returns with the authorization code: the code is for this attempt.
    pub state: String,
    /// Returns in the ID token: the token is for this attempt.
    nonce: String,
    /// The code verifier of PKCE: only the client that requested the code can redeem it.
    verifier: String,
}

impl Provider {
    /// The attempt at this provider with this secret. Of another provider it is another attempt, so
    /// that a provider cannot send the browser on to another one and get the code of that one (RFC
    /// 9700, section 4.4).
    pub fn attempt(&self, secret: &str) -> Attempt {
        let derived = |purpose: &str| digest(&format!("{purpose} {} {secret}", self.settings.name));
        Attempt {
            state: derived("state"),
            nonce: derived("nonce"),
            verifier: derived("verifier"),
        }
    }

    /// Where the browser signs in. The provider sends it back to `redirect_uri`.
    pub async fn authorization_url(
        &self,
        attempt: &Attempt,
        redirect_uri: &str,
    ) -> Result<Url, IdTokenProblem> {
        let endpoint = |keys: &keys::Keys| {
            keys.authorization_endpoint
                .clone()
                .ok_or(IdTokenProblem::NoSignIn)
        };
        let mut url = self.keys.find(&self.settings.name, endpoint).await?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair(
                "client_id",
                self.settings.client_id.as_deref().unwrap_or_default(),
            )
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("scope", &self.settings.scopes.join(" "))
            .append_pair("state", &attempt.state)
            .append_pair("nonce", &attempt.nonce)
            .append_pair("code_challenge", &digest(&attempt.verifier))
            .append_pair("code_challenge_method", "S256");
        Ok(url)
    }

    /// Exchanges an authorization code for an ID token, and returns its holder.
    pub async fn redeem(
        &self,
        attempt: &Attempt,
        code: &str,
        redirect_uri: &str,
    ) -> Result<Holder, IdTokenProblem> {
        #[derive(Deserialize)]
        struct Tokens {
            id_token: String,
        }
        let endpoint = |keys: &keys::Keys| keys.token_endpoint.clone().ok_or(IdTokenProblem::NoSignIn);
        let url = self.keys.find(&self.settings.name, endpoint).await?;
        let client_id = self.settings.client_id.as_deref().unwrap_or_default();
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("code_verifier", &attempt.verifier)
            .append_pair("client_id", client_id)
            .finish();
        let secret = self.settings.secret.as_ref();
        let tokens = keys::request(&url, |client: &Client, url| {
            let request = client.post(url).body(form);
            let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            match secret {
                // RFC 6749, section 2.3.1.
                Some(secret) => {
                    let form_encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                    request.basic_auth(
                        form_encoded(client_id),
                        Some(form_encoded(secret.expose_secret())),
                    )
                }
                None => request,
            }
        });
        let Tokens { id_token } = tokens.await.map_err(|error| self.failure(&error))?;
        let holder = self.verify(&id_token).await?;
        if holder.claims.get("nonce").and_then(Value::as_str) != Some(&*attempt.nonce) {
            return Err(IdTokenProblem::Claim("nonce".to_owned()));
        }
        Ok(holder)
    }

    fn failure(&self, error: &FetchError) -> IdTokenProblem {
        let provider = &self.settings.name;
        if let FetchError::Http(error) = error
            && matches!(
                error.status(),
                Some(StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED)
            )
        {
            return IdTokenProblem::Refused(provider.clone());
        }
        tracing::error!(event = "identity_provider_failed", provider, error = %error);
        IdTokenProblem::Unreachable(provider.clone())
    }
}

/// The SHA-256 digest of a text, in base64url.
fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}
