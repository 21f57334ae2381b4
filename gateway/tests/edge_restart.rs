//! Stopping, reloading and being replaced: nobody who asks notices.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::Instant;

use crate::support::frames::{self, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PREFACE, WINDOW_UPDATE, frame};
use crate::support::{
    Certificate, Client, Connection, End, Gateway, Raw, Request, Setup, attack, authorized, inheriting,
    listening, only, patiently, token, until,
};

#[test]
fn a_gateway_that_is_told_to_stop_says_first_that_it_is_not_ready() {
    let mut gateway = Gateway::start_live("[limits]\nstop_delay_ms = 600000\n", &[]);
    assert_eq!(gateway.get("/readyz").status, 200);
    gateway.signal("TERM");
    gateway.wait_for(|line| line["event"] == "stopping");
    for client in [gateway.site, gateway.admin] {
        let answer = client.get("/readyz");
        assert_eq!((answer.status, answer.text().as_str()), (503, "stopping\n"));
        assert_eq!(client.get("/healthz").status, 200);
    }
    assert_eq!(gateway.get("/").status, 200);
    gateway.kill();
}

#[test]
fn who_is_in_the_middle_of_a_greeting_at_the_end_is_heard_out() {
    let mut gateway = Gateway::start_live(&only("stop_delay_ms = 0"), &[]);
    let silent = Raw::open(&gateway.site);
    let mut greeting = Raw::open(&gateway.site);
    let whole = [
        frames::start(&[]),
        frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get("/")),
    ]
    .concat();
    let (begun, rest) = whole.split_at(10);
    assert!(greeting.say(begun));
    until("both are there", || {
        gateway.count("colonnade_connections_open{listener=\"site\"}") == 2
    });
    gateway.signal("TERM");
    // Who has not begun by then is not waited for.
    assert_eq!(silent.until_closed(), b"");
    assert!(greeting.say(rest));
    let (_, _, _, block) = frames::read_until(&mut greeting, HEADERS);
    assert_eq!(frames::status(&block), "200");
    drop(greeting);
    assert_eq!(gateway.end().code(), Some(0));
}

#[test]
fn a_proxy_whose_client_has_said_nothing_does_not_hold_up_the_end() {
    let mut gateway = Gateway::set_up_live(Setup {
        listen: "proxies = [\"127.0.0.0/8\"]\nproxy_protocol = true",
        extra: &only("stop_delay_ms = 0"),
        ..Setup::default()
    });
    let mut raw = Raw::open(&gateway.site);
    assert!(raw.say("PROXY TCP4 192.0.2.1 192.0.2.2 1000 80\r\n"));
    until("it is there", || {
        gateway.count("colonnade_connections_open{listener=\"site\"}") == 1
    });
    gateway.signal("TERM");
    assert_eq!(raw.until_closed(), b"");
    assert_eq!(gateway.end().code(), Some(0));
}

#[test]
fn nobody_holds_up_the_end_for_ever() {
    let mut gateway = Gateway::start_live(&only("stop_delay_ms = 0\ndrain_ms = 1000"), &[]);
    // Half a head, half a greeting, half a body, and an HTTP/2 client that does not leave when asked.
    let mut half = Raw::open(&gateway.site);
    half.say("GET / HTTP/1.1\r\nhost: site.example\r\n");
    let mut greeting = Raw::open(&gateway.site);
    assert!(greeting.say(&PREFACE[..10]));
    let mut body = Raw::open(&gateway.site);
    body.say(
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
              content-type: application/json\r\ncontent-length: 9\r\n\r\n{",
    );
    let mut second = frames::open(&gateway.site, &[]);
    frames::read_until(&mut second, frames::SETTINGS);
    gateway.signal("TERM");
    frames::read_until(&mut second, GOAWAY);
    assert_eq!(gateway.end().code(), Some(0));
    assert!(gateway.output().contains("drain_cut_short"));
}

#[test]
fn a_request_that_has_only_begun_when_the_gateway_is_told_to_stop_is_answered() {
    let mut gateway = Gateway::start_live("[limits]\nstop_delay_ms = 0\n", &[]);
    let mut raw = Raw::open(&gateway.site);
    raw.say("GET / HTTP/1.1\r\nhost: site");
    // The gateway has read it by the time it has answered another.
    gateway.get("/");
    gateway.signal("TERM");
    gateway.wait_for(|line| line["event"] == "stopping");
    raw.say(".example\r\n\r\n");
    assert_eq!(raw.answer().status, 200);
    assert_eq!(gateway.end().code(), Some(0));
}

#[test]
fn a_reload_changes_what_can_be_changed() {
    let gateway = Gateway::start_live("", &[]);
    let sections = || Request::new("GET", "/api/v1/sections");
    let mut open = Raw::open(&gateway.site);
    open.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n");
    assert_eq!(open.hear(12), b"HTTP/1.1 200");
    let new = |request: Request| request.header("authorization", "Bearer new-token");
    assert_eq!(gateway.admin.send(new(sections())).status, 401);
    attack(&gateway, || {
        let text = listening("", "[limits]\nrequests_per_client = 7\n")
            .replace("[store]", &(token("new-token", &["*"], &["deploy"]) + "[store]"));
        // The token for everything is taken away.
        let text = text.replace(
            &token(
                "token-for-everything",
                &["*"],
                &["publish", "deploy", "rollback", "preview", "collect"],
            ),
            "",
        );
        gateway.reload(&text);
        gateway.wait_for(|line| line["event"] == "reloaded");
    });
    assert_eq!(gateway.admin.send(new(sections())).status, 200);
    assert_eq!(gateway.admin.send(authorized(sections())).status, 401);
    // Connections stay.
    open.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
    assert!(open.until_closed().ends_with(b"ok\n"));
}

#[test]
fn a_reload_names_what_needs_a_restart_and_tells_no_value() {
    let gateway = Gateway::start_live("", &[]);
    let text = listening(
        "hosts = [\"other.example\"]",
        "[limits]\nidle_ms = 7000\n[render]\ndeadline_ms = 10000\ncpu_ms = 77777\n",
    )
    .replace("contact@site.example", "changed@site.example");
    gateway.reload(&text);
    let event = gateway.wait_for(|line| line["event"] == "reloaded");
    assert_eq!(event["restart"], "render.cpu_ms, site.contact");
    assert!(!gateway.output().contains("77777") && !gateway.output().contains("changed@"));
}

#[test]
fn a_proxy_that_is_taken_out_is_believed_no_more_also_on_a_connection_it_has() {
    let proxies = "proxies = [\"127.0.0.0/8\"]";
    let extra = "[telemetry]\naddresses = true\n";
    let gateway = Gateway::set_up_live(Setup {
        listen: proxies,
        extra,
        ..Setup::default()
    });
    let mut proxy = Connection::open(&gateway.site).unwrap();
    let mut asked_for = || {
        let get = Request::new("GET", "/").header("host", "site.example");
        let answer = proxy
            .exchange(get.header("x-forwarded-for", "192.0.2.7"))
            .unwrap();
        gateway.event_of(&answer)["address"].clone()
    };
    assert_eq!(asked_for(), "192.0.2.7");
    gateway.reload(&listening("", extra));
    gateway.wait_for(|line| line["event"] == "reloaded");
    assert_eq!(asked_for(), "127.0.0.1");
}

#[test]
fn a_configuration_that_cannot_be_used_changes_nothing_and_the_log_says_why() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        gateway.reload(&listening(
            "hosts = [\"other.example\"]\nproxies = [\"nobody\"]",
            "[limits]\nidle = 1\n",
        ));
        let event = gateway.wait_for(|line| line["event"] == "reload_failed");
        let error = event["error"].as_str().unwrap();
        assert!(
            error.contains("listen.proxies: `nobody` is no address"),
            "{error}"
        );
        assert!(error.contains("limits.idle: unknown key"), "{error}");
    });
    let sections = Request::new("GET", "/api/v1/sections");
    assert_eq!(gateway.admin.send(authorized(sections)).status, 200);
}

/// Tells when it is over.
type IsOver<'a> = &'a dyn Fn() -> bool;

/// Asks again and again, until it is over. Back comes how often.
type Visit<'a> = &'a (dyn Fn(&Client, IsOver<'_>) -> usize + Sync);

/// Asks for a page over and over, each time over a connection of its own.
fn visit_anew(site: &Client, is_over: IsOver<'_>) -> usize {
    let mut answers = 0;
    while !is_over() {
        assert_eq!(site.get("/").status, 200);
        answers += 1;
    }
    answers
}

/// The same over one connection, for as long as no answer says that it is the last.
fn visit_over_http1(site: &Client, is_over: IsOver<'_>) -> usize {
    let mut answers = 0;
    while !is_over() {
        let mut connection = Connection::open(site).unwrap();
        let mut quiet = Instant::now();
        loop {
            let pause = quiet.elapsed();
            let answer = match connection.exchange(Request::new("GET", "/")) {
                Ok(answer) => answer,
                // Who has asked for nothing in half a second at the end is not told.
                Err(_) if pause > Duration::from_millis(500) => break,
                Err(error) => panic!("{error}"),
            };
            quiet = Instant::now();
            assert_eq!(answer.status, 200);
            answers += 1;
            if answer.has("connection") || is_over() {
                break;
            }
        }
    }
    answers
}

/// The same over one HTTP/2 connection, for as long as the gateway does not say that it goes.
fn visit_over_http2(site: &Client, is_over: IsOver<'_>) -> usize {
    let mut answers = 0;
    while !is_over() {
        // Windows that never get in the way.
        let mut raw = frames::open(site, &[(4, 0x7fff_ffff)]);
        assert!(raw.say(frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0, 0, 0])));
        let mut is_going = false;
        for stream in (1..).step_by(2) {
            if is_going || is_over() {
                break;
            }
            let request = frame(HEADERS, END_STREAM | END_HEADERS, stream, &frames::get("/"));
            assert!(raw.say(request));
            loop {
                let (kind, flags, of, payload) = frames::read(&mut raw);
                is_going |= kind == GOAWAY;
                if kind == HEADERS {
                    assert_eq!(frames::status(&payload), "200");
                }
                if of == stream && flags & END_STREAM != 0 {
                    answers += 1;
                    break;
                }
            }
        }
    }
    answers
}

/// Replaces a gateway again and again while all of these visit it, each of whose requests must succeed. The new one starts
/// before the old one is told to stop, as where two run side by side, or when it has ended, as a supervisor restarts it: whoever
/// comes in between waits at the socket.
fn restart_under_load(extra: &str, rounds: u32, visitors: &[Visit<'_>]) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let inherited = || Some(socket.try_clone().unwrap());
    let mut gateway = Gateway::set_up_live(Setup {
        socket: inherited(),
        extra,
        ..Setup::default()
    });
    assert_eq!(gateway.site.address(), socket.local_addr().unwrap());
    let (site, over) = (gateway.site, AtomicBool::new(false));
    let is_over = || over.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let visitors: Vec<_> = visitors
            .iter()
            .map(|visit| scope.spawn(move || visit(&site, &is_over)))
            .collect();
        // They go home even if a restart goes wrong.
        let end = End(&over);
        for round in 0..rounds {
            let folder = gateway.shared_folder();
            let start = || {
                Gateway::set_up(Setup {
                    folder: Some(folder),
                    socket: inherited(),
                    extra: &format!("[limits]\nstop_delay_ms = 0\n{extra}"),
                    ..Setup::default()
                })
            };
            let stop = |mut old: Gateway| {
                old.signal("TERM");
                assert_eq!(old.end().code(), Some(0));
                assert!(!old.output().contains("drain_cut_short"));
            };
            gateway = if round % 2 == 0 {
                let next = start();
                stop(gateway);
                next
            } else {
                stop(gateway);
                start()
            };
            assert_eq!(gateway.admin.get("/readyz").status, 200);
        }
        drop(end);
        for visitor in visitors {
            assert!(visitor.join().unwrap() > 0);
        }
    });
}

#[test]
fn a_restart_on_an_inherited_socket_refuses_nobody() {
    let visits: [Visit<'_>; 3] = [&visit_anew, &visit_over_http1, &visit_over_http2];
    restart_under_load("", 6, &visits.map(|visit| [visit; 8]).concat());
}

#[test]
fn the_same_over_tls_refuses_nobody_either() {
    let (folder, certificate) = (TempDir::new().unwrap(), Certificate::new());
    let visit: Visit<'_> = &|site, is_over| {
        let mut answers = 0;
        while !is_over() {
            assert_eq!(certificate.get(site).unwrap().status, 200);
            answers += 1;
        }
        answers
    };
    let table = certificate.write(folder.path()).table("tls");
    restart_under_load(&table, 4, &[visit; 4]);
}

#[test]
fn the_second_socket_that_is_inherited_is_for_the_admin_api() {
    let [site, admin] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [&site, &admin].map(|socket| socket.local_addr().unwrap());
    let gateway = Gateway::set_up_live(Setup {
        socket: Some(site),
        admin_socket: Some(admin),
        ..Setup::default()
    });
    assert_eq!(
        [gateway.site, gateway.admin].map(|client| client.address()),
        addresses
    );
    assert_eq!(gateway.get("/").status, 200);
    gateway.ask("/api/v1/sections");
}

/// A process that is killed when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

#[test]
fn an_inherited_admin_socket_that_others_can_reach_needs_a_certificate() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    std::fs::write(&path, listening("", "")).unwrap();
    let site = TcpListener::bind("127.0.0.1:0").unwrap();
    let admin = TcpListener::bind("0.0.0.0:0").unwrap();
    let address = admin.local_addr().unwrap();
    let process = inheriting(site, Some(admin))
        .args(["serve", "--config"])
        .arg(path)
        .stderr(Stdio::piped())
        .spawn();
    let mut process = Killed(process.unwrap());
    let stderr = process.0.stderr.take().unwrap();
    let stderr = patiently("the gateway ends", || std::io::read_to_string(stderr).unwrap());
    assert_eq!(process.0.wait().unwrap().code(), Some(1), "{stderr}");
    let words =
        format!("the admin socket at {address} can be reached from elsewhere: it needs `[listen.admin_tls]`");
    assert!(stderr.contains(&words), "{stderr}");
}

#[test]
fn what_is_inherited_and_no_socket_is_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    std::fs::write(&path, listening("", "")).unwrap();
    let script = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3</dev/null";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_gateway"), "serve", "--config"])
        .arg(path)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr.contains("cannot be listened on: fd 3 is not a socket"),
        "{stderr}"
    );
}
