//! A Prometheus server that scrapes nothing.

use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::{free_port, wait_until};

/// A running server.
pub(crate) struct Prometheus {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl Prometheus {
    /// Starts Prometheus. `None`, and says so, if it is not installed. The environment variable `PROMETHEUS` may name it.
    #[allow(clippy::print_stderr)]
    pub(crate) fn start() -> Option<Self> {
        let program = std::env::var("PROMETHEUS").unwrap_or_default();
        let program = if program.is_empty() {
            "prometheus"
        } else {
            &program
        };
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("prometheus.yml");
        std::fs::write(&config, "{}").unwrap();
        let port = free_port();
        let process = Command::new(program)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!(
                "--storage.tsdb.path={}",
                folder.path().join("data").display()
            ))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = process else {
            eprintln!("Prometheus is not installed: queries of rollouts are not tested with it");
            return None;
        };
        wait_until("Prometheus listens", || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
        });
        Some(Self {
            process,
            port,
            _folder: folder,
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
