//! The operator's program that sets the DNS records of challenges (RFC 8555, section 8.4).

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

use crate::acme::challenges::Challenge;

/// The longest time that a call may take. Then the program is killed.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Why a call failed. The output of the program can have secrets, and goes where the gateway's own
/// errors go.
#[derive(Debug, thiserror::Error)]
#[error("`{program} {action} {name}` {cause}")]
pub(super) struct HookError {
    program: String,
    action: &'static str,
    name: String,
    cause: Cause,
}

#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error("cannot be started: {0}")]
    Start(std::io::Error),
    #[error("failed: {0}")]
    Failed(ExitStatus),
    #[error("did not end within {} s", TIMEOUT.as_secs())]
    Timeout,
}

/// Calls the program with an action, the name of the TXT record, and its value.
pub(super) async fn call(
    hook: &[String],
    action: &'static str,
    challenge: &Challenge,
) -> Result<(), HookError> {
    let [program, arguments @ ..] = hook else {
        return Ok(());
    };
    // The record of a wildcard is that of its domain.
    let domain = challenge.host.trim_start_matches("*.");
    let name = format!("_acme-challenge.{domain}");
    let value = URL_SAFE_NO_PAD.encode(Sha256::digest(&challenge.key_authorization));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args([action, &name, &value])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    let cause = match tokio::time::timeout(TIMEOUT, command.status()).await {
        Ok(Ok(status)) if status.success() => return Ok(()),
        Ok(Ok(status)) => Cause::Failed(status),
        Ok(Err(error)) => Cause::Start(error),
        Err(_) => Cause::Timeout,
    };
    Err(HookError {
        program: program.clone(),
        action,
        name,
        cause,
    })
}
