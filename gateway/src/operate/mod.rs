//! The commands `status`, `rollback` and `abort`: what an operator needs first, on a machine without
//! Node.js. Words, JSON and exit codes are those of the commands of `colonnade`.

mod client;
mod status;

use std::io::{IsTerminal as _, stderr, stdin};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use colonnade_model::release::is_name;
use serde_json::{Map, Value, json};

use crate::exit::{fail, note, print};
use client::{AdminClient, CallError};
use status::cell;

/// The arguments of each command.
#[derive(Debug, Args)]
pub(crate) struct AdminArguments {
    /// The configuration file, with the address of the admin listener. The environment variable
    /// `COLONNADE_ADMIN`, the URL of an admin listener, takes precedence.
    #[arg(long, value_name = "FILE", default_value = "site.toml")]
    config: PathBuf,
    /// The file with the token of the admin API. By default it is in the environment variable
    /// `COLONNADE_TOKEN`. With the PEM files of a client certificate in `COLONNADE_CLIENT_CERTIFICATE`
    /// and `COLONNADE_CLIENT_KEY`, no token is needed if the gateway has a grant for it.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Prints the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Shows only this section and its rollout.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    #[command(flatten)]
    admin: AdminArguments,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("target").required(true).args(["section", "deployment", "all"]))]
pub(crate) struct RollbackArguments {
    /// Rolls back this section.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// Rolls all sections back to this deployment.
    #[arg(long, value_name = "NUMBER")]
    deployment: Option<u64>,
    /// Rolls all sections back to the previous live deployment.
    #[arg(long)]
    all: bool,
    /// The reason, recorded in the history.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Does not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    admin: AdminArguments,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("target").required(true).args(["section", "deployment"]))]
pub(crate) struct AbortArguments {
    /// The rollout of this section.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// The rollout of this candidate.
    #[arg(long, value_name = "NUMBER")]
    deployment: Option<u64>,
    /// The reason, recorded in the history.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    admin: AdminArguments,
}

/// Shows the live deployment, the rollouts and the newest releases.
pub(crate) fn status(arguments: &StatusArguments) -> ExitCode {
    end(&arguments.admin, read_status(arguments))
}

/// Rolls back.
pub(crate) fn rollback(arguments: &RollbackArguments) -> ExitCode {
    end(&arguments.admin, roll_back(arguments))
}

/// Aborts a rollout.
pub(crate) fn abort(arguments: &AbortArguments) -> ExitCode {
    end(&arguments.admin, abort_rollout(arguments))
}

/// Prints the result of a command.
fn end(admin: &AdminArguments, result: Output) -> ExitCode {
    match result {
        Ok((_, data)) if admin.json => print(&data.to_string()),
        Ok((text, data)) => {
            for warning in data["warnings"].as_array().into_iter().flatten() {
                note(&printable(&format!("warning: {}", cell(warning))));
            }
            print(&printable(&text))
        }
        Err(error) => fail(&error, error.exit_code()),
    }
}

/// What a command prints, and the data with `--json`.
type Output = Result<(String, Value), CallError>;

fn read_status(arguments: &StatusArguments) -> Output {
    let admin = &arguments.admin;
    let client = AdminClient::new(&admin.config, admin.token_file.as_deref())?;
    let get = |path| client.call(path, None);
    let (deployments, gateway) = (get("/api/v1/deployments")?, get("/api/v1/gateway")?);
    let (mut rollouts, mut sections) = (get("/api/v1/rollouts")?, get("/api/v1/sections")?);
    if let Some(name) = &arguments.section {
        retain(&mut rollouts, |rollout| rollout["sections"].get(name).is_some());
        retain(&mut sections, |section| section["name"] == **name);
        if sections.as_array().is_none_or(Vec::is_empty) {
            return Err(CallError::Usage(format!("no release of `{name}` is published")));
        }
    }
    let status = json!({
        "live": deployments["live"],
        "rollouts": rollouts,
        "sections": sections,
        "unavailable": gateway["unavailable"],
        "settingProblems": gateway["settingProblems"],
        "leftOutExtensions": gateway["leftOutExtensions"],
    });
    Ok((status::describe(&status), status))
}

fn retain(items: &mut Value, is_shown: impl Fn(&Value) -> bool) {
    if let Some(items) = items.as_array_mut() {
        items.retain(is_shown);
    }
}

fn roll_back(arguments: &RollbackArguments) -> Output {
    let admin = &arguments.admin;
    let client = AdminClient::new(&admin.config, admin.token_file.as_deref())?;
    let post = |path, body: &Map<String, Value>| client.call(path, Some(&json!(body)));
    let mut body = Map::new();
    if let Some(section) = &arguments.section {
        body.insert("section".to_owned(), json!(section));
    }
    if let Some(deployment) = arguments.deployment {
        body.insert("deployment".to_owned(), json!(deployment));
    }
    let plan = post("/api/v1/rollback/plan", &body)?;
    note(&printable(&describe_plan(&plan)));
    if !arguments.yes && !confirm() {
        return Err(CallError::Usage("not rolled back".to_owned()));
    }
    // The plan holds only while the same deployment is live.
    body.insert("base".to_owned(), plan["live"].clone());
    if let Some(reason) = &arguments.reason {
        body.insert("reason".to_owned(), json!(reason));
    }
    let live = post("/api/v1/rollback", &body)?;
    let change = match (&arguments.section, arguments.deployment) {
        (Some(section), _) => match live["releases"][section].as_str() {
            Some(version) => format!("with {section}@{version}"),
            None => format!("without {section}"),
        },
        (None, Some(deployment)) => format!("with the releases of deployment {deployment}"),
        (None, None) => "with the releases of the previous deployment".to_owned(),
    };
    Ok((format!("deployment {} is live, {change}", live["number"]), live))
}

fn describe_plan(plan: &Value) -> String {
    let mut lines = Vec::new();
    if let Some(deployment) = plan["restores"].as_u64() {
        lines.push(format!("rollback to deployment {deployment}:"));
    }
    let sections = plan["sections"].as_object();
    let version = |version: &Value| version.as_str().unwrap_or("not live").to_owned();
    for (name, change) in sections.into_iter().flatten() {
        lines.push(format!(
            "{name}: {} -> {}",
            version(&change["from"]),
            version(&change["to"])
        ));
    }
    if sections.is_none_or(Map::is_empty) {
        lines.push("no section changes".to_owned());
    }
    lines.join("\n")
}

/// Asks on a terminal. Without one the answer is yes.
fn confirm() -> bool {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return true;
    }
    note("Roll back? [y/N]");
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

fn abort_rollout(arguments: &AbortArguments) -> Output {
    let path = match (&arguments.section, arguments.deployment) {
        (_, Some(deployment)) => format!("/api/v1/deployments/{deployment}/abort"),
        (section, None) => {
            let section = section.as_deref().unwrap_or_default();
            if !is_name(section) {
                return Err(CallError::Usage(format!(
                    "`{section}` is not the name of a section"
                )));
            }
            format!("/api/v1/rollouts/{section}/abort")
        }
    };
    let admin = &arguments.admin;
    let client = AdminClient::new(&admin.config, admin.token_file.as_deref())?;
    let body = arguments
        .reason
        .as_ref()
        .map_or_else(|| json!({}), |reason| json!({ "reason": reason }));
    let aborted = client.call(&path, Some(&body))?;
    let (number, live) = (&aborted["number"], &aborted["live"]);
    let text = format!("rollout of deployment {number} aborted; deployment {live} stays live");
    Ok((text, aborted))
}

/// Replaces control characters, so that text of others cannot send escape sequences to the terminal.
fn printable(text: &str) -> String {
    let replace = |char: char| char.is_control() && char != '\n' && char != '\t';
    text.replace(replace, "\u{fffd}")
}
