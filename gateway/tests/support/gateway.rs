//! The gateway process under test.

use std::io::{BufRead as _, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::{Condvar, Mutex};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::attack::check_visitor;
use super::client::TIMEOUT;
use super::{Client, Release, Request, Response, live_site, openapi, wait_until};

/// A token with all permissions. For others see [`configuration`].
pub(crate) const TOKEN: &str = "token-for-everything";

/// What [`TOKEN`] may do.
pub(crate) const TOKEN_ACTIONS: &[&str] = &[
    "publish",
    "deploy",
    "rollback",
    "preview",
    "garbage_collect",
    "purge",
    "audit",
];

/// The default site listener of a configuration.
const SITE: &str = "site = \"127.0.0.1:0\"";

/// The default admin listener of a configuration.
const ADMIN: &str = "admin = \"127.0.0.1:0\"";

/// A running gateway. Dropping it kills the process.
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
    /// The folder of the store and the configuration. Default: a new folder.
    pub(crate) folder: Option<Arc<TempDir>>,
    /// Additional keys of `[listen]`.
    pub(crate) listen: &'a str,
    /// The address of the site listener. Default: loopback.
    pub(crate) site: Option<SocketAddr>,
    /// The address of the admin listener. Default: loopback.
    pub(crate) admin: Option<&'a str>,
    /// Additional configuration: see [`configuration`].
    pub(crate) extra: &'a str,
    /// Environment variables.
    pub(crate) variables: &'a [(&'a str, &'a str)],
    /// The file descriptor limit.
    pub(crate) descriptors: Option<u32>,
    /// Shell commands that run before the gateway, such as `ulimit -f 100;`.
    pub(crate) before: &'a str,
    /// Additional arguments of `gateway serve`.
    pub(crate) arguments: &'a [&'a str],
    /// The path of the binary. Default: the built one.
    pub(crate) program: Option<&'a Path>,
    /// A program, with options, that runs the gateway.
    pub(crate) wrapper: &'a str,
}

/// The output of a process: its lines and the number of closed streams.
#[derive(Default)]
struct Log {
    lines: Mutex<(Vec<String>, usize)>,
    changed: Condvar,
}

/// A configuration with ephemeral ports and tokens for every purpose. `extra` is appended: its keys before the first table
/// belong to `[store]`. The asset cache is off by default, so that every request reads the file.
pub(crate) fn configuration(extra: &str) -> String {
    let mut text = String::from(
        r#"[site]
brand = "Test & Brand"
origin = "https://site.example"
contact = "contact@site.example"
[site.facts]
city = "Vienna"
[navigation]
menu.links = [{ label = "Home", path = "/" }]
footer.links = [{ label = "Terms", path = "/terms" }]
[listen]
site = "127.0.0.1:0"
admin = "127.0.0.1:0"
"#,
    );
    text += &token(TOKEN, &["*"], TOKEN_ACTIONS);
    text += &token("token-to-publish-legal", &["legal"], &["publish"]);
    text += &token("token-to-deploy-legal", &["legal"], &["deploy"]);
    let assets = if extra.contains("[assets]") {
        ""
    } else {
        "[assets]\ncache_mib = 0\n"
    };
    // Allow for slow renders on a busy machine.
    let render = if extra.contains("[render]") {
        ""
    } else {
        "[render]\ndeadline_ms = 10000\ncpu_limit_ms = 5000\n"
    };
    text + assets + render + "[store]\nfolder = \"store\"\n" + extra
}

/// Same as [`configuration`], with additional keys of `[listen]`.
pub(crate) fn configuration_with_listen(listen: &str, extra: &str) -> String {
    let admin = "admin = \"127.0.0.1:0\"\n";
    configuration(extra).replacen(admin, &format!("{admin}{listen}\n"), 1)
}

/// `[limits]` with these keys and all other timeouts disabled, so that only these keys can close a connection.
pub(crate) fn only_limits(keys: &str) -> String {
    let mut limits = format!("[limits]\n{keys}\n");
    for time in [
        "tls_handshake_timeout_ms",
        "first_byte_timeout_ms",
        "request_header_timeout_ms",
        "min_rate_window_ms",
        "keepalive_timeout_ms",
        "max_connection_age_ms",
        "drain_timeout_ms",
    ] {
        if !keys.contains(time) {
            limits.extend([time, " = 86400000\n"]);
        }
    }
    limits
}

/// The gateway, started by a shell script that execs it.
fn shell_command(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_gateway")]);
    command
}

/// The configuration table of a token.
pub(crate) fn token(token: &str, sections: &[&str], actions: &[&str]) -> String {
    let hash = Sha256::digest(token)
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    format!(
        "[[admin.tokens]]\nname = \"name of {token}\"\nhash = \"sha256:{hash}\"\n\
         sections = {sections:?}\nactions = {actions:?}\n"
    )
}

/// The running rollouts in the store.
fn rollouts(gateway: &Gateway) -> Vec<Value> {
    let state = std::fs::read(gateway.store().join("live.json")).unwrap();
    let state: Value = serde_json::from_slice(&state).unwrap();
    state["visible"]["rollouts"].as_array().unwrap().clone()
}

/// The rollout cookie of a visitor whom these of the running rollouts include: a group that the key of each rollout
/// places on the wanted side of its share, far from the border if there is such a group.
pub(crate) fn rollout_cookie(gateway: &Gateway, included: &[bool]) -> String {
    let rollouts = rollouts(gateway);
    assert_eq!(rollouts.len(), included.len());
    let rollouts: Vec<(Vec<u8>, f64)> = rollouts
        .iter()
        .map(|rollout| {
            let key = URL_SAFE_NO_PAD.decode(rollout["key"].as_str().unwrap()).unwrap();
            (key, rollout["percent"].as_f64().unwrap() / 100.0)
        })
        .collect();
    let fits = |group: u16, distance: f64| {
        rollouts.iter().zip(included).all(|((key, share), is_included)| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
            mac.update(&group.to_be_bytes());
            let hash = mac.finalize().into_bytes();
            let draw = f64::from(u32::from_be_bytes(hash[..4].try_into().unwrap())) / f64::from(u32::MAX);
            if *is_included {
                draw < share * distance
            } else {
                draw > 1.0 - (1.0 - share) * distance
            }
        })
    };
    let groups = [0.5, 1.0]
        .into_iter()
        .flat_map(|distance| (0..=u16::MAX).map(move |group| (group, distance)));
    let mut fitting = groups.filter(|(group, distance)| fits(*group, *distance));
    let (group, _) = fitting.next().expect("a group of these visitors");
    format!("{group:04x}")
}

/// Signs a text as the gateway does. The secret is base64url, as in the store.
pub(crate) fn sign(secret: &str, text: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(&URL_SAFE_NO_PAD.decode(secret).unwrap()).unwrap();
    mac.update(text.as_bytes());
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

/// Adds the token with all permissions to a request.
pub(crate) fn authorized(request: Request) -> Request {
    authorized_by(TOKEN, request)
}

pub(crate) fn authorized_by(token: &str, request: Request) -> Request {
    request.header("authorization", &format!("Bearer {token}"))
}

/// Runs the gateway binary to completion. Panics when it exceeds the test timeout.
pub(crate) fn run_gateway(arguments: &[&str]) -> Output {
    let output = Command::new("timeout")
        .args([&TIMEOUT.as_secs().to_string(), env!("CARGO_BIN_EXE_gateway")])
        .args(arguments)
        .output()
        .unwrap();
    assert_ne!(
        output.status.code(),
        Some(124),
        "timed out: gateway {arguments:?}"
    );
    output
}

impl Gateway {
    /// Starts a gateway without sign-up or partners.
    pub(crate) fn start() -> Self {
        Self::start_with("", &[])
    }

    /// Starts a gateway with additional configuration and environment variables.
    pub(crate) fn start_with(extra: &str, variables: &[(&str, &str)]) -> Self {
        Self::set_up(Setup {
            extra,
            variables,
            ..Setup::default()
        })
    }

    /// Starts a gateway in this folder, with additional configuration.
    pub(crate) fn start_in(folder: Arc<TempDir>, extra: &str) -> Self {
        Self::set_up(Setup {
            folder: Some(folder),
            extra,
            ..Setup::default()
        })
    }

    /// Starts another gateway on the same store.
    pub(crate) fn start_another(&self) -> Self {
        self.start_another_with("")
    }

    /// Starts another gateway on the same store, with additional configuration.
    pub(crate) fn start_another_with(&self, extra: &str) -> Self {
        Self::start_in(self.shared_folder(), extra)
    }

    /// Kills the gateway and starts another one on its store, with additional configuration.
    pub(crate) fn kill_and_restart(mut self, extra: &str) -> Self {
        self.signal("KILL");
        self.wait_for_exit();
        self.start_another_with(extra)
    }

    /// Starts a gateway with a live site: see [`Gateway::set_up_live`].
    pub(crate) fn start_live(extra: &str, variables: &[(&str, &str)]) -> Self {
        Self::set_up_live(Setup {
            extra,
            variables,
            ..Setup::default()
        })
    }

    /// Starts a gateway with this setup on a copy of the store that [`Gateway::with_live_site`] makes. That takes half of
    /// the time, but this process has neither logged nor counted the changes.
    pub(crate) fn set_up_live(setup: Setup<'_>) -> Self {
        let folder = setup.folder.unwrap_or_else(|| Arc::new(TempDir::new().unwrap()));
        live_site::copy_to(&folder.path().join("store"));
        Self::set_up(Setup {
            folder: Some(folder),
            ..setup
        })
    }

    /// Deploys a shell, and a section with `/`, `/state/:state` and `/signup`.
    pub(crate) fn with_live_site(self) -> Self {
        self.publish(&Release::shell("1.0.0"));
        self.publish(&Release::section(
            "directory",
            "1.0.0",
            &["/", "/state/:state", "/signup"],
        ));
        self.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
        self
    }

    /// Starts a gateway with this setup.
    pub(crate) fn set_up(setup: Setup<'_>) -> Self {
        let folder = setup.folder.unwrap_or_else(|| Arc::new(TempDir::new().unwrap()));
        let config = tempfile::Builder::new()
            .suffix(".toml")
            .tempfile_in(folder.path())
            .unwrap();
        let (_, config) = config.keep().unwrap();
        let text = configuration_with_listen(setup.listen, setup.extra);
        let admin = setup.admin.map(|address| format!("admin = \"{address}\""));
        let text = text.replacen(ADMIN, admin.as_deref().unwrap_or(ADMIN), 1);
        let site = setup
            .site
            .map_or_else(|| SITE.to_owned(), |address| format!("site = \"{address}\""));
        let text = text.replacen(SITE, &site, 1);
        std::fs::write(&config, text).unwrap();
        let mut command = match setup.descriptors {
            Some(number) => shell_command(&format!("ulimit -n {number}; exec \"$0\" \"$@\"")),
            None if !setup.before.is_empty() || !setup.wrapper.is_empty() => {
                shell_command(&format!("{} exec {} \"$0\" \"$@\"", setup.before, setup.wrapper))
            }
            None => Command::new(setup.program.unwrap_or(Path::new(env!("CARGO_BIN_EXE_gateway")))),
        };
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .args(["serve".as_ref(), "--config".as_ref(), config.as_os_str()])
            .args(setup.arguments)
            .envs(setup.variables.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = Arc::new(Log::default());
        output.collect(process.stdout.take().unwrap());
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

    /// The folder, for another gateway on the same store.
    pub(crate) fn shared_folder(&self) -> Arc<TempDir> {
        Arc::clone(&self.folder)
    }

    /// Replaces the configuration file.
    pub(crate) fn configure(&self, text: &str) {
        std::fs::write(&self.config, text).unwrap();
    }

    /// Replaces the configuration file and reloads it.
    pub(crate) fn reload(&self, text: &str) {
        self.configure(text);
        self.signal("HUP");
    }

    /// Replaces the configuration file, and waits until it is reloaded.
    pub(crate) fn reload_and_wait(&self, text: &str) {
        let reloads = || self.output().matches("\"event\":\"config_reloaded\"").count();
        let before = reloads();
        self.reload(text);
        wait_until("the configuration is reloaded", || reloads() > before);
    }

    /// Runs a command of the gateway binary with the configuration of this gateway.
    pub(crate) fn run(&self, command: &str) -> Output {
        run_gateway(&[command, "--config", self.config.to_str().unwrap()])
    }

    pub(crate) fn get(&self, target: &str) -> Response {
        self.site.get(target)
    }

    /// Sends a request to the admin API with the token that has all permissions.
    pub(crate) fn admin_request(&self, request: Request) -> Response {
        self.send_admin(authorized(request))
    }

    /// Sends a request to the admin API with this token.
    pub(crate) fn admin_request_as(&self, token: &str, request: Request) -> Response {
        self.send_admin(authorized_by(token, request))
    }

    /// Sends a request to the admin API unmodified. Checks request and response against the OpenAPI description.
    pub(crate) fn send_admin(&self, request: Request) -> Response {
        let sent = request.clone();
        let response = self.admin.send(request);
        openapi::check(&sent, &response);
        response
    }

    /// Sends a request to the admin API from a source address that no other request has, so that no rate limit applies.
    pub(crate) fn send_admin_as_new_client(&self, request: Request) -> Response {
        static CLIENTS: AtomicU32 = AtomicU32::new(1);
        let number = CLIENTS.fetch_add(1, Ordering::Relaxed);
        let source = Ipv4Addr::from_bits(Ipv4Addr::new(127, 1, 0, 0).to_bits() + number);
        let sent = request.clone();
        let response = self.admin.with_source_ip(source).send(request);
        openapi::check(&sent, &response);
        response
    }

    /// Sends a GET request that must succeed to the admin API. Returns its JSON.
    pub(crate) fn admin_get(&self, target: &str) -> Value {
        let response = self.admin_request(Request::new("GET", target));
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()
    }

    /// Sends a POST request with a JSON body to the admin API.
    pub(crate) fn admin_post(&self, target: &str, body: &Value) -> Response {
        self.admin_request(Request::new("POST", target).body(body.to_string()))
    }

    /// Makes a change with the admin token. It must succeed.
    pub(crate) fn admin_change(&self, target: &str, body: &Value) {
        let response = self.admin_post(target, body);
        assert!(response.status < 300, "{target}: {}", response.text());
    }

    /// Publishes an archive.
    pub(crate) fn put_release(&self, name: &str, version: &str, archive: impl Into<Vec<u8>>) -> Response {
        let target = format!("/api/v1/sections/{name}/releases/{version}");
        self.admin_request(Request::new("PUT", &target).body(archive))
    }

    /// Publishes a release. It must be accepted.
    pub(crate) fn publish(&self, release: &Release) {
        let response = self.put_release(&release.name, &release.version, release.archive());
        assert_eq!(response.status, 201, "{}", response.text());
    }

    /// Requests a deployment.
    pub(crate) fn post_deployment(&self, body: &Value) -> Response {
        self.admin_post("/api/v1/deployments", body)
    }

    /// Creates a deployment, which must be accepted, and returns its number.
    pub(crate) fn deploy(&self, releases: &Value) -> u64 {
        let response = self.post_deployment(&json!({ "releases": releases }));
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["number"].as_u64().unwrap()
    }

    /// Waits until this gateway serves a deployment.
    pub(crate) fn wait_until_live(&self, number: u64) {
        wait_until(&format!("deployment {number} is live"), || {
            let response = self.get("/");
            response.status == 200 && response.boot()["deployment"] == number.to_string()
        });
    }

    /// Waits until the newest change is one of the gateway itself. Returns its entry in the history.
    pub(crate) fn wait_for_own_change(&self) -> Value {
        let newest = || self.admin_get("/api/v1/history?limit=1")["entries"][0].clone();
        wait_until("the gateway makes a change", || newest()["by"] == "gateway");
        newest()
    }

    /// Waits until the gateway pauses a rollout. Returns the reason.
    pub(crate) fn wait_for_pause(&self) -> String {
        let pause = self.wait_for_own_change();
        let change = (&pause["action"], &pause["paused"]);
        assert_eq!(change, (&Value::from("percent"), &Value::from(true)), "{pause}");
        pause["reason"].as_str().unwrap().to_owned()
    }

    /// Waits until the gateway promotes deployment 2. Returns the entry in the history.
    pub(crate) fn wait_for_promotion(&self) -> Value {
        let promoted = self.wait_for_own_change();
        let change = (&promoted["action"], &promoted["live"]);
        assert_eq!(change, (&Value::from("promote"), &Value::from(2)), "{promoted}");
        promoted
    }

    /// Waits for a log event and returns it.
    pub(crate) fn wait_for_event(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.output.wait(wanted)
    }

    /// Waits for the log event of the request with this response.
    pub(crate) fn request_event(&self, response: &Response) -> Value {
        let id = response.header("x-request-id").to_owned();
        self.wait_for_event(|line| line["event"] == "request" && line["request_id"] == id.as_str())
    }

    /// The output so far.
    pub(crate) fn output(&self) -> String {
        self.output.lines.lock().0.join("\n")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// The configuration file.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// Runs `gateway store` on this gateway's store. Returns the exit code and the output.
    pub(crate) fn store_command(&self, arguments: &[&str]) -> (i32, String) {
        let config = ["--config", self.config.to_str().unwrap()];
        let output = run_gateway(&[&["store"], arguments, &config].concat());
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let signal = match signal {
            "ABRT" => Signal::ABORT,
            "CONT" => Signal::CONT,
            "HUP" => Signal::HUP,
            "INT" => Signal::INT,
            "KILL" => Signal::KILL,
            "QUIT" => Signal::QUIT,
            "STOP" => Signal::STOP,
            "TERM" => Signal::TERM,
            "TRAP" => Signal::TRAP,
            "USR1" => Signal::USR1,
            "USR2" => Signal::USR2,
            other => panic!("{other}"),
        };
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// The process ID.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The value of a sample, or 0 without one. `sample` is a metric name with labels. Panics if the metric does not exist.
    pub(crate) fn metric(&self, sample: &str) -> u64 {
        self.sample(sample).unwrap_or(0)
    }

    /// The open streams of the upstream `events`, of a kind.
    pub(crate) fn open_streams(&self, kind: &str) -> u64 {
        self.metric(&format!(
            "colonnade_upstream_streams_open{{upstream=\"events\",kind=\"{kind}\"}}"
        ))
    }

    /// Waits until so many of them have been closed for this cause.
    pub(crate) fn wait_for_closed_streams(&self, kind: &str, cause: &str, count: u64) {
        let sample = format!(
            "colonnade_upstream_streams_closed_total{{upstream=\"events\",kind=\"{kind}\",cause=\"{cause}\"}}"
        );
        wait_until(cause, || self.metric(&sample) == count);
    }

    /// The value of a sample, if present.
    fn sample(&self, sample: &str) -> Option<u64> {
        let response = self.admin.get("/metrics");
        assert_eq!(response.status, 200, "{}", response.text());
        let text = response.text();
        let name = sample.split('{').next().unwrap();
        let described = format!("# TYPE {} ", name.strip_suffix("_count").unwrap_or(name));
        let exists = text.lines().any(|line| line.starts_with(&described));
        assert!(exists, "there is no metric {name}:\n{text}");
        let value = text.lines().find_map(|line| line.strip_prefix(sample));
        value.map(|value| value.trim().parse().unwrap())
    }

    /// The number of site connections closed for this cause. Panics if the cause does not exist.
    pub(crate) fn closed_connections(&self, cause: &str) -> u64 {
        let sample = format!("colonnade_connections_closed_total{{listener=\"site\",cause=\"{cause}\"}}");
        self.sample(&sample)
            .unwrap_or_else(|| panic!("there is no close cause {cause}"))
    }

    /// Waits until exactly this many site connections are closed for this cause.
    pub(crate) fn wait_for_closed_connections(&self, cause: &str, times: u64) {
        wait_until(&format!("{times} connections closed: {cause}"), || {
            self.closed_connections(cause) >= times
        });
        assert_eq!(self.closed_connections(cause), times, "{cause}");
    }

    /// Kills the process.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.wait_for_exit();
    }

    /// Waits for the process to exit and for all its output.
    pub(crate) fn wait_for_exit(&mut self) -> ExitStatus {
        // The output streams close on exit. Unlike the exit itself, that can be awaited with a timeout.
        self.output.wait_for_end();
        self.process.wait().unwrap()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if !std::thread::panicking() {
            check_visitor();
        }
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
        self.changed.wait_while_for(&mut lines, is_missing, TIMEOUT);
        found.unwrap_or_else(|| panic!("no matching event in:\n{}", lines.0.join("\n")))
    }

    fn wait_for_end(&self) {
        let mut lines = self.lines.lock();
        let waited = self
            .changed
            .wait_while_for(&mut lines, |(_, ended)| *ended < 2, TIMEOUT);
        if waited.timed_out() {
            let printed = lines.0.join("\n");
            // Unlocks for the reader threads.
            drop(lines);
            panic!("the gateway or a child process has not exited; its output:\n{printed}");
        }
    }
}
