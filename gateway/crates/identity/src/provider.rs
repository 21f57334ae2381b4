//! The identity providers of a configuration, and the verification of their ID tokens.

use std::sync::Arc;

use colonnade_config::IdentityProvider;
use jiff::Timestamp;
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, dangerous, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::keys::{KeySource, Keys};
use crate::types::{Holder, IdTokenProblem, LEEWAY, is_name};

/// The identity providers of a configuration.
#[derive(Debug, Default)]
pub struct Providers(Vec<Provider>);

/// A provider, and its keys.
#[derive(Debug)]
pub struct Provider {
    pub(crate) settings: IdentityProvider,
    algorithms: Vec<Algorithm>,
    pub(crate) keys: Arc<KeySource>,
}

impl Providers {
    /// Creates the providers of a configuration. Those of `earlier` with the same issuer keep their
    /// keys.
    pub fn new(settings: &[IdentityProvider], earlier: &Self) -> Self {
        let provider = |settings: &IdentityProvider| {
            let same = earlier
                .0
                .iter()
                .find(|other| other.settings.issuer == settings.issuer);
            let keys = same.map(|other| Arc::clone(&other.keys));
            let algorithms = settings.algorithms.iter();
            Provider {
                settings: settings.clone(),
                algorithms: algorithms.filter_map(|name| name.parse().ok()).collect(),
                keys: keys.unwrap_or_else(|| Arc::new(KeySource::new(&settings.issuer))),
            }
        };
        Self(settings.iter().map(provider).collect())
    }

    /// All providers.
    pub fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.0.iter()
    }

    /// The provider with this name.
    pub fn named(&self, name: &str) -> Option<&Provider> {
        self.iter().find(|provider| provider.settings.name == name)
    }

    /// Whether a bearer token has to be verified as an ID token: it has the form of one, and there
    /// are providers.
    pub fn may_verify(&self, token: &str) -> bool {
        !self.0.is_empty() && token.split('.').count() == 3
    }

    /// Verifies an ID token of any of the providers.
    pub async fn verify(&self, token: &str) -> Result<Holder, IdTokenProblem> {
        #[derive(Deserialize)]
        struct Unverified {
            iss: String,
        }
        // Only selects the keys, with which the token is then verified.
        let Unverified { iss } =
            dangerous::insecure_decode_claims(token).map_err(|_| IdTokenProblem::Malformed)?;
        let mut providers = self.iter();
        let provider = providers.find(|provider| provider.settings.issuer == iss);
        provider.ok_or(IdTokenProblem::Issuer)?.verify(token).await
    }
}

impl Provider {
    /// The settings.
    pub fn settings(&self) -> &IdentityProvider {
        &self.settings
    }

    /// Verifies an ID token of this provider.
    pub(crate) async fn verify(&self, token: &str) -> Result<Holder, IdTokenProblem> {
        let accepted = || IdTokenProblem::Algorithm(self.settings.algorithms.join(", "));
        // An unknown algorithm, such as `none`, is no valid header.
        let header = decode_header(token).map_err(|_| accepted())?;
        if !self.algorithms.contains(&header.alg) {
            return Err(accepted());
        }
        // Access tokens have another type (RFC 9068, section 4).
        if header.typ.is_some_and(|kind| !kind.eq_ignore_ascii_case("jwt")) {
            return Err(IdTokenProblem::Claim("typ".to_owned()));
        }
        let mut validation = Validation::new(header.alg);
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_audience(&self.settings.audiences());
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let is_for = |jwk: &Jwk| {
            let own = jwk.common.key_algorithm;
            own.is_none_or(|own| Algorithm::try_from(own).is_ok_and(|own| own == header.alg))
        };
        // An issuer can change its key without another ID, or have one without an ID.
        let verified = |keys: &Keys| {
            let key = key(keys, header.kid.as_deref())?;
            let public = DecodingKey::from_jwk(key).ok().filter(|_| is_for(key));
            let public = public.ok_or(IdTokenProblem::Signature)?;
            match decode(token, &public, &validation).map_err(|error| self.problem(&error)) {
                Err(IdTokenProblem::Signature) => Err(IdTokenProblem::Signature),
                decoded => Ok(decoded),
            }
        };
        let decoded = self.keys.find(&self.settings.name, verified).await??;
        check(&decoded.claims, &self.settings.audiences())?;
        self.holder(decoded.claims)
    }

    fn problem(&self, error: &Error) -> IdTokenProblem {
        match error.kind() {
            ErrorKind::ExpiredSignature | ErrorKind::ImmatureSignature => IdTokenProblem::Time,
            ErrorKind::InvalidAudience => IdTokenProblem::Audience(self.settings.audiences().join(", ")),
            ErrorKind::InvalidIssuer => IdTokenProblem::Issuer,
            ErrorKind::MissingRequiredClaim(claim) | ErrorKind::InvalidClaimFormat(claim) => {
                IdTokenProblem::Claim(claim.clone())
            }
            ErrorKind::Json(_) | ErrorKind::Utf8(_) => IdTokenProblem::Malformed,
            _ => IdTokenProblem::Signature,
        }
    }

    fn holder(&self, claims: Map<String, Value>) -> Result<Holder, IdTokenProblem> {
        let text = |claim: &str| {
            let text = claims.get(claim).and_then(Value::as_str).unwrap_or_default();
            let text = is_name(text).then(|| text.to_owned());
            text.ok_or_else(|| IdTokenProblem::Claim(claim.to_owned()))
        };
        let expires = claims.get("exp").and_then(Value::as_f64).unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "a time is far below the limit")]
        let expires = Timestamp::from_second(expires as i64);
        Ok(Holder {
            provider: self.settings.name.clone(),
            issuer: self.settings.issuer.clone(),
            subject: text("sub")?,
            name: text(&self.settings.name_claim)?,
            expires: expires.map_err(|_| IdTokenProblem::Claim("exp".to_owned()))?,
            claims,
        })
    }
}

/// Checks what only some tokens have (OIDC Core 1.0, section 3.1.3.7): the party that a token for
/// several audiences was issued to, and when it was issued.
fn check(claims: &Map<String, Value>, audiences: &[&str]) -> Result<(), IdTokenProblem> {
    let has_several = |audience: &Value| audience.as_array().is_some_and(|all| all.len() > 1);
    let party = claims.get("azp").and_then(Value::as_str);
    if claims.get("aud").is_some_and(has_several) && !party.is_some_and(|party| audiences.contains(&party)) {
        return Err(IdTokenProblem::Claim("azp".to_owned()));
    }
    let issued = claims.get("iat").and_then(Value::as_f64).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a time is far below 2^53")]
    let latest = colonnade_clock::now().as_second() as f64 + LEEWAY as f64;
    if issued > latest {
        return Err(IdTokenProblem::Time);
    }
    Ok(())
}

/// The key with this ID. A token needs no ID if its issuer has only one key.
fn key<'a>(keys: &'a Keys, id: Option<&str>) -> Result<&'a Jwk, IdTokenProblem> {
    match (id, keys.set.keys.as_slice()) {
        (Some(id), _) => keys.set.find(id).ok_or(IdTokenProblem::Key),
        (None, [only]) => Ok(only),
        (None, _) => Err(IdTokenProblem::NoKeyId),
    }
}
