//! The `store` command: backs up, restores and verifies the store.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use colonnade_store::{Health, Report, StoreError, back_up, restore, verify};

use crate::cli::{fail, print};

/// The exit code if something is wrong with a store, but a gateway starts with it.
const PROBLEMS: u8 = 3;

/// The exit code if a gateway does not start with a store.
const UNUSABLE: u8 = 4;

/// The arguments of the command.
#[derive(Debug, Args)]
pub(crate) struct StoreArguments {
    /// The configuration file.
    #[arg(long, value_name = "FILE", default_value = "site.toml", global = true)]
    pub(crate) config: PathBuf,
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Writes a backup to a new file. Gateways can use the store meanwhile.
    Backup {
        /// The new file, a tar archive.
        file: PathBuf,
    },
    /// Restores the store from a backup. The folder of the store must be empty or missing. Stop all gateways first.
    Restore {
        /// The backup.
        file: PathBuf,
    },
    /// Verifies every file of the store. The exit code is 0, 3 if there are problems, or 4 if a gateway does not start.
    Verify {
        /// Prints a JSON object.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command on the store in a folder.
pub(crate) fn run(command: &StoreCommand, store: &Path) -> ExitCode {
    let result = match command {
        StoreCommand::Backup { file } => back_up(store, file).map(|backup| {
            let (revision, releases) = (backup.revision, backup.releases);
            print(&format!("backed up revision {revision} with {releases} releases"))
        }),
        StoreCommand::Restore { file } => restore_and_verify(file, store),
        StoreCommand::Verify { json } => verify(store).map(|report| {
            let output = if *json {
                serde_json::to_string_pretty(&report).unwrap_or_default()
            } else {
                report.to_string()
            };
            print(&output);
            exit_code(&report)
        }),
    };
    result.unwrap_or_else(|error| fail(&error, 1))
}

/// Verifies the restored store, because the backup may have been damaged or made of a damaged store.
fn restore_and_verify(file: &Path, store: &Path) -> Result<ExitCode, StoreError> {
    let backup = restore(file, store)?;
    let report = verify(store)?;
    let (revision, created_at) = (backup.revision, backup.created_at);
    print(&format!("restored revision {revision} of {created_at}\n{report}"));
    Ok(exit_code(&report))
}

fn exit_code(report: &Report) -> ExitCode {
    match report.health {
        Health::Ok => ExitCode::SUCCESS,
        Health::Problems => PROBLEMS.into(),
        Health::Unusable => UNUSABLE.into(),
    }
}
