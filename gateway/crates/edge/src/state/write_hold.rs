//! Writes the responses of several HTTP/2 streams together.

use std::sync::atomic::{AtomicBool, Ordering};

/// Holds back the bytes of responses while they are encoded, so that as few system calls as
/// possible write them.
///
/// TLS keeps what the socket does not accept, up to 64 KiB. So while a hold lasts, the socket
/// accepts nothing, and the stream above TLS is not flushed. Only the task of the connection uses
/// it.
#[derive(Debug, Default)]
pub(crate) struct WriteHold {
    is_allowed: AtomicBool,
    is_held: AtomicBool,
    has_bytes: AtomicBool,
}

impl WriteHold {
    /// Allows holds: the connection has TLS.
    pub(crate) fn allow(&self) {
        self.is_allowed.store(true, Ordering::Relaxed);
    }

    /// Begins to hold bytes back, if that is allowed.
    pub(crate) fn begin(&self) {
        let is_allowed = self.is_allowed.load(Ordering::Relaxed);
        self.is_held.store(is_allowed, Ordering::Relaxed);
    }

    /// Ends the hold. Returns whether the connection must be polled again, to write what was held
    /// back.
    pub(crate) fn end(&self) -> bool {
        self.is_held.store(false, Ordering::Relaxed);
        self.has_bytes.swap(false, Ordering::Relaxed)
    }

    /// Returns whether bytes are held back.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held.load(Ordering::Relaxed)
    }

    /// Returns whether the bytes that the socket is about to write are held back.
    pub(crate) fn holds_bytes(&self) -> bool {
        let is_held = self.is_held();
        if is_held {
            self.has_bytes.store(true, Ordering::Relaxed);
        }
        is_held
    }
}
