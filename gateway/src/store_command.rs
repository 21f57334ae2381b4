//! The `store` command: copies, verifies and shows a store.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use colonnade_config::{Config, ConfigError, StoreSettings};
use colonnade_model::bucket_url::{BUCKET_URL, BucketUrl};
use colonnade_store::{
    Health, InspectError, Place, Report, StoreError, Timeline, copy, list, show, tree, verify,
};

use crate::exit::{INVALID_CONFIGURATION, fail, print, write};
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
    /// Copies the store to an empty folder or bucket. Gateways can use the store meanwhile.
    Backup {
        /// The folder, or the URL of the bucket: empty, or left by an interrupted copy.
        to: String,
    },
    /// Copies a backup to the store, which must be empty or missing. Stop all gateways first.
    Restore {
        /// The folder, or the URL of the bucket.
        from: String,
    },
    /// Copies a store from a folder or bucket to another. Gateways can use the first one meanwhile.
    Copy {
        /// The folder, or the URL of the bucket.
        from: String,
        /// The folder, or the URL of the bucket: empty, or left by an interrupted copy.
        to: String,
    },
    /// Verifies every object of the store. The exit code is 0, 3 if there are problems or no live
    /// deployment, or 4 if a gateway does not start.
    Verify {
        /// Prints a JSON object.
        #[arg(long)]
        json: bool,
        /// Accepts a store without a live deployment.
        #[arg(long)]
        allow_empty: bool,
    },
    /// Lists the objects of the store.
    Ls {
        /// Only those in this folder, such as `releases/directory`.
        #[arg(default_value = "")]
        folder: String,
    },
    /// Prints an object of the store, such as `live.json`. Objects with secrets are not printed.
    Cat {
        /// The key of the object.
        key: String,
    },
    /// Lists the releases with their files and the objects in which these are.
    Tree {
        /// Only those whose name begins like this, such as `directory/1.`.
        #[arg(default_value = "")]
        release: String,
    },
}

/// Why the command fails.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("the URL {0}; expected a folder, or {BUCKET_URL}")]
    Url(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot start the runtime: {0}")]
    Runtime(std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Inspect(#[from] InspectError),
}

/// Runs the command.
pub(crate) fn run(StoreArguments { config, command }: &StoreArguments) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = runtime
        .map_err(CommandError::Runtime)
        .and_then(|runtime| runtime.block_on(execute(config, command)));
    match result {
        Ok(code) => code,
        Err(CommandError::Config(error)) => fail(&error, INVALID_CONFIGURATION),
        Err(error) => fail(&error, 1),
    }
}

async fn execute(config: &Path, command: &StoreCommand) -> Result<ExitCode, CommandError> {
    match command {
        StoreCommand::Backup { to } => {
            let to = place(to, config)?;
            copy_and_verify(&configured(config)?, &to, Timeline::Same).await
        }
        StoreCommand::Restore { from } => {
            let from = place(from, config)?;
            copy_and_verify(&from, &configured(config)?, Timeline::New).await
        }
        StoreCommand::Copy { from, to } => {
            copy_and_verify(&place(from, config)?, &place(to, config)?, Timeline::Same).await
        }
        StoreCommand::Verify { json, allow_empty } => {
            let report = verify(&configured(config)?).await?;
            let output = if *json {
                serde_json::to_string_pretty(&report).unwrap_or_default()
            } else {
                report.to_string()
            };
            print(&output);
            Ok(exit_code(&report, *allow_empty))
        }
        StoreCommand::Ls { folder } => {
            let keys = list(&configured(config)?, folder).await?;
            Ok(print(&keys.join("\n")))
        }
        StoreCommand::Cat { key } => {
            let bytes = show(&configured(config)?, key).await?;
            Ok(write(&bytes))
        }
        StoreCommand::Tree { release } => {
            let tree = tree(&configured(config)?, release).await?;
            Ok(print(tree.trim_end()))
        }
    }
}

/// Where the configured store is. If it is in a folder, nothing else of the configuration is
/// needed.
fn configured(config: &Path) -> Result<Place, ConfigError> {
    match Config::load(config) {
        Ok(Config { store, .. }) => Ok(match &store.url {
            Some(url) => Place::Bucket(bucket_settings(&store, url)),
            None => Place::Folder(store.folder),
        }),
        Err(error) => Config::store_folder(config).map(Place::Folder).map_err(|_| error),
    }
}

/// The place that an argument names. The configuration has the credentials of a bucket.
fn place(text: &str, config: &Path) -> Result<Place, CommandError> {
    if !text.contains("://") {
        return Ok(Place::Folder(text.into()));
    }
    let url: BucketUrl = text.parse().map_err(CommandError::Url)?;
    let settings: StoreSettings = Config::load(config)?.store;
    Ok(Place::Bucket(bucket_settings(&settings, &url)))
}

/// Copies a store, and verifies the copy: a copy of a damaged store is damaged as well.
async fn copy_and_verify(from: &Place, to: &Place, timeline: Timeline) -> Result<ExitCode, CommandError> {
    let copied = copy(from, to, timeline).await?;
    let report = verify(to).await?;
    let (revision, releases) = (copied.revision, copied.releases);
    print(&format!(
        "copied revision {revision} with {releases} releases\n{report}"
    ));
    // An empty store was copied as such.
    Ok(exit_code(&report, true))
}

fn exit_code(report: &Report, allow_empty: bool) -> ExitCode {
    match report.health {
        Health::Ok if report.live.is_some() || allow_empty => ExitCode::SUCCESS,
        Health::Ok | Health::Problems => PROBLEMS.into(),
        Health::Unusable => UNUSABLE.into(),
    }
}
