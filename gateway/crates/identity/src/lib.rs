//! Identities of callers besides tokens: ID tokens of OIDC Core 1.0 (verification, and sign-in with a
//! browser), and client certificates.
//!
//! A token is verified with the public keys that its issuer publishes. No call of the admin API with
//! a token of the configuration depends on an issuer.

mod certificate;
mod keys;
mod provider;
mod sign_in;
mod types;

pub use provider::{Provider, Providers};
pub use sign_in::Attempt;
pub use types::{Holder, IdTokenProblem};
