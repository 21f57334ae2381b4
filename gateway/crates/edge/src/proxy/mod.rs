//! The client address behind a trusted proxy: from the PROXY header of a connection, or from
//! `X-Forwarded-For`. Both are ignored from any other peer.

mod forwarded_for;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod protocol;

use std::io;
use std::net::IpAddr;

use bytes::{Buf as _, Bytes, BytesMut};
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncReadExt as _};

pub(crate) use forwarded_for::client_address;
use protocol::{Header, MAX_LENGTH, parse};

/// Returns whether an address is in one of these networks.
pub(crate) fn is_trusted(proxies: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    proxies.iter().any(|network| network.contains(&address))
}

/// Reads the PROXY header at the start of a connection. Returns the source address, if the header
/// has one, and the bytes that were read after the header.
///
/// # Errors
///
/// The header is invalid, incomplete or too long, or reading fails.
pub(crate) async fn read_header(
    stream: &mut (impl AsyncRead + Unpin),
) -> io::Result<(Option<IpAddr>, Bytes)> {
    let mut start = BytesMut::with_capacity(MAX_LENGTH);
    loop {
        if start.len() >= MAX_LENGTH || stream.read_buf(&mut start).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match parse(&start) {
            Header::Complete { source, length } => {
                start.advance(length);
                return Ok((source, start.freeze()));
            }
            Header::Incomplete => {}
            Header::Invalid => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}
