//! Credentials of a bucket that a web identity is exchanged for.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use colonnade_testing_s3::S3Server;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use crate::object_storage::keys;
use crate::support::{Certificate, Files, configuration};

const TOKEN: &str = "a-token-of-a-service-account";

/// Starts a security token service that answers each request with this error. It has TLS, without which no token is sent.
fn start_token_service(files: &Files, status: &str, code: &str) -> SocketAddr {
    let certificate = CertificateDer::from_pem_file(&files.certificate).unwrap();
    let key = PrivateKeyDer::from_pem_file(&files.key).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let body =
        format!("<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code></Error></ErrorResponse>");
    let length = body.len();
    let response =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                if stream.read_line(&mut line).unwrap() == 0 {
                    break;
                }
            }
            let stream = stream.get_mut();
            stream.write_all(response.as_bytes()).unwrap();
            stream.conn.send_close_notify();
            stream.flush().unwrap();
        }
    });
    address
}

#[test]
fn web_identity_that_is_rejected_is_explained() {
    let folder = TempDir::new().unwrap();
    let files = Certificate::valid_in("localhost", 2020..2040).write(folder.path());
    let server = S3Server::start();
    let config = folder.path().join("site.toml");
    fs::write(&config, configuration(&keys(&server, "s3://releases/site"))).unwrap();
    let token = folder.path().join("token");
    fs::write(&token, TOKEN).unwrap();
    for (status, code) in [
        ("400 Bad Request", "ExpiredTokenException"),
        ("400 Bad Request", "InvalidIdentityToken"),
        ("403 Forbidden", "IDPRejectedClaim"),
        ("403 Forbidden", "AccessDenied"),
    ] {
        let service = start_token_service(&files, status, code);
        let output = Command::new(env!("CARGO_BIN_EXE_gateway"))
            .args(["serve", "--config"])
            .arg(&config)
            .env("SSL_CERT_FILE", &files.certificate)
            .env("AWS_WEB_IDENTITY_TOKEN_FILE", &token)
            .env("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/releases")
            .env(
                "AWS_ENDPOINT_URL_STS",
                format!("https://localhost:{}", service.port()),
            )
            .output()
            .unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let expected = format!("rejects the credentials ({code})");
        assert!(text.contains(&expected), "{text}");
        assert!(!text.contains(TOKEN), "{text}");
    }
}
