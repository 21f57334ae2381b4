//! Pebble, a certificate authority for tests.

use std::fs::Permissions;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rand::RngExt as _;
use serde_json::json;
use tempfile::TempDir;

use super::{Certificate, wait_until};

/// A running certificate authority, with a DNS server that resolves every name to this machine.
pub(crate) struct Pebble {
    processes: [Child; 2],
    port: u16,
    dns_management: u16,
    root: PathBuf,
    _folder: TempDir,
}

impl Pebble {
    /// Starts Pebble, which sends its challenges to these ports. `None`, and says so, if it is not installed. The environment
    /// variable `PEBBLE` may name it.
    #[allow(clippy::print_stderr)]
    pub(crate) fn start(http_port: u16, tls_port: u16) -> Option<Self> {
        let program = std::env::var("PEBBLE").unwrap_or_default();
        let program = if program.is_empty() { "pebble" } else { &program };
        if Command::new(program).arg("-h").output().is_err() {
            eprintln!("Pebble is not installed: ACME is not tested");
            return None;
        }
        let folder = TempDir::new().unwrap();
        let files = Certificate::valid_in("localhost", 2001..2999).write(folder.path());
        let [port, management, dns, dns_management] = [free_port(), free_port(), free_port(), free_port()];
        let config = folder.path().join("pebble.json");
        let settings = json!({ "pebble": {
            "listenAddress": format!("127.0.0.1:{port}"),
            "managementListenAddress": format!("127.0.0.1:{management}"),
            "certificate": files.certificate,
            "privateKey": files.key,
            "httpPort": http_port,
            "tlsPort": tls_port,
        } });
        std::fs::write(&config, settings.to_string()).unwrap();
        let dns_server = Command::new(format!("{program}-challtestsrv"))
            .args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""])
            .args(["-http01", "", "-https01", "", "-tlsalpn01", ""])
            .args(["-dns01", &format!("127.0.0.1:{dns}")])
            .args(["-management", &format!("127.0.0.1:{dns_management}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let pebble = Command::new(program)
            .args([Path::new("-config"), &config])
            .args(["-dnsserver", &format!("127.0.0.1:{dns}")])
            .env("PEBBLE_VA_NOSLEEP", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        wait_until("Pebble listens", || {
            [port, dns, dns_management]
                .iter()
                .all(|port| TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).is_ok())
        });
        Some(Self {
            processes: [dns_server.unwrap(), pebble.unwrap()],
            port,
            dns_management,
            root: files.certificate,
            _folder: folder,
        })
    }

    /// The configuration table of a gateway.
    pub(crate) fn table(&self, challenge: &str) -> String {
        format!(
            "[listen.acme]\ndirectory = \"https://localhost:{}/dir\"\nroot_certificate = \"{}\"\n\
             terms_of_service_agreed = true\nchallenge = \"{challenge}\"\npoll_interval_ms = 200\n",
            self.port,
            self.root.display()
        )
    }
}

impl Pebble {
    /// Writes a program that sets and removes the records of its DNS server. Returns the key of the configuration that names
    /// it. It adds its arguments to the file `calls`.
    pub(crate) fn dns_hook(&self, folder: &Path) -> String {
        let path = folder.join("dns-hook");
        std::fs::write(
            &path,
            r#"#!/bin/bash
echo "${*:2}" >> "$(dirname "$0")/calls"
[ "$2" = present ] && path=set-txt || path=clear-txt
body="{\"host\":\"$3.\",\"value\":\"$4\"}"
exec 3<>"/dev/tcp/127.0.0.1/$1"
printf 'POST /%s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "$path" "${#body}" "$body" >&3
head -1 <&3 | grep -q 200
"#,
        )
        .unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
        format!("dns_hook = [{path:?}, \"{}\"]\n", self.dns_management)
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A port that no process listens on, below those that Linux gives to connections: one of these could
/// be taken before it is used.
pub(crate) fn free_port() -> u16 {
    let mut random = rand::rng();
    let mut ports = std::iter::repeat_with(|| random.random_range(10_000..32_768));
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    ports.find(is_free).unwrap()
}
