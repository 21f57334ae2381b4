//! The head of a request.

use std::ops::Deref;

use http::request::Parts;

use crate::client::Client;

/// The head of a request, with its client.
#[derive(Debug, Clone)]
pub struct Head {
    /// What the client has sent.
    pub parts: Parts,
    /// Who has sent it.
    pub client: Client,
}

impl Deref for Head {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}
