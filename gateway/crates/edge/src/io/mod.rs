//! Stream wrappers between the socket and hyper, from the socket up: [`MonitoredSocket`] records progress,
//! [`Rewind`] replays bytes that were read to detect the protocol, and [`InspectedStream`] checks the
//! decrypted bytes.

mod inspect;
mod rewind;
mod sniff;
mod socket;
mod write_hold;

pub(crate) use inspect::{InspectedStream, Inspector, Verdict};
pub(crate) use rewind::Rewind;
pub(crate) use sniff::sniff;
pub(crate) use socket::MonitoredSocket;
pub(crate) use write_hold::WriteHold;
