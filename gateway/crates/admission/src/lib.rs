//! Admission control: who gets one of a limited number of permits, for connections, requests,
//! renders and calls to backends.
//!
//! There is one rule. While permits are free, each request for one is granted. When no permit is
//! free, the request waits, and items that hold permits are asked to yield: first those of the
//! network that holds most, the oldest first. The waiter gets the permit of the first item that
//! agrees. From a network that holds no more than its own, a waiter gets only what costs its holder
//! nothing, such as an idle connection, or as a last resort what its client has left waiting.
//! Networks are compared at the widest level at which they differ: an IPv4 address or the /48 of an
//! IPv6 address, then the /56, then the /64.
//!
//! Calls to backends cannot yield, so [`Pool::try_acquire`] only limits their number.

mod ledger;
mod pool;
#[cfg(test)]
mod tests;

pub use pool::{Full, Limits, Permit, Pool};

/// What can hold a permit and give it up.
pub trait Yield {
    /// Asks to release the permit for a waiter. Returns whether the item agrees: then its permit
    /// must be released soon. An item declines if yielding is not possible or not fair.
    fn yield_to(&self, waiter: Waiter) -> bool;
}

/// How the network of a waiter, with the permit it waits for, compares with the network of the item
/// that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiter {
    /// It holds less, and the item's network holds more than an equal share.
    HoldsLess,
    /// It holds as much or more, or the item's network holds no more than an equal share. Only an
    /// item that costs its client nothing should yield.
    HoldsNoLess {
        /// It holds no more than the item's network, and no item of a network that holds more has
        /// yielded. An item that its client has left waiting should yield as well.
        is_last_resort: bool,
    },
    /// Both belong to the same client.
    IsSameClient,
}
