//! How a command ends: its output or its error, and the exit code.

use std::process::ExitCode;

/// The exit code for an invalid configuration. clap uses the same code for an invalid command line.
pub(crate) const INVALID_CONFIGURATION: u8 = 2;

/// Prints the output of a command to stdout.
#[allow(clippy::print_stdout)]
pub(crate) fn print(output: &str) -> ExitCode {
    println!("{output}");
    ExitCode::SUCCESS
}

/// Prints an error to stderr and returns the exit code of the process.
#[allow(clippy::print_stderr)]
pub(crate) fn fail(error: &dyn std::error::Error, code: u8) -> ExitCode {
    eprintln!("{error}");
    ExitCode::from(code)
}
