//! The `store` command: backs up, restores, verifies and copies the store.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use colonnade_config::{Config, StoreSettings};
use colonnade_model::bucket_url::{BUCKET_URL, BucketUrl};
use colonnade_store::{
    Copied, Health, Report, StoreError, back_up, copy_to_bucket, copy_to_folder, restore, verify,
};

use crate::cli::{INVALID_CONFIGURATION, fail, print};
use crate::run::store::bucket_settings;

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
    /// Copies a store with its history from a folder to a bucket, or from a bucket to a folder. Deploy nothing meanwhile.
    Copy {
        /// The folder, or the URL of the bucket.
        from: String,
        /// The folder, or the URL of the bucket: empty, or left by an interrupted copy.
        to: String,
    },
}

/// Why a store is not copied.
#[derive(Debug, thiserror::Error)]
enum CopyError {
    #[error("{0}: the URL {1}; expected a folder, or {BUCKET_URL}")]
    Url(&'static str, String),
    #[error("expected a folder and the URL of a bucket: {BUCKET_URL}")]
    Places,
    #[error("cannot start the runtime: {0}")]
    Runtime(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where a store is.
enum Place {
    Folder(PathBuf),
    Bucket(BucketUrl),
}

/// Runs the command.
pub(crate) fn run(StoreArguments { config, command }: &StoreArguments) -> ExitCode {
    match command {
        StoreCommand::Backup { file } => in_folder(config, |store| {
            let backup = back_up(store, file)?;
            let (revision, releases) = (backup.revision, backup.releases);
            Ok(print(&format!(
                "backed up revision {revision} with {releases} releases"
            )))
        }),
        StoreCommand::Restore { file } => in_folder(config, |store| restore_and_verify(file, store)),
        StoreCommand::Verify { json } => in_folder(config, |store| {
            let report = verify(store)?;
            let output = if *json {
                serde_json::to_string_pretty(&report).unwrap_or_default()
            } else {
                report.to_string()
            };
            print(&output);
            Ok(exit_code(&report))
        }),
        StoreCommand::Copy { from, to } => match Config::load(config) {
            Ok(config) => copy(from, to, &config.store).unwrap_or_else(|error| fail(&error, 1)),
            Err(error) => fail(&error, INVALID_CONFIGURATION),
        },
    }
}

/// Works on the configured store, which must be in a folder.
fn in_folder(config: &Path, work: impl FnOnce(&Path) -> Result<ExitCode, StoreError>) -> ExitCode {
    match Config::store_folder(config) {
        Ok(store) => work(&store).unwrap_or_else(|error| fail(&error, 1)),
        Err(error) => fail(&error, INVALID_CONFIGURATION),
    }
}

/// Copies a store, and verifies the one in the folder: a copy of a damaged store is damaged, too.
fn copy(from: &str, to: &str, settings: &StoreSettings) -> Result<ExitCode, CopyError> {
    let bucket = |url: &BucketUrl| bucket_settings(settings, url);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (copied, folder) = match (Place::parse("FROM", from)?, Place::parse("TO", to)?) {
        (Place::Folder(from), Place::Bucket(to)) => {
            (runtime.block_on(copy_to_bucket(&from, &bucket(&to)))?, from)
        }
        (Place::Bucket(from), Place::Folder(to)) => {
            (runtime.block_on(copy_to_folder(&bucket(&from), &to))?, to)
        }
        _ => return Err(CopyError::Places),
    };
    let Copied { revision, releases } = copied;
    let (report, folder) = (verify(&folder)?, folder.display());
    print(&format!(
        "copied revision {revision} with {releases} releases\n{folder}: {report}"
    ));
    Ok(exit_code(&report))
}

impl Place {
    fn parse(name: &'static str, text: &str) -> Result<Self, CopyError> {
        if !text.contains("://") {
            return Ok(Self::Folder(text.into()));
        }
        let url = text.parse().map_err(|problem| CopyError::Url(name, problem))?;
        Ok(Self::Bucket(url))
    }
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
