//! Stream wrappers between the socket and hyper, from the socket up: [`MonitoredSocket`] records
//! progress, [`Rewind`] replays bytes that were read to detect the protocol, and
//! [`InspectedStream`] checks the decrypted bytes.

mod inspect;
mod rewind;
mod socket;

pub(crate) use inspect::{InspectedStream, Inspector, Verdict};
pub(crate) use rewind::Rewind;
pub(crate) use socket::MonitoredSocket;
