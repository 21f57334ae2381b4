//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use colonnade_config::Config;
use sha2::{Digest as _, Sha256};

use crate::exit::{INVALID_CONFIGURATION, fail, print, write};
use crate::operate::{AbortArguments, RollbackArguments, StatusArguments};
use crate::run::{Options, Takeover};
use crate::store_command::StoreArguments;
use crate::{core_dumps, operate, run, store_command};

/// Serves a site: a shell, its sections, and their deployments.
#[derive(Debug, Parser)]
#[command(name = "gateway", version = env!("COLONNADE_VERSION"))]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves the site and the admin API until SIGTERM, SIGINT or SIGQUIT.
    Serve {
        /// The configuration file.
        #[arg(long, value_name = "FILE", default_value = "site.toml")]
        config: PathBuf,
        /// If live.json is missing or damaged, makes the last live deployment of the history live
        /// again.
        #[arg(long)]
        recover: bool,
    },
    /// Replaces the running gateway by a new process, with the current binary and configuration,
    /// without a pause.
    Upgrade {
        /// The configuration file of the running gateway.
        #[arg(long, value_name = "FILE", default_value = "site.toml")]
        config: PathBuf,
    },
    /// Shows the live deployment, the rollouts and the newest releases.
    Status(StatusArguments),
    /// Rolls back a section to its previous live release, or all sections. Asks first on a terminal.
    Rollback(RollbackArguments),
    /// Aborts a rollout and drops its candidate. Other rollouts continue.
    Abort(AbortArguments),
    /// Backs up, restores, copies, verifies or shows the store.
    Store(StoreArguments),
    /// Checks the configuration, and the certificates and folders it names, and prints all
    /// problems.
    Check {
        /// The configuration file.
        #[arg(long, value_name = "FILE", default_value = "site.toml")]
        config: PathBuf,
    },
    /// Renders pages for the gateway that started this process.
    #[command(hide = true)]
    RenderWorker {
        /// The memory limit of a render, in bytes.
        memory_limit: usize,
    },
    /// Prints a new token for the admin API, and its hash for the configuration.
    Token,
    /// Prints a completion script for a shell.
    Completion {
        /// The shell.
        shell: Shell,
    },
    /// Writes the manual pages, in the format of `man`.
    Manual {
        /// The folder for the files.
        folder: PathBuf,
    },
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let command = Arguments::parse().command;
    // Before any secret is read, and before a render worker gets what a visitor typed.
    if let Err(error) = core_dumps::disable() {
        return fail(&error, 1);
    }
    match command {
        Command::Serve {
            config: path,
            recover,
        } => serve(path, recover),
        Command::Upgrade { config: path } => match Config::control_socket(&path) {
            Ok(socket) => match run::request_upgrade(&socket) {
                Ok(pid) => print(&format!("upgraded: process {pid} serves")),
                Err(error) => fail(&error, 1),
            },
            Err(error) => fail(&error, INVALID_CONFIGURATION),
        },
        Command::Check { config: path } => match Config::check(&path) {
            Ok(config) => {
                let settings = config.environment.iter();
                let settings = settings.map(|(key, variable)| format!("{key} is set by {variable}\n"));
                let warnings = config.warnings.iter();
                let warnings = warnings.map(|warning| format!("warning: {warning}\n"));
                let lines: String = settings.chain(warnings).collect();
                print(&format!("{lines}ok"))
            }
            Err(error) => fail(&error, INVALID_CONFIGURATION),
        },
        Command::Status(arguments) => operate::status(&arguments),
        Command::Rollback(arguments) => operate::rollback(&arguments),
        Command::Abort(arguments) => operate::abort(&arguments),
        Command::Store(arguments) => store_command::run(&arguments),
        Command::RenderWorker { memory_limit } => colonnade_render::worker(memory_limit),
        Command::Token => {
            let token = format!("cg_{}", URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()));
            let hash = Sha256::digest(&token);
            let hash = hash
                .iter()
                .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
            print(&format!("token: {token}\nhash: sha256:{hash}"))
        }
        Command::Completion { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "gateway", &mut script);
            write(&script)
        }
        Command::Manual { folder } => match clap_mangen::generate_to(Arguments::command(), folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error, 1),
        },
    }
}

/// Loads the configuration and serves.
fn serve(path: PathBuf, recover: bool) -> ExitCode {
    let takeover = match Takeover::from_env() {
        Ok(takeover) => takeover,
        Err(error) => return fail(&error, 1),
    };
    match Config::load(&path) {
        Ok(config) => {
            let options = Options {
                config,
                path,
                recover,
            };
            run::run(options, takeover.as_ref())
        }
        Err(error) => {
            if let Some(takeover) = takeover {
                takeover.fail(&error);
            }
            fail(&error, INVALID_CONFIGURATION)
        }
    }
}
