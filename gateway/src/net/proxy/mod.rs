//! For whom a proxy asks, where the configuration says that it is one. Nobody else is believed.

mod forwarded;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod header;

use std::io;
use std::net::IpAddr;

use bytes::{Buf as _, Bytes, BytesMut};
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncReadExt as _};

pub(super) use forwarded::visitor;
use header::{Header, LONGEST, parse};

/// Whether an address is one of these proxies'.
pub(super) fn is_known(proxies: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    proxies.iter().any(|network| network.contains(&address))
}

/// Reads the PROXY header a connection begins with. Back comes the address it names, if it names one, and what was read
/// behind it.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<(Option<IpAddr>, Bytes)> {
    let mut start = BytesMut::with_capacity(LONGEST);
    loop {
        if start.len() >= LONGEST || stream.read_buf(&mut start).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match parse(&start) {
            Header::Whole { source, length } => {
                start.advance(length);
                return Ok((source, start.freeze()));
            }
            Header::Part => {}
            Header::None => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}
