//! Admission control: who gets one of a limited number of permits, for connections, requests, renders and calls to
//! backends.
//!
//! There is one rule. While permits are free, every newcomer gets one. When none is free, the network that holds most
//! gives way first: its items are asked, the oldest first, and the newcomer gets the permit of the first one that agrees.
//! From a network that holds no more than its own, a newcomer gets only what costs its holder nothing, such as an idle
//! connection, or as a last resort what its client has left waiting. Networks are compared at the widest level at
//! which they differ: an IPv4 address or the /48 of an IPv6 address, then the /56, then the /64.
//!
//! Sign-ups cannot give way, so that [`Pool::try_acquire`] only has a limit of all.

mod ledger;
mod pool;
#[cfg(test)]
mod tests;

pub use pool::{Full, Limits, Permit, Pool};

/// What can hold a permit and give it up.
pub trait GiveWay {
    /// Asks to release the permit for a newcomer. Returns false if that is not possible or not fair; otherwise the permit
    /// must be released soon.
    fn give_way(&self, newcomer: Newcomer) -> bool;
}

/// How the network of a newcomer, with the permit it asks for, compares with the one of the item that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newcomer {
    /// It holds less, and the other one holds more than an equal share.
    HoldsLess,
    /// It holds as much or more, or the other one holds no more than an equal share. Only an item that costs its client
    /// nothing should give way.
    HoldsNoLess {
        /// It holds no more than the other one, and no item of a network that holds more gives way. So an item that its
        /// client has left waiting should give way, too.
        is_last_resort: bool,
    },
    /// Both belong to the same client.
    IsSameClient,
}
