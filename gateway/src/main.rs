//! The `gateway` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway::run()
}
