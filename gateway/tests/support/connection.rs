//! A keep-alive connection whose requests may fail.

use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::net::{SocketAddr, TcpStream};

use super::{Client, Request, Response};

/// A connection that reads responses by their Content-Length.
pub(crate) struct Connection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects to the client's server. Fails once it no longer listens.
    pub(crate) fn open(client: &Client) -> Result<Self> {
        let stream = TcpStream::connect(client.address())?;
        stream.set_read_timeout(Some(super::client::TIMEOUT))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            address: client.address(),
            stream: BufReader::new(stream),
        })
    }

    /// Sends a request and reads its complete response.
    pub(crate) fn exchange(&mut self, request: Request) -> Result<Response> {
        self.stream
            .get_mut()
            .write_all(&request.into_bytes(self.address))?;
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n") {
            if self.stream.read_until(b'\n', &mut bytes)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        let mut response = Response::parse(&bytes);
        if matches!(response.status, 204 | 304) {
            return Ok(response);
        }
        let length = response
            .has("content-length")
            .then(|| response.header("content-length"));
        let length = length.and_then(|length| length.parse().ok());
        response.body = vec![0; length.ok_or_else(|| Error::other("a response without Content-Length"))?];
        self.stream.read_exact(&mut response.body)?;
        Ok(response)
    }
}
