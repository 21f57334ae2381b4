//! The process that replaces a gateway in an upgrade.

use super::Gateway;

/// A process that replaced a gateway. Dropping it kills the process.
pub(crate) struct Successor(String);

impl Successor {
    /// Upgrades a gateway, which must succeed.
    pub(crate) fn of(gateway: &Gateway) -> Self {
        let output = gateway.run("upgrade");
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let pid = text.strip_prefix("upgraded: process ");
        let pid = pid.and_then(|rest| rest.strip_suffix(" serves\n"));
        Self(pid.unwrap_or_else(|| panic!("{text}{error}")).to_owned())
    }

    /// The process with this ID.
    pub(crate) fn with_pid(pid: String) -> Self {
        Self(pid)
    }

    /// The process ID.
    pub(crate) fn pid(&self) -> &str {
        &self.0
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let status = kill(&self.0, signal);
        assert!(status.success(), "{status}");
    }
}

impl Drop for Successor {
    fn drop(&mut self) {
        kill(&self.0, "KILL");
    }
}

fn kill(pid: &str, signal: &str) -> std::process::ExitStatus {
    let output = std::process::Command::new("kill")
        .args([&format!("-{signal}"), pid])
        .output();
    output.unwrap().status
}
