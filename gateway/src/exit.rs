//! How a command ends: its output or its error, and the exit code.

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

/// The exit code for an invalid configuration. clap uses the same code for an invalid command line.
pub(crate) const INVALID_CONFIGURATION: u8 = 2;

/// Prints the output of a command to stdout.
pub(crate) fn print(output: &str) -> ExitCode {
    write(format!("{output}\n").as_bytes())
}

/// Writes the output of a command to stdout. Who closes the pipe, such as `head`, has read enough.
pub(crate) fn write(output: &[u8]) -> ExitCode {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(output).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            note(&format!("cannot write to the output: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Prints a line to stderr. If nobody reads it, the command goes on.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints an error to stderr and returns the exit code of the process.
pub(crate) fn fail(error: &dyn std::error::Error, code: u8) -> ExitCode {
    note(&error.to_string());
    ExitCode::from(code)
}
