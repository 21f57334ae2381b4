//! Render workers are processes without rights, replaced when they die or cannot be interrupted, and never more than
//! was asked for.

use std::io::Write as _;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{
    Gateway, attack_rendering, is_rendered, least_growth_kib, rendering_gateway, renders, resident_kib,
    status, until, until_rendered,
};

#[test]
#[cfg(target_os = "linux")]
fn what_the_engine_cannot_interrupt_is_killed_when_it_has_used_up_its_time() {
    const NATIVE: &str =
        "export default { page: () => Array.prototype.indexOf.call({ length: 2 ** 40 }, 99) };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ncpu_ms = 500\ndeadline_ms = 100\nfailures = 1\nrest_seconds = 3600\n",
        NATIVE,
    );
    assert!(!is_rendered(&gateway.get("/attack/x")));
    gateway.wait_for(|line| line["event"] == "render_worker_replaced");
    let failed = gateway.wait_for(|line| line["event"] == "render_failed" && line["cause"] == "time");
    assert_eq!(failed["rests"], true);
    // The only worker there is has been replaced.
    assert!(until_rendered(&gateway, "/sound/x"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_gets_no_time_is_let_be_and_no_section_is_blamed() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ndeadline_ms = 300\nfailures = 1\nrest_seconds = 3600\n",
        "export default { page: () => 'x' };",
    );
    let (worker, _) = idle_worker(&gateway);
    stop(worker);
    assert!(!is_rendered(&gateway.get("/sound/x")));
    signal(worker, "CONT");
    until("it is rendered after all", || {
        is_rendered(&gateway.get("/sound/x"))
    });
    assert_eq!(workers(&gateway), [worker]);
    assert_eq!(gateway.count("colonnade_render_workers_replaced_total"), 0);
    for cause in ["time", "silent", "crashed", "resting"] {
        assert_eq!(renders(&gateway, "sound", cause), 0, "{cause}");
    }
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
    for (what, attack) in [
        (
            "a bomb",
            "const kept = []; for (;;) kept.push(new Array(1000).fill(1.5));",
        ),
        ("a page that is too long", "return 'x'.repeat(2_000_000);"),
        ("an error", "throw new Error('x'.repeat(1_000_000));"),
    ] {
        let gateway = rendering_gateway(
            "[render]\nworkers = 2\nmemory_mib = 16\nfailures = 1000\ncpu_ms = 5000\ndeadline_ms = 20000\n",
            &format!("export default {{ page: () => {{ {attack} }} }};"),
        );
        assert!(is_rendered(&gateway.get("/sound/before")));
        let round = |numbers: std::ops::Range<u32>| {
            for number in numbers {
                assert!(!is_rendered(&gateway.get(&format!("/attack/{number}"))));
                assert!(is_rendered(&gateway.get(&format!("/sound/{number}"))));
            }
        };
        round(0..5);
        let grown = least_growth_kib(gateway.pid(), |number| {
            let from = 5 + 10 * u32::try_from(number).unwrap();
            round(from..from + 10);
        });
        // Ten attacks, each of a megabyte or more.
        assert!(grown < 2 * 1024, "{what}: {grown} KiB");
        until("two workers are there", || workers(&gateway).len() == 2);
        for worker in workers(&gateway) {
            let kib = resident_kib(worker);
            assert!(kib < 48 * 1024, "{what}: a worker has {kib} KiB");
        }
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
        "[render]\nworkers = 1\nqueue = 1\ncpu_ms = 1000\ndeadline_ms = 1500\nfailures = 1000\n",
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
fn one_client_that_asks_for_page_after_page_takes_no_render_from_others() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nqueue = 8\ndeadline_ms = 20000\ncpu_ms = 5000\nfailures = 1000\n",
        "export default { page: (path) => { let n = 0; while (n < 100000) n++; return path; } };",
    );
    let [greedy, other] = [11, 12].map(|last| {
        let address = std::net::Ipv4Addr::new(127, 0, 0, last);
        gateway.site.coming_from(address)
    });
    let over = AtomicBool::new(false);
    let flood = |thread: u32| {
        for number in 0.. {
            if over.load(Ordering::Relaxed) {
                return;
            }
            greedy.get(&format!("/attack/{thread}-{number}"));
        }
    };
    let pages = attack_rendering(&gateway, || {
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let flood = &flood;
                scope.spawn(move || flood(thread));
            }
            until("there are too many", || {
                ["client_busy", "busy"].map(|outcome| renders(&gateway, "attack", outcome)) != [0, 0]
            });
            let pages: Vec<bool> = (0..30)
                .map(|number| is_rendered(&other.get(&format!("/sound/{number}"))))
                .collect();
            over.store(true, Ordering::Relaxed);
            pages
        })
    });
    assert_eq!(pages, [true; 30]);
}

#[test]
fn who_asks_with_a_client_that_is_refused_is_not_refused_with_it() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nqueue = 8\ndeadline_ms = 20000\ncpu_ms = 5000\nfailures = 1000\n",
        "export default { page: (path) => { let n = 0; while (n < 100000) n++; return path; } };",
    );
    let [greedy, visitor] = [11, 99].map(|last| {
        let address = std::net::Ipv4Addr::new(127, 0, 0, last);
        gateway.site.coming_from(address)
    });
    let over = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        for thread in 0..8 {
            let over = &over;
            scope.spawn(move || {
                for number in 0.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    greedy.get(&format!("/attack/{thread}-{number}"));
                }
            });
        }
        let outcomes: Vec<[bool; 2]> = (0..60)
            .map(|number| {
                let path = &format!("/sound/{number}");
                let together = Barrier::new(2);
                std::thread::scope(|scope| {
                    let asking = scope.spawn(|| {
                        together.wait();
                        is_rendered(&greedy.get(path))
                    });
                    together.wait();
                    let page = is_rendered(&visitor.get(path));
                    [page, asking.join().unwrap()]
                })
            })
            .collect();
        over.store(true, Ordering::Relaxed);
        outcomes
    });
    assert!(outcomes.iter().all(|[visitors, _]| *visitors), "{outcomes:?}");
    let refused = outcomes.iter().filter(|[_, other]| !other).count();
    assert!(
        refused > 0,
        "the other one was never refused together with the visitor"
    );
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
    // Until it has rendered, the only one may be the one that tried the release.
    assert!(until_rendered(gateway, "/sound/first"));
    until("no other is there", || workers(gateway).len() == 1);
    let worker = workers(gateway)[0];
    until("it waits", || status(worker, "Seccomp") == "2");
    (worker, ticks(worker))
}

/// Whether a process has ended, all of its threads, though its parent may not know yet.
fn is_gone(pid: u32) -> bool {
    is_all(pid, 'Z')
}

/// Whether all threads that a process still has are in this state (`proc_pid_status(5)`).
fn is_all(pid: u32, state: char) -> bool {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return true;
    };
    let status = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.ok()?.path().join("status")).ok()
    };
    let state = format!("State:\t{state}");
    tasks.filter_map(status).all(|status| status.contains(&state))
}

/// Stops a process: one of its threads hears of it first, and the others go on until that one has told them.
fn stop(pid: u32) {
    signal(pid, "STOP");
    until("all of it has stopped", || is_all(pid, 'T'));
}

fn kill(pid: u32) {
    signal(pid, "KILL");
}

fn signal(pid: u32, name: &str) {
    let _ = std::process::Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .output();
}
