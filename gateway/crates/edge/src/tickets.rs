//! Session tickets: what a client returns to resume a TLS session (RFC 8446, section 2.2; RFC
//! 5077).
//!
//! A ticket is the ID of a key, a nonce, and the session, encrypted. The keys are not those of a
//! process, so that sessions survive a restart, and resume at another gateway.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::rand;
use rustls::server::ProducesTickets;

/// The length of a key ID.
const ID_LEN: usize = 8;

type KeyId = [u8; ID_LEN];

/// The keys of session tickets, shared by all listeners. Without a key there are no tickets.
pub struct TicketKeys {
    lifetime: Duration,
    keys: ArcSwap<Vec<(KeyId, LessSafeKey)>>,
}

impl TicketKeys {
    /// No keys yet. `lifetime` is how long clients keep a ticket.
    pub fn new(lifetime: Duration) -> Self {
        Self {
            lifetime,
            keys: ArcSwap::default(),
        }
    }

    /// Replaces the keys: IDs of 8 bytes, and 32 secret bytes. The first one encrypts. Others are
    /// ignored.
    pub fn set<'k>(&self, keys: impl Iterator<Item = (&'k str, Vec<u8>)>) {
        let keys = keys.filter_map(|(id, secret)| {
            let key = UnboundKey::new(&AES_256_GCM, &secret).ok()?;
            Some((id.as_bytes().try_into().ok()?, LessSafeKey::new(key)))
        });
        self.keys.store(Arc::new(keys.collect()));
    }
}

/// The tickets of one listener.
pub(crate) struct Tickets {
    pub(crate) keys: Arc<TicketKeys>,
    /// A ticket is valid only at the listener that it was sent by.
    pub(crate) listener: &'static str,
}

impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tickets")
            .field("listener", &self.listener)
            .finish_non_exhaustive()
    }
}

impl ProducesTickets for Tickets {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        u32::try_from(self.keys.lifetime.as_secs()).unwrap_or(u32::MAX)
    }

    fn encrypt(&self, session: &[u8]) -> Option<Vec<u8>> {
        let keys = self.keys.keys.load();
        let (id, key) = keys.first()?;
        // Random nonces suffice for 2^32 tickets of one key (NIST SP 800-38D, section 8.3).
        let mut nonce = [0; NONCE_LEN];
        rand::fill(&mut nonce).ok()?;
        let mut ticket = [&id[..], &nonce].concat();
        let mut sealed = session.to_vec();
        let aad = Aad::from(self.listener);
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed)
            .ok()?;
        ticket.append(&mut sealed);
        Some(ticket)
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        let (id, rest) = ticket.split_first_chunk::<ID_LEN>()?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>()?;
        let keys = self.keys.keys.load();
        let (_, key) = keys.iter().find(|(known, _)| known == id)?;
        let mut sealed = sealed.to_vec();
        let aad = Aad::from(self.listener);
        let session = key.open_in_place(Nonce::assume_unique_for_key(*nonce), aad, &mut sealed);
        session.ok().map(|session| session.to_vec())
    }
}
