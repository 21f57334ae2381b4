//! Bearer tokens. The configuration contains their SHA-256 hashes only.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use colonnade_config::{Action, Token};

use super::AdminError;

/// Returns the token of a request. Compares it with every known token in constant time, so that the duration reveals
/// nothing about known tokens.
pub(super) fn authenticate<'a>(tokens: &'a [Token], headers: &HeaderMap) -> Result<&'a Token, AdminError> {
    find(tokens, headers).ok_or(AdminError::Unauthorized)
}

fn find<'a>(tokens: &'a [Token], headers: &HeaderMap) -> Option<&'a Token> {
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

/// Requires that a token permits an action on a section.
pub(super) fn require(token: &Token, action: Action, section: &str) -> Result<(), AdminError> {
    if token.allows(action, section) {
        return Ok(());
    }
    Err(AdminError::Forbidden {
        token: token.name.clone(),
        action,
        section: section.to_owned(),
    })
}

/// Requires that a token permits an action on at least one section.
pub(super) fn require_any_section(token: &Token, action: Action) -> Result<(), AdminError> {
    if token.allows_some(action) {
        return Ok(());
    }
    Err(AdminError::Forbidden {
        token: token.name.clone(),
        action,
        section: "*".to_owned(),
    })
}
