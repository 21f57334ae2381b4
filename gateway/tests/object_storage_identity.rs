//! Credentials of a bucket that a web identity is exchanged for.

use std::fs;
use std::process::Command;

use colonnade_testing_s3::S3Server;
use http::Response;
use tempfile::TempDir;

use crate::object_storage::keys;
use crate::support::{Certificate, Gateway, Upstream, configuration, upstream_table};

const TOKEN: &str = "a-token-of-a-service-account";

#[test]
fn web_identity_that_is_rejected_is_explained() {
    let tls_folder = TempDir::new().unwrap();
    let files = Certificate::valid_in("localhost", 2020..2040).write(tls_folder.path());
    let server = S3Server::start();
    for code in [
        "ExpiredTokenException",
        "InvalidIdentityToken",
        "IDPRejectedClaim",
        "AccessDenied",
    ] {
        let exchange = Upstream::start(move |_| {
            let body = format!(
                "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code></Error></ErrorResponse>"
            );
            let status = if code == "AccessDenied" { 403 } else { 400 };
            Response::builder().status(status).body(body.into()).unwrap()
        });
        // Adds the TLS that the exchange requires.
        let tls = Gateway::start_with(
            &format!(
                "[listen.tls]\ncertificate = {:?}\nkey = {:?}\n{}",
                files.certificate,
                files.key,
                upstream_table(&[&exchange.origin()], "methods = [\"POST\"]")
            ),
            &[],
        );
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("site.toml");
        fs::write(&config, configuration(&keys(&server, "s3://releases/site"))).unwrap();
        let token = folder.path().join("token");
        fs::write(&token, TOKEN).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_gateway"))
            .args(["serve", "--config"])
            .arg(&config)
            .env("SSL_CERT_FILE", &files.certificate)
            .env("AWS_WEB_IDENTITY_TOKEN_FILE", &token)
            .env("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/releases")
            .env(
                "AWS_ENDPOINT_URL_STS",
                format!("https://localhost:{}/api/events/sts", tls.site.address().port()),
            )
            .output()
            .unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            text.contains(&format!("rejects the credentials ({code})")),
            "{text}"
        );
        assert!(!text.contains(TOKEN), "{text}");
    }
}
