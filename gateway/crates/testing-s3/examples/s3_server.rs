//! An S3 server for benchmarks, until its standard input ends.
//!
//! The argument is the latency of each response in milliseconds. It prints its endpoint. Each line
//! of standard input is a command: `away` closes connections, `back` ends that, and `requests`
//! prints the number of requests so far.

use std::io::{Error, ErrorKind, Write as _, stdin, stdout};
use std::time::Duration;

use colonnade_testing_s3::{Fault, S3Server};

fn main() -> std::io::Result<()> {
    let server = S3Server::start();
    let latency = std::env::args().nth(1).and_then(|latency| latency.parse().ok());
    server.set_latency(Duration::from_millis(latency.unwrap_or(0)));
    print(&server.endpoint())?;
    for line in stdin().lines() {
        match line?.as_str() {
            "away" => server.set_fault(Fault::Away),
            "back" => server.set_fault(None),
            "requests" => print(&count_requests(&server).to_string())?,
            other => {
                let message = format!("unknown command {other:?}: expected `away`, `back` or `requests`");
                return Err(Error::new(ErrorKind::InvalidInput, message));
            }
        }
    }
    Ok(())
}

fn count_requests(server: &S3Server) -> usize {
    let methods = ["GET", "HEAD", "PUT", "POST", "DELETE"];
    methods.iter().map(|method| server.requests(method, "")).sum()
}

fn print(line: &str) -> std::io::Result<()> {
    let mut output = stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}
