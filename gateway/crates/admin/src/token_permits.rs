//! A limited number of permits, of which one token holds only a part, so that no token takes those
//! of others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// The SHA-256 hash of a token.
type TokenHash = [u8; 32];

/// Permits, counted by token.
#[derive(Debug)]
pub(crate) struct TokenPermits {
    total: usize,
    per_token: usize,
    held: Mutex<HashMap<TokenHash, usize>>,
}

/// A permit. Dropping it releases it.
#[derive(Debug)]
pub(crate) struct TokenPermit {
    permits: Arc<TokenPermits>,
    token: TokenHash,
}

impl TokenPermits {
    /// Creates `total` permits, of which one token may hold `per_token`.
    pub(crate) fn new(total: usize, per_token: usize) -> Arc<Self> {
        Arc::new(Self {
            total,
            per_token,
            held: Mutex::default(),
        })
    }

    /// The number of permits that are held.
    pub(crate) fn count(&self) -> usize {
        self.held.lock().values().sum()
    }

    /// Takes a permit for a token; `None` if all are held, or the token holds as many as it may.
    pub(crate) fn try_acquire(self: &Arc<Self>, token: TokenHash) -> Option<TokenPermit> {
        let mut held = self.held.lock();
        let own = held.get(&token).copied().unwrap_or(0);
        if own >= self.per_token || held.values().sum::<usize>() >= self.total {
            return None;
        }
        held.insert(token, own + 1);
        Some(TokenPermit {
            permits: Arc::clone(self),
            token,
        })
    }
}

impl Drop for TokenPermit {
    fn drop(&mut self) {
        let mut held = self.permits.held.lock();
        if let Some(own) = held.get_mut(&self.token) {
            *own -= 1;
            if *own == 0 {
                held.remove(&self.token);
            }
        }
    }
}
