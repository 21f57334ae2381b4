//! Measures TLS providers on one thread, without sockets: the CPU time that a server spends on a handshake, and on encrypting a
//! large response. See `bench/README.md`.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustix::time::{ClockId, clock_gettime};
use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, RootCertStore, ServerConfig, ServerConnection};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The rounds that are measured, of which the median counts, and the handshakes of a round.
const ROUNDS: usize = 9;
const HANDSHAKES: usize = 400;

/// The bytes of a large response, and of one write to the connection.
const RESPONSE: usize = 64 << 20;
const WRITE: usize = 16 << 10;

fn main() -> Outcome<()> {
    let [ring, aws] = [ring::default_provider(), aws_lc_rs::default_provider()];
    println!(
        "{:<12} {:<16} {:<8} {:>16} {:>12}",
        "provider", "key exchange", "", "µs per handshake", "handshakes/s"
    );
    for (name, provider, group) in [
        ("ring", &ring, ring::kx_group::X25519),
        ("aws-lc-rs", &aws, aws_lc_rs::kx_group::X25519),
        ("aws-lc-rs", &aws, aws_lc_rs::kx_group::X25519MLKEM768),
    ] {
        for is_resumed in [false, true] {
            let (client, server) = configurations(provider, group, is_resumed)?;
            handshake(&client, &server)?;
            let ((_, connection), _) = handshake(&client, &server)?;
            assert_eq!(
                connection.handshake_kind() == Some(HandshakeKind::Resumed),
                is_resumed
            );
            let seconds = median(|| {
                let mut seconds = 0.0;
                for _ in 0..HANDSHAKES {
                    seconds += handshake(&client, &server)?.1;
                }
                Ok(seconds / HANDSHAKES as f64)
            })?;
            let kind = if is_resumed { "resumed" } else { "full" };
            let (micros, rate) = (seconds * 1e6, 1.0 / seconds);
            println!(
                "{name:<12} {:<16} {kind:<8} {micros:>16.0} {rate:>12.0}",
                format!("{:?}", group.name())
            );
        }
    }
    for (name, provider) in [("ring", &ring), ("aws-lc-rs", &aws)] {
        for suite in &provider.cipher_suites {
            if suite.tls13().is_some() {
                let one = CryptoProvider {
                    cipher_suites: vec![*suite],
                    ..provider.clone()
                };
                let (client, server) = configurations(&one, provider.kx_groups[0], false)?;
                let seconds = median(|| bulk(&client, &server))?;
                let rate = RESPONSE as f64 / seconds / 1e6;
                println!(
                    "{name:<12} {:<32} {rate:>8.0} MB/s",
                    format!("{:?}", suite.suite())
                );
            }
        }
    }
    Ok(())
}

/// A client and a server with one key exchange.
fn configurations(
    provider: &CryptoProvider,
    group: &'static dyn SupportedKxGroup,
    resumes: bool,
) -> Outcome<(Arc<ClientConfig>, Arc<ServerConfig>)> {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["site.example".to_owned()])?;
    let provider = Arc::new(CryptoProvider {
        kx_groups: vec![group],
        ..provider.clone()
    });
    let chain: Vec<CertificateDer> = vec![cert.der().clone()];
    let mut roots = RootCertStore::empty();
    roots.add(chain[0].clone())?;
    let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    if !resumes {
        client.resumption = rustls::client::Resumption::disabled();
    }
    let key = PrivateKeyDer::try_from(signing_key.serialize_der())?;
    let mut server = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    // Both providers encrypt tickets of their own; the same one is fair.
    server.ticketer = ring::Ticketer::new()?;
    Ok((Arc::new(client), Arc::new(server)))
}

/// Performs a handshake. Returns the server's connection and its CPU time.
fn handshake(
    client: &Arc<ClientConfig>,
    server: &Arc<ServerConfig>,
) -> Outcome<((ClientConnection, ServerConnection), f64)> {
    let mut client = ClientConnection::new(Arc::clone(client), "site.example".try_into()?)?;
    let start = cpu_seconds();
    let mut server = ServerConnection::new(Arc::clone(server))?;
    let mut seconds = cpu_seconds() - start;
    while client.is_handshaking() || server.is_handshaking() || server.wants_write() {
        let mut bytes = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut bytes)?;
        }
        let start = cpu_seconds();
        server.read_tls(&mut bytes.as_slice())?;
        server.process_new_packets()?;
        let mut bytes = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut bytes)?;
        }
        seconds += cpu_seconds() - start;
        receive(&mut client, &bytes)?;
    }
    Ok(((client, server), seconds))
}

/// Processes what the server sent.
fn receive(client: &mut ClientConnection, mut bytes: &[u8]) -> Outcome<()> {
    while !bytes.is_empty() {
        client.read_tls(&mut bytes)?;
        client.process_new_packets()?;
    }
    Ok(())
}

/// The CPU time in which a server encrypts a large response.
fn bulk(client: &Arc<ClientConfig>, server: &Arc<ServerConfig>) -> Outcome<f64> {
    let ((mut client, mut server), _) = handshake(client, server)?;
    let (data, mut sent, mut received) = (vec![0; WRITE], Vec::with_capacity(2 * WRITE), vec![0; 2 * WRITE]);
    let mut seconds = 0.0;
    for written in (0..RESPONSE).step_by(WRITE) {
        let start = cpu_seconds();
        server.writer().write_all(&data)?;
        while server.wants_write() {
            server.write_tls(&mut sent)?;
        }
        seconds += cpu_seconds() - start;
        // The first bytes prove that the client can read what is measured.
        if written == 0 {
            receive(&mut client, &sent)?;
            assert!(client.reader().read(&mut received)? > 0);
        }
        sent.clear();
    }
    Ok(seconds)
}

/// The CPU time of this thread, in seconds.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(measure: impl Fn() -> Outcome<f64>) -> Outcome<f64> {
    let mut results = (0..ROUNDS).map(|_| measure()).collect::<Outcome<Vec<f64>>>()?;
    results.sort_by(f64::total_cmp);
    Ok(results[ROUNDS / 2])
}
