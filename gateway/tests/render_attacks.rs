//! What a release does wrong while it is rendered costs its own page its server HTML, and nobody anything else.

use std::io::Write as _;

use serde_json::json;

use crate::support::{Gateway, is_rendered, rendering_gateway, renders, until};

/// Settings under which what fails fails soon.
const SETTINGS: &str =
    "[render]\nworkers = 2\ncpu_ms = 200\ndeadline_ms = 3000\nmemory_mib = 16\nfailures = 1000\n";

/// What attack sections do, and the cause that is logged.
const ATTACKS: &[(&str, &str, &str)] = &[
    (
        "throws",
        "export default { page: () => { throw new Error('x'); } };",
        "threw",
    ),
    ("throws while it is loaded", "throw new Error('x');", "threw"),
    ("is no JavaScript", "export default {", "threw"),
    ("exports nothing", "export {};", "threw"),
    ("returns no text", "export default { page: () => ({}) };", "threw"),
    (
        "never answers",
        "export default { page: () => new Promise(() => {}) };",
        "threw",
    ),
    ("loops", "export default { page: () => { for (;;); } };", "time"),
    (
        "loops and catches",
        "export default { page: () => { for (;;) { try { for (;;); } catch {} finally { continue; } } } };",
        "time",
    ),
    (
        "loops in promises",
        "export default { page: async () => { for (;;) await 0; } };",
        "time",
    ),
    (
        "takes all memory",
        "export default { page: () => { const kept = []; for (;;) kept.push(new Array(1000).fill(1.5)); } };",
        "memory",
    ),
    (
        "recurses",
        "export default { page: () => { const f = (n) => f(n + 1) + 1; return f(0); } };",
        "threw",
    ),
    (
        "recurses in native code",
        "export default { page: () => { let deep = 'x'; for (let n = 0; n < 1e6; n++) deep = [deep]; return JSON.stringify(deep); } };",
        "threw",
    ),
    (
        "makes a text of all memory",
        "export default { page: () => 'x'.repeat(2 ** 29) + 'y'.repeat(2 ** 29) };",
        "memory",
    ),
    (
        "takes a buffer larger than memory",
        "export default { page: () => String(new Uint8Array(2 ** 31)) };",
        "threw",
    ),
    (
        "makes a page that is too long",
        "export default { page: () => 'x'.repeat(2_000_000) };",
        "memory",
    ),
    (
        "backtracks",
        "export default { page: () => String(/^(a+)+$/.test('a'.repeat(64) + 'b')) };",
        "time",
    ),
    (
        "waits",
        "export default { page: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) };",
        "threw",
    ),
    (
        "throws what loops when it is read",
        "export default { page: () => { throw Object.defineProperty(new Error(), 'message', { get() { for (;;); } }); } };",
        "time",
    ),
    (
        "throws a symbol",
        "export default { page: () => { throw Symbol('x'); } };",
        "threw",
    ),
    (
        "returns what loops when it is read",
        "export default { page: () => ({ toJSON() { for (;;); } }) };",
        "time",
    ),
    (
        "takes the language away",
        "for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name]; } catch {} export default { page: () => JSON.x };",
        "threw",
    ),
    (
        "answers with what it was not asked",
        "Object.prototype.status = 999; Object.prototype.toJSON = () => 'x'; export default { page: () => 'x' };",
        "threw",
    ),
    (
        "imports what is not its own",
        "import 'node:fs'; export default { page: () => 'x' };",
        "threw",
    ),
    (
        "asks for the time",
        "export default { page: () => String(Date.now()) };",
        "threw",
    ),
    (
        "asks for the time zone",
        "export default { page: () => String(new Date(0).getHours()) };",
        "threw",
    ),
    (
        "asks for a date in the time zone",
        "export default { page: () => String(new Date(2024, 0, 1).getTime()) };",
        "threw",
    ),
    (
        "asks for an id by chance",
        "export default { page: () => crypto.randomUUID() };",
        "threw",
    ),
    (
        "asks for chance",
        "export default { page: () => String(Math.random()) };",
        "threw",
    ),
    (
        "asks for the locale",
        "export default { page: () => (1234.5).toLocaleString() };",
        "threw",
    ),
];

#[test]
fn whatever_a_section_does_its_document_goes_out_and_others_are_rendered() {
    for (what, module, cause) in ATTACKS {
        let gateway = rendering_gateway(SETTINGS, module);
        for _ in 0..2 {
            let answer = gateway.get("/attack/x");
            assert_eq!(answer.status, 200, "{what}");
            assert!(!is_rendered(&answer), "{what}: {}", answer.text());
            assert_eq!(answer.boot().get("view"), None, "{what}");
            assert_eq!(answer.boot()["page"]["section"]["name"], "attack", "{what}");
            let sound = gateway.get("/sound/x");
            assert!(is_rendered(&sound), "{what}: {}", sound.text());
        }
        let failed = gateway.wait_for(|line| line["event"] == "render_failed");
        assert_eq!(
            (&failed["release"], &failed["cause"]),
            (&json!("attack@1.0.0"), &json!(cause)),
            "{what}"
        );
    }
}

#[test]
fn what_the_engine_cannot_interrupt_is_killed_at_the_deadline() {
    const NATIVE: &str =
        "export default { page: () => Array.prototype.indexOf.call({ length: 2 ** 40 }, 99) };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ncpu_ms = 60000\ndeadline_ms = 500\nfailures = 1000\n",
        NATIVE,
    );
    assert!(!is_rendered(&gateway.get("/attack/x")));
    gateway.wait_for(|line| line["event"] == "render_worker_replaced");
    // The only worker there is has been replaced.
    assert!(until_rendered(&gateway, "/sound/x"));
}

/// Asks until a page is rendered; every question is answered.
fn until_rendered(gateway: &Gateway, path: &str) -> bool {
    (0..1000).any(|number| is_rendered(&gateway.get(&format!("{path}{number}"))))
}

#[test]
fn a_section_cannot_poison_what_others_render_with() {
    const POISON: &str = "
        Array.prototype.map = String.prototype.includes = JSON.stringify = () => { throw new Error('poisoned'); };
        globalThis.Promise = null;
        export default { page: () => 'poisoned' };";
    let gateway = rendering_gateway("[render]\nworkers = 1\nfailures = 1000\n", POISON);
    for number in 0..5 {
        gateway.get(&format!("/attack/{number}"));
        let sound = gateway.get(&format!("/sound/{number}"));
        assert!(
            sound.text().contains(&format!("<p>page /sound/{number}</p>")),
            "{}",
            sound.text()
        );
    }
}

#[test]
fn a_section_sees_no_environment_and_no_other_section() {
    const CURIOUS: &str = "export default { page: async () => {
        const names = ['process', 'require', 'std', 'os', 'scriptArgs', 'fetch', 'WebAssembly', 'Worker', '__parseUrl'];
        const there = names.filter((name) => typeof globalThis[name] !== 'undefined' && name !== 'fetch');
        const tried = await Promise.all(['sound', 'shell', 'os', 'std', 'file:///etc/passwd', './index.js'].map((name) =>
            import(name).then(() => name, () => '')));
        return `<p>${there.join()}|${tried.join('')}</p>`;
    } };";
    let gateway = rendering_gateway("", CURIOUS);
    let html = gateway.get("/attack/x").text();
    assert!(html.contains("<div id=\"root\"><p>|</p></div>"), "{html}");
}

#[test]
fn a_section_that_fails_again_and_again_is_left_alone_for_a_while() {
    let gateway = rendering_gateway(
        "[render]\nfailures = 3\nrest_seconds = 3600\n",
        "export default { page: () => { throw new Error('x'); } };",
    );
    for number in 0..4 {
        assert!(!is_rendered(&gateway.get(&format!("/attack/{number}"))));
    }
    let resting = gateway.wait_for(|line| line["event"] == "render_failed" && line["rests"] == true);
    assert_eq!(resting["count"], 3);
    assert!(is_rendered(&gateway.get("/sound/x")));
    let again = gateway.get("/attack/5");
    assert_eq!((again.status, is_rendered(&again)), (200, false));
}

/// The render workers of a gateway.
fn workers(gateway: &Gateway) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", gateway.pid())).unwrap();
    let children =
        tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).ok());
    let children: String = children.collect();
    children
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// A line of `/proc/<pid>/status`.
fn status(pid: u32, key: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.unwrap().trim_start_matches(':').trim().to_owned()
}

fn resident_kib(pid: u32) -> u64 {
    status(pid, "VmRSS").trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn workers_have_no_environment_no_files_and_no_rights() {
    let gateway = rendering_gateway("[render]\nworkers = 2\n", "export default { page: () => 'x' };");
    assert!(is_rendered(&gateway.get("/attack/x")));
    until("both have started", || workers(&gateway).len() == 2);
    for worker in workers(&gateway) {
        let read = |file: &str| std::fs::read(format!("/proc/{worker}/{file}")).unwrap();
        until("it has given up its rights", || status(worker, "Seccomp") == "2");
        assert_eq!(status(worker, "NoNewPrivs"), "1");
        assert!(read("environ").is_empty());
        let files = std::fs::read_dir(format!("/proc/{worker}/fd")).unwrap();
        let files: Vec<_> = files
            .map(|file| std::fs::read_link(file.unwrap().path()).unwrap())
            .collect();
        // What the gateway was started with open, and nothing it opened itself.
        for file in files.iter().map(|file| file.to_string_lossy()) {
            assert!(file.starts_with("pipe:") || file == "/dev/null", "{files:?}");
        }
        let limits = String::from_utf8(read("limits")).unwrap();
        assert!(limits.contains("Max file size             0"), "{limits}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_given_back_after_attacks_and_workers_are_no_more_than_before() {
    const BOMB: &str =
        "export default { page: () => { const kept = []; for (;;) kept.push(new Array(1000).fill(1.5)); } };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 2\nmemory_mib = 64\nfailures = 1000\ncpu_ms = 5000\ndeadline_ms = 20000\n",
        BOMB,
    );
    assert!(is_rendered(&gateway.get("/sound/before")));
    let attack = |numbers: std::ops::Range<u32>| {
        for number in numbers {
            assert!(!is_rendered(&gateway.get(&format!("/attack/{number}"))));
            assert!(is_rendered(&gateway.get(&format!("/sound/{number}"))));
        }
    };
    attack(0..10);
    let before = resident_kib(gateway.pid());
    attack(10..20);
    assert_eq!(gateway.count("colonnade_render_workers_replaced_total"), 20);
    until("two workers are there", || workers(&gateway).len() == 2);
    let after = resident_kib(gateway.pid());
    assert!(
        after < before + 24 * 1024,
        "{before} KiB before, {after} KiB after"
    );
    for worker in workers(&gateway) {
        assert!(resident_kib(worker) < 64 * 1024, "{} KiB", resident_kib(worker));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_died_is_replaced_before_anybody_notices() {
    let gateway = rendering_gateway("[render]\nworkers = 1\n", "export default { page: () => 'x' };");
    for number in 0..5 {
        let (worker, _) = idle_worker(&gateway);
        kill(worker);
        until("it is gone", || is_gone(worker));
        let answer = gateway.get(&format!("/sound/{number}"));
        assert!(is_rendered(&answer), "{}", gateway.output());
    }
    assert_eq!(renders(&gateway, "sound", "crashed"), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_dies_in_the_middle_costs_one_page_its_html() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ncpu_ms = 60000\ndeadline_ms = 60000\nfailures = 1000\n",
        "export default { page: () => { for (;;); } };",
    );
    let (worker, idle) = idle_worker(&gateway);
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| gateway.get("/attack/x"));
        until("it loops", || ticks(worker) > idle + 3);
        kill(worker);
        asking.join().unwrap()
    });
    assert_eq!((answer.status, is_rendered(&answer)), (200, false));
    assert_eq!(renders(&gateway, "attack", "crashed"), 1);
    assert!(is_rendered(&gateway.get("/sound/x")));
}

/// The CPU time that a process has taken, in ticks of a hundredth of a second.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap().split(' ');
    fields
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum()
}

/// The only worker, once it waits for orders, and the CPU time it has taken until then.
fn idle_worker(gateway: &Gateway) -> (u32, u64) {
    until("the worker is there", || workers(gateway).len() == 1);
    let worker = workers(gateway)[0];
    until("it waits", || status(worker, "Seccomp") == "2");
    (worker, ticks(worker))
}

/// Whether a process has ended, all of its threads, though its parent may not know yet.
fn is_gone(pid: u32) -> bool {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return true;
    };
    let status = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.ok()?.path().join("status")).ok()
    };
    tasks
        .filter_map(status)
        .all(|status| status.contains("State:\tZ"))
}

fn kill(pid: u32) {
    let _ = std::process::Command::new("kill")
        .args(["-KILL", &pid.to_string()])
        .output();
}

#[test]
#[cfg(target_os = "linux")]
fn workers_end_with_the_gateway_also_in_a_loop() {
    let mut gateway = rendering_gateway(
        "[render]\nworkers = 1\ncpu_ms = 600000\ndeadline_ms = 600000\n",
        "export default { page: () => Array.prototype.indexOf.call({ length: 2 ** 40 }, 99) };",
    );
    let (worker, idle) = idle_worker(&gateway);
    let mut asking = gateway.site.connect();
    asking
        .write_all(b"GET /attack/x HTTP/1.1\r\nhost: site.example\r\n\r\n")
        .unwrap();
    until("it loops", || ticks(worker) > idle + 3);
    gateway.kill();
    until("it is gone", || is_gone(worker));
}

#[test]
fn what_the_queue_has_no_room_for_is_left_to_the_browser() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nqueue = 1\ncpu_ms = 60000\ndeadline_ms = 1500\nfailures = 1000\n",
        "export default { page: () => { for (;;); } };",
    );
    until("the queue was full", || {
        std::thread::scope(|scope| {
            for number in 0..4 {
                let gateway = &gateway;
                scope.spawn(move || {
                    let answer = gateway.get(&format!("/attack/{number}"));
                    assert_eq!((answer.status, is_rendered(&answer)), (200, false));
                });
            }
        });
        renders(&gateway, "attack", "busy") > 0
    });
    assert!(until_rendered(&gateway, "/sound/x"));
}

#[test]
fn what_a_section_says_when_it_throws_is_not_logged() {
    let gateway = rendering_gateway(
        "",
        "export default { page: (path) => { console.log(path); throw new Error('marked ' + path); } };",
    );
    gateway.get("/attack/personal");
    gateway.wait_for(|line| line["event"] == "render_failed");
    let output = gateway.output();
    assert!(
        !output.contains("marked") && !output.contains("personal"),
        "{output}"
    );
}

#[test]
fn a_section_that_is_slow_puts_no_other_to_rest() {
    // Each takes a good part of the deadline, so that those behind it wait for longer than that.
    const SLOW: &str = "export default { page: () => { let n = 0; for (let i = 0; i < 3e6; i++) n += i; return `<p>${n}</p>`; } };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ndeadline_ms = 300\ncpu_ms = 60000\nfailures = 2\nrest_seconds = 3600\n",
        SLOW,
    );
    std::thread::scope(|scope| {
        for number in 0..24 {
            let gateway = &gateway;
            let section = if number % 3 == 0 { "sound" } else { "attack" };
            scope.spawn(move || assert_eq!(gateway.get(&format!("/{section}/{number}")).status, 200));
        }
    });
    assert!(until_rendered(&gateway, "/sound/x"));
    for cause in ["crashed", "time", "resting"] {
        assert_eq!(renders(&gateway, "sound", cause), 0, "{cause}");
    }
}
