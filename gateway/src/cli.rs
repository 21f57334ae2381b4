//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::{Parser, Subcommand};
use sha2::{Digest as _, Sha256};

use crate::config::Config;
use crate::{dumps, render, run};

/// Serves one deployment of a shell and its sections.
#[derive(Debug, Parser)]
#[command(name = "gateway", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves the site and the admin API until told to stop.
    Serve {
        /// The configuration file.
        #[arg(long, value_name = "FILE", default_value = "site.toml")]
        config: PathBuf,
    },
    /// Reads the configuration and says what is wrong with it.
    Check {
        /// The configuration file.
        #[arg(long, value_name = "FILE", default_value = "site.toml")]
        config: PathBuf,
    },
    /// Renders for the gateway that started it, which nobody else can.
    #[command(hide = true)]
    RenderWorker,
    /// Prints a new token for the admin API, and the hash to put into the configuration.
    Token,
}

/// The exit code for a configuration that cannot be used; clap uses the same for a wrong command line.
const BAD_CONFIGURATION: u8 = 2;

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let command = Arguments::parse().command;
    // Before any secret is read. A render worker gives up this, and more, by itself.
    let is_worker = matches!(command, Command::RenderWorker);
    if !is_worker && let Err(error) = dumps::forbid() {
        return complain(&error, 1);
    }
    match command {
        Command::Serve { config } => match Config::load(&config) {
            Ok(read) => run::run(read, config),
            Err(error) => complain(&error, BAD_CONFIGURATION),
        },
        Command::Check { config } => match Config::load(&config) {
            Ok(_) => say("ok"),
            Err(error) => complain(&error, BAD_CONFIGURATION),
        },
        Command::RenderWorker => render::worker(),
        Command::Token => {
            let token = format!("cg_{}", URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()));
            let hash = Sha256::digest(&token);
            let hash = hash
                .iter()
                .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
            say(&format!("token: {token}\nhash: sha256:{hash}"))
        }
    }
}

#[allow(clippy::print_stdout)]
fn say(words: &str) -> ExitCode {
    println!("{words}");
    ExitCode::SUCCESS
}

/// Says why the program ends, and with which exit code.
#[allow(clippy::print_stderr)]
pub(crate) fn complain(error: &dyn std::error::Error, code: u8) -> ExitCode {
    eprintln!("{error}");
    ExitCode::from(code)
}
