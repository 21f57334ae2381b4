//! A connection that is kept for one request after the other, and may break.

use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::net::{SocketAddr, TcpStream};

use super::{Client, Request, Response};

/// A connection over which answers are read by their length.
pub(crate) struct Connection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects where a client would; fails if nobody listens there any more.
    pub(crate) fn open(client: &Client) -> Result<Self> {
        let stream = TcpStream::connect(client.address())?;
        stream.set_read_timeout(Some(super::client::PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            address: client.address(),
            stream: BufReader::new(stream),
        })
    }

    /// Sends a request and reads its answer, whole; fails if it does not come.
    pub(crate) fn exchange(&mut self, request: Request) -> Result<Response> {
        self.stream.get_mut().write_all(&request.message(self.address))?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            if self.stream.read_until(b'\n', &mut answer)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        let mut response = Response::parse(&answer);
        if matches!(response.status, 204 | 304) {
            return Ok(response);
        }
        let length = response
            .has("content-length")
            .then(|| response.header("content-length"));
        let length = length.and_then(|length| length.parse().ok());
        response.body = vec![0; length.ok_or_else(|| Error::other("an answer without a length"))?];
        self.stream.read_exact(&mut response.body)?;
        Ok(response)
    }
}
