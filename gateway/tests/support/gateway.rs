//! The gateway as a process.

use std::io::{self, BufRead as _, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::client::PATIENCE;
use super::{Client, Release, Request, Response, description, until};

/// A token that may do everything. Others: see [`configuration`].
pub(crate) const TOKEN: &str = "token-for-everything";

/// Where the admin API is in a configuration unless told otherwise.
const ADMIN: &str = "admin = \"127.0.0.1:0\"";

/// A running gateway; it is killed when dropped.
pub(crate) struct Gateway {
    pub(crate) site: Client,
    pub(crate) admin: Client,
    process: Child,
    output: Arc<Log>,
    folder: Arc<TempDir>,
    config: PathBuf,
}

/// How a gateway is started.
#[derive(Default)]
pub(crate) struct Setup<'a> {
    /// Where its store and its configuration are; a new folder if nowhere.
    pub(crate) folder: Option<Arc<TempDir>>,
    /// More keys of `[listen]`.
    pub(crate) listen: &'a str,
    /// Where the admin API is, if not on this machine alone.
    pub(crate) admin: Option<&'a str>,
    /// More configuration: see [`configuration`].
    pub(crate) extra: &'a str,
    /// Environment variables.
    pub(crate) variables: &'a [(&'a str, &'a str)],
    /// The socket for the site, as a supervisor hands one over.
    pub(crate) socket: Option<TcpListener>,
    /// The one for the admin API, beside it.
    pub(crate) admin_socket: Option<TcpListener>,
    /// How many files it may have open.
    pub(crate) descriptors: Option<u32>,
    /// What a shell does before it becomes the gateway, such as `ulimit -f 100;`.
    pub(crate) before: &'a str,
    /// A program that runs the gateway, with its options.
    pub(crate) wrapper: &'a str,
}

/// Everything a process has printed.
#[derive(Default)]
struct Log {
    lines: Mutex<(Vec<String>, usize)>,
    changed: Condvar,
}

/// A configuration with ports of the system's choosing and tokens for every purpose. `extra` is put behind it: up to its
/// first table it belongs to `[store]`. Unless that says otherwise no file is kept in memory, so that each is really read.
pub(crate) fn configuration(extra: &str) -> String {
    let mut text = String::from(
        r#"[site]
brand = "Test & Brand"
origin = "https://site.example"
contact = "contact@site.example"
legal_entity = "Entity"
processing_country = "the United States"
retention = "30 days"
governing_law = "the law"
[[navigation.menu]]
label = "Home"
path = "/"
[[navigation.footer]]
label = "Terms"
path = "/terms"
[listen]
site = "127.0.0.1:0"
admin = "127.0.0.1:0"
"#,
    );
    text += &token(
        TOKEN,
        &["*"],
        &["publish", "deploy", "rollback", "preview", "collect"],
    );
    text += &token("token-to-publish-legal", &["legal"], &["publish"]);
    text += &token("token-to-deploy-legal", &["legal"], &["deploy"]);
    let assets = if extra.contains("[assets]") {
        ""
    } else {
        "[assets]\ncache_mib = 0\n"
    };
    // A page may take its time on a busy machine.
    let render = if extra.contains("[render]") {
        ""
    } else {
        "[render]\ndeadline_ms = 10000\ncpu_ms = 5000\n"
    };
    text + assets + render + "[store]\nfolder = \"store\"\n" + extra
}

/// The same, with more keys of `[listen]`.
pub(crate) fn listening(listen: &str, extra: &str) -> String {
    let admin = "admin = \"127.0.0.1:0\"\n";
    configuration(extra).replacen(admin, &format!("{admin}{listen}\n"), 1)
}

/// `[limits]` with these keys, and every other time longer than any test: what ends is ended by them alone.
pub(crate) fn only(keys: &str) -> String {
    let mut limits = format!("[limits]\n{keys}\n");
    for time in [
        "handshake_ms",
        "first_byte_ms",
        "head_ms",
        "progress_ms",
        "idle_ms",
        "life_ms",
        "drain_ms",
    ] {
        if !keys.contains(time) {
            limits.extend([time, " = 86400000\n"]);
        }
    }
    limits
}

/// Starts as `systemd` does with one socket: what is standard input here becomes descriptor 3.
const INHERITING: &str = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&0 </dev/null";

/// The same with two: what is standard output becomes descriptor 4, and what is printed goes where errors go.
const INHERITING_BOTH: &str = "LISTEN_PID=$$ LISTEN_FDS=2 exec \"$0\" \"$@\" 3<&0 4<&1 </dev/null >&2";

/// The gateway, started by a shell that becomes it.
fn by_shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_gateway")]);
    command
}

/// The command, with nothing to be read, and with what is printed for us to read.
fn started(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The command that starts the gateway with these sockets, for the site and for the admin API.
pub(crate) fn inheriting(site: TcpListener, admin: Option<TcpListener>) -> Command {
    let mut command = by_shell(if admin.is_some() {
        INHERITING_BOTH
    } else {
        INHERITING
    });
    command
        .stdin(OwnedFd::from(site))
        .stdout(admin.map_or_else(Stdio::piped, |admin| Stdio::from(OwnedFd::from(admin))));
    command
}

/// The configuration of a token.
pub(crate) fn token(token: &str, sections: &[&str], actions: &[&str]) -> String {
    let hash = Sha256::digest(token)
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    format!(
        "[[admin.tokens]]\nname = \"name of {token}\"\nhash = \"sha256:{hash}\"\n\
         sections = {sections:?}\nactions = {actions:?}\n"
    )
}

/// A request with the token for everything.
pub(crate) fn authorized(request: Request) -> Request {
    authorized_by(TOKEN, request)
}

fn authorized_by(token: &str, request: Request) -> Request {
    request.header("authorization", &format!("Bearer {token}"))
}

/// Runs the binary to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gateway"))
        .args(arguments)
        .output()
        .unwrap()
}

impl Gateway {
    /// Starts a gateway without sign-up and partners.
    pub(crate) fn start() -> Self {
        Self::start_with("", &[])
    }

    /// Starts one with more configuration, and with these environment variables.
    pub(crate) fn start_with(extra: &str, variables: &[(&str, &str)]) -> Self {
        Self::set_up(Setup {
            extra,
            variables,
            ..Setup::default()
        })
    }

    /// Starts another one on the same store.
    pub(crate) fn beside(&self) -> Self {
        self.beside_with("")
    }

    /// Starts another one on the same store, with more configuration.
    pub(crate) fn beside_with(&self, extra: &str) -> Self {
        Self::set_up(Setup {
            folder: Some(self.shared_folder()),
            extra,
            ..Setup::default()
        })
    }

    /// Ends it as a power failure would, and starts another one on its store, with more configuration.
    pub(crate) fn killed_and_restarted(mut self, extra: &str) -> Self {
        self.signal("KILL");
        self.end();
        self.beside_with(extra)
    }

    /// Starts one with a shell and a section live that has `/`, `/state/:state` and `/signup`, and fills `join`.
    pub(crate) fn start_live(extra: &str, variables: &[(&str, &str)]) -> Self {
        Self::start_with(extra, variables).made_live()
    }

    /// The same, started in another way.
    pub(crate) fn set_up_live(setup: Setup<'_>) -> Self {
        Self::set_up(setup).made_live()
    }

    /// Puts that live on this one.
    pub(crate) fn made_live(self) -> Self {
        self.publish(&Release::shell("1.0.0"));
        self.publish(
            &Release::section("directory", "1.0.0", &["/", "/state/:state", "/signup"]).slot("join"),
        );
        self.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
        self
    }

    /// Starts one.
    pub(crate) fn set_up(setup: Setup<'_>) -> Self {
        let folder = setup.folder.unwrap_or_else(|| Arc::new(TempDir::new().unwrap()));
        let config = tempfile::Builder::new()
            .suffix(".toml")
            .tempfile_in(folder.path())
            .unwrap();
        let (_, config) = config.keep().unwrap();
        let text = listening(setup.listen, setup.extra);
        let admin = setup.admin.map(|address| format!("admin = \"{address}\""));
        let text = text.replacen(ADMIN, admin.as_deref().unwrap_or(ADMIN), 1);
        std::fs::write(&config, text).unwrap();
        let mut command = match (setup.socket, setup.descriptors) {
            (Some(socket), _) => inheriting(socket, setup.admin_socket),
            (None, Some(number)) => started(by_shell(&format!("ulimit -n {number}; exec \"$0\" \"$@\""))),
            (None, None) if !setup.before.is_empty() || !setup.wrapper.is_empty() => started(by_shell(
                &format!("{} exec {} \"$0\" \"$@\"", setup.before, setup.wrapper),
            )),
            (None, None) => started(Command::new(env!("CARGO_BIN_EXE_gateway"))),
        };
        let mut process = command
            .args(["serve".as_ref(), "--config".as_ref(), config.as_os_str()])
            .envs(setup.variables.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Sockets are the command's until then.
        drop(command);
        let output = Arc::new(Log::default());
        match process.stdout.take() {
            Some(stdout) => output.collect(stdout),
            // It is a socket.
            None => output.collect(io::empty()),
        }
        output.collect(process.stderr.take().unwrap());
        let listening = output.wait(|line| line["event"] == "listening");
        let client =
            |name: &str| Client::new(listening[name].as_str().unwrap().parse::<SocketAddr>().unwrap());
        Self {
            site: client("site"),
            admin: client("admin"),
            process,
            output,
            folder,
            config,
        }
    }

    /// Its folder, for another one beside it.
    pub(crate) fn shared_folder(&self) -> Arc<TempDir> {
        Arc::clone(&self.folder)
    }

    /// Writes other text into its configuration file and has it read.
    pub(crate) fn reload(&self, text: &str) {
        std::fs::write(&self.config, text).unwrap();
        self.signal("HUP");
    }

    pub(crate) fn get(&self, target: &str) -> Response {
        self.site.get(target)
    }

    /// Sends a request to the admin API, with the token for everything.
    pub(crate) fn operate(&self, request: Request) -> Response {
        self.ask_admin(authorized(request))
    }

    /// Sends a request to the admin API, with this token.
    pub(crate) fn operate_as(&self, token: &str, request: Request) -> Response {
        self.ask_admin(authorized_by(token, request))
    }

    /// Sends a request to the admin API as it stands. That it and its answer are as the API is described is checked.
    pub(crate) fn ask_admin(&self, request: Request) -> Response {
        let sent = request.clone();
        let answer = self.admin.send(request);
        description::check(&sent, &answer);
        answer
    }

    /// Asks the admin API.
    pub(crate) fn ask(&self, target: &str) -> Value {
        let answer = self.operate(Request::new("GET", target));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    /// Tells the admin API to do something.
    pub(crate) fn tell(&self, target: &str, body: &Value) -> Response {
        self.operate(Request::new("POST", target).body(body.to_string()))
    }

    /// Publishes an archive.
    pub(crate) fn put(&self, name: &str, version: &str, archive: impl Into<Vec<u8>>) -> Response {
        let target = format!("/api/v1/sections/{name}/releases/{version}");
        self.operate(Request::new("PUT", &target).body(archive))
    }

    /// Publishes a release that must be accepted.
    pub(crate) fn publish(&self, release: &Release) {
        let answer = self.put(&release.name, &release.version, release.archive());
        assert_eq!(answer.status, 201, "{}", answer.text());
    }

    /// Asks for a deployment.
    pub(crate) fn post_deployment(&self, body: &Value) -> Response {
        self.tell("/api/v1/deployments", body)
    }

    /// Makes a deployment that must be accepted; its number comes back.
    pub(crate) fn deploy(&self, releases: &Value) -> u64 {
        let answer = self.post_deployment(&json!({ "releases": releases }));
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["number"].as_u64().unwrap()
    }

    /// Asks until a deployment is live here.
    pub(crate) fn wait_until_live(&self, number: u64) {
        until(&format!("deployment {number} is live"), || {
            let answer = self.get("/");
            answer.status == 200 && answer.boot()["deployment"] == number
        });
    }

    /// Waits for a logged event and returns it.
    pub(crate) fn wait_for(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.output.wait(wanted)
    }

    /// Waits for the event of the request with this answer.
    pub(crate) fn event_of(&self, response: &Response) -> Value {
        let id = response.header("x-request-id").to_owned();
        self.wait_for(|line| line["request_id"] == id.as_str())
    }

    /// Everything printed so far.
    pub(crate) fn output(&self) -> String {
        self.output.lines.lock().0.join("\n")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let command = format!("kill -{signal} {}", self.process.id());
        assert!(
            Command::new("sh")
                .args(["-c", &command])
                .status()
                .unwrap()
                .success()
        );
    }

    /// The process's number.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// How often something was counted; 0 if never. `sample` is a metric's name with its labels; panics if there is no such
    /// metric.
    pub(crate) fn count(&self, sample: &str) -> u64 {
        self.sample(sample).unwrap_or(0)
    }

    /// The value of a sample, if there is one so far.
    fn sample(&self, sample: &str) -> Option<u64> {
        let answer = self.ask_admin(Request::new("GET", "/metrics"));
        let text = answer.text();
        let name = sample.split('{').next().unwrap();
        let metric = ["_total", "_count"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix));
        let described = format!("# TYPE {} ", metric.unwrap_or(name));
        let is_there = text.lines().any(|line| line.starts_with(&described));
        assert!(is_there, "there is no metric {name}:\n{text}");
        let value = text.lines().find_map(|line| line.strip_prefix(sample));
        value.map(|value| value.trim().parse().unwrap())
    }

    /// How many connections of the site have ended for this cause; panics if there is no such cause.
    pub(crate) fn ended(&self, cause: &str) -> u64 {
        let sample = format!("colonnade_connections_ended_total{{listener=\"site\",cause=\"{cause}\"}}");
        self.sample(&sample)
            .unwrap_or_else(|| panic!("no connection ends by {cause}"))
    }

    /// Waits until so many connections of the site, and no more, have ended for this cause.
    pub(crate) fn until_ended(&self, cause: &str, times: u64) {
        until(&format!("{times} ended: {cause}"), || self.ended(cause) >= times);
        assert_eq!(self.ended(cause), times, "{cause}");
    }

    /// Ends the process at once, in the middle of whatever it does.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.end();
    }

    /// Waits for the process to end, and for all it printed.
    pub(crate) fn end(&mut self) -> ExitStatus {
        // What it prints to is closed when it has ended; unlike the end itself, that can be waited for with patience.
        self.output.wait_for_end();
        self.process.wait().unwrap()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Log {
    fn collect(self: &Arc<Self>, stream: impl Read + Send + 'static) {
        let log = Arc::clone(self);
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                log.lines.lock().0.push(line);
                log.changed.notify_all();
            }
            log.lines.lock().1 += 1;
            log.changed.notify_all();
        });
    }

    fn wait(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut seen = 0;
        let mut found = None;
        let mut lines = self.lines.lock();
        let is_missing = |(lines, ended): &mut (Vec<String>, usize)| {
            let mut new = lines[seen..]
                .iter()
                .filter_map(|line| serde_json::from_str(line).ok());
            found = new.find(|line: &Value| wanted(line));
            seen = lines.len();
            found.is_none() && *ended < 2
        };
        self.changed.wait_while_for(&mut lines, is_missing, PATIENCE);
        found.unwrap_or_else(|| panic!("no such event in:\n{}", lines.0.join("\n")))
    }

    fn wait_for_end(&self) {
        let mut lines = self.lines.lock();
        let waited = self
            .changed
            .wait_while_for(&mut lines, |(_, ended)| *ended < 2, PATIENCE);
        if waited.timed_out() {
            let printed = lines.0.join("\n");
            // Who collects goes on collecting.
            drop(lines);
            panic!("the gateway, or a process of it, has not ended; it printed:\n{printed}");
        }
    }
}
