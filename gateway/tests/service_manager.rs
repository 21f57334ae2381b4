//! Messages to a service manager such as systemd (`sd_notify(3)`).

use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};

use tempfile::TempDir;

use crate::support::{Gateway, Setup, Successor, TIMEOUT, configuration_with_listen, wait_until};

/// A service manager that reads its socket.
struct ServiceManager {
    messages: Receiver<String>,
    folder: TempDir,
}

/// Starts a gateway as a service that must report within the watchdog's period.
fn start(socket: &Path, watchdog_us: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        // As the service manager sets it: the process ID of the gateway.
        before: "export WATCHDOG_PID=$$;",
        variables: &[
            ("NOTIFY_SOCKET", socket.to_str().unwrap()),
            ("WATCHDOG_USEC", watchdog_us),
        ],
        ..Setup::default()
    })
}

impl ServiceManager {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let socket = UnixDatagram::bind(folder.path().join("notify")).unwrap();
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 1000];
            while let Ok(length) = socket.recv(&mut buffer) {
                let message = String::from_utf8(buffer[..length].to_vec()).unwrap();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { messages, folder }
    }

    fn start(&self, watchdog_us: &str) -> Gateway {
        start(&self.folder.path().join("notify"), watchdog_us)
    }

    /// The next message.
    fn receive(&self) -> String {
        self.messages.recv_timeout(TIMEOUT).unwrap()
    }

    /// The next message that is not from the watchdog.
    fn receive_state(&self) -> String {
        let mut messages = std::iter::repeat_with(|| self.receive()).take(10_000);
        messages.find(|message| message != WATCHDOG).unwrap()
    }

    /// Waits for watchdog messages that were sent after this call.
    fn wait_for_watchdog(&self) {
        while self.messages.try_recv().is_ok() {}
        for _ in 0..3 {
            assert_eq!(self.receive(), WATCHDOG);
        }
    }
}

const WATCHDOG: &str = "WATCHDOG=1\n";

/// The watchdog's period in tests without a watchdog.
const HOUR_US: &str = "3600000000";

#[test]
fn start_reload_and_shutdown_are_reported() {
    let manager = ServiceManager::new();
    let gateway = manager.start(HOUR_US);
    let ready = format!("READY=1\nMAINPID={}\n", gateway.pid());
    assert_eq!(manager.receive_state(), ready);
    for extra in ["", "[limits]\ninvalid = 1\n"] {
        gateway.reload(&configuration_with_listen("", extra));
        let reloading = manager.receive_state();
        let time = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=");
        let time = time.and_then(|time| time.trim_end().parse::<u64>().ok());
        assert!(time.is_some(), "{reloading}");
        assert_eq!(manager.receive_state(), ready);
    }
    gateway.signal("TERM");
    assert_eq!(manager.receive_state(), "STOPPING=1\n");
}

#[test]
fn watchdog_is_answered() {
    let manager = ServiceManager::new();
    let _gateway = manager.start("20000");
    manager.receive_state();
    manager.wait_for_watchdog();
}

#[test]
fn upgrade_changes_main_process() {
    let manager = ServiceManager::new();
    let gateway = manager.start("20000");
    manager.receive_state();
    let successor = Successor::of(&gateway);
    assert_eq!(manager.receive_state(), format!("MAINPID={}\n", successor.pid()));
    let ready = format!("READY=1\nMAINPID={}\n", successor.pid());
    assert_eq!(manager.receive_state(), ready);
    wait_until("the old process has drained", || {
        gateway.output().contains("\"shutdown_complete\"")
    });
    manager.wait_for_watchdog();
}

#[test]
fn failed_upgrade_keeps_main_process() {
    let manager = ServiceManager::new();
    let gateway = manager.start(HOUR_US);
    manager.receive_state();
    gateway.configure(&configuration_with_listen("", "[limits]\ninvalid = 1\n"));
    assert_eq!(gateway.run("upgrade").status.code(), Some(1));
    assert_eq!(manager.receive_state(), format!("MAINPID={}\n", gateway.pid()));
    gateway.signal("TERM");
    assert_eq!(manager.receive_state(), "STOPPING=1\n");
}

#[test]
fn service_manager_that_hangs_delays_no_request() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notify");
    // Nobody reads: a few messages fill the socket's buffer.
    let _socket = UnixDatagram::bind(&path).unwrap();
    let gateway = start(&path, "2000");
    gateway.wait_for_event(|line| line["event"] == "service_manager_unreachable");
    assert_eq!(gateway.get("/").status, 200);
    let _successor = Successor::of(&gateway);
    assert_eq!(gateway.get("/").status, 200);
}
