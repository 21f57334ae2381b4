//! HAProxy with the configuration of docs/operate/several-gateways.md.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::{Client, free_port, wait_until};

/// A running HAProxy in front of three gateways.
pub(crate) struct HaProxy {
    pub(crate) site: Client,
    process: Child,
    _folder: TempDir,
}

impl HaProxy {
    /// Starts HAProxy. `None`, and says so, if it is not installed. The environment variable `HAPROXY` may name it.
    #[allow(clippy::print_stderr)]
    pub(crate) fn start(gateways: [SocketAddr; 3]) -> Option<Self> {
        let program = std::env::var("HAPROXY").unwrap_or_default();
        let program = if program.is_empty() { "haproxy" } else { &program };
        if Command::new(program).arg("-v").output().is_err() {
            eprintln!("HAProxy is not installed: several gateways are not tested behind it");
            return None;
        }
        let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operate/several-gateways.md");
        let guide = std::fs::read_to_string(guide).unwrap();
        let (_, rest) = guide.split_once("```txt [haproxy.cfg]\n").unwrap();
        let (text, _) = rest.split_once("```").unwrap();
        let port = free_port();
        let mut text = text.to_owned();
        let replaced = [
            (":80\n".to_owned(), format!("127.0.0.1:{port}\n")),
            ("10.0.0.11:8080".to_owned(), gateways[0].to_string()),
            ("10.0.0.12:8080".to_owned(), gateways[1].to_string()),
            ("10.0.0.13:8080".to_owned(), gateways[2].to_string()),
        ];
        for (from, to) in replaced {
            assert_eq!(text.matches(&from).count(), 1, "{from}");
            text = text.replace(&from, &to);
        }
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("haproxy.cfg");
        std::fs::write(&config, text).unwrap();
        let process = Command::new(program)
            .args(["-db".as_ref(), "-q".as_ref(), "-f".as_ref(), config.as_os_str()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        wait_until("HAProxy listens", || TcpStream::connect(address).is_ok());
        Some(Self {
            site: Client::new(address),
            process,
            _folder: folder,
        })
    }
}

impl Drop for HaProxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
