//! Bearer tokens. The gateway knows their hashes alone.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::AdminError;
use crate::config::{Action, Token};

/// The token a request comes with. Every known one is compared, each in constant time, so that how long it takes
/// tells nothing.
pub(super) fn token<'a>(tokens: &'a [Token], headers: &HeaderMap) -> Option<&'a Token> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, sent) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let hash: [u8; 32] = Sha256::digest(sent.trim()).into();
    tokens.iter().fold(None, |found, token| {
        if bool::from(token.hash.ct_eq(&hash)) {
            Some(token)
        } else {
            found
        }
    })
}

/// Refuses what a token does not allow.
pub(super) fn require(token: &Token, action: Action, section: &str) -> Result<(), AdminError> {
    if token.allows(action, section) {
        return Ok(());
    }
    Err(AdminError::NotAllowed {
        token: token.name.clone(),
        action,
        section: section.to_owned(),
    })
}

/// Refuses a token that does not allow an action on anything.
pub(super) fn require_some(token: &Token, action: Action) -> Result<(), AdminError> {
    if token.allows_some(action) {
        return Ok(());
    }
    Err(AdminError::NotAllowed {
        token: token.name.clone(),
        action,
        section: "*".to_owned(),
    })
}
