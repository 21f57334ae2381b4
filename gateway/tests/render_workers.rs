//! Render workers: unprivileged processes, replaced when they die or do not stop, limited in number.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::support::workers::{has_exited, idle_worker, kill, signal, stop, ticks, workers};
use crate::support::{
    Gateway, HEALTHY_MODULE, Heap, Request, SetOnDrop, Setup, attack_rendering, is_rendered, min_growth_kib,
    render_count, rendered_section, rendering_gateway, resident_kib, status, wait_until, wait_until_rendered,
    with_rendering_site,
};

#[test]
#[cfg(target_os = "linux")]
fn uninterruptible_render_is_killed_at_cpu_limit() {
    const NATIVE: &str =
        "export default { page: () => Array.prototype.indexOf.call({ length: 2 ** 40 }, 99) };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ncpu_limit_ms = 500\ndeadline_ms = 100\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 3600\n",
        NATIVE,
    );
    assert!(!is_rendered(&gateway.get("/attack/x")));
    gateway.wait_for_event(|line| line["event"] == "render_worker_restarted");
    let failed =
        gateway.wait_for_event(|line| line["event"] == "render_failed" && line["cause"] == "cpu_limit");
    assert_eq!(failed["circuit_open"], true);
    // The only worker has been replaced.
    assert!(wait_until_rendered(&gateway, "/healthy/x"));
}

#[test]
#[cfg(target_os = "linux")]
fn stopped_worker_is_kept_and_blames_no_section() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ndeadline_ms = 300\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 3600\n",
        "export default { page: () => 'x' };",
    );
    let (worker, _) = idle_worker(&gateway);
    stop(worker);
    assert!(!is_rendered(&gateway.get("/healthy/x")));
    signal(worker, "CONT");
    wait_until("the page is rendered", || is_rendered(&gateway.get("/healthy/x")));
    assert_eq!(workers(&gateway), [worker]);
    assert_eq!(gateway.metric("colonnade_render_worker_restarts_total"), 0);
    for cause in [
        "cpu_limit",
        "worker_unresponsive",
        "worker_crashed",
        "circuit_open",
    ] {
        assert_eq!(render_count(&gateway, "healthy", cause), 0, "{cause}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn worker_has_no_environment_files_or_privileges() {
    let gateway = rendering_gateway("[render]\nworkers = 2\n", "export default { page: () => 'x' };");
    assert!(is_rendered(&gateway.get("/attack/x")));
    wait_until("both workers have started", || workers(&gateway).len() == 2);
    for worker in workers(&gateway) {
        let read = |file: &str| std::fs::read(format!("/proc/{worker}/{file}")).unwrap();
        wait_until("the worker has dropped its privileges", || {
            status(worker, "Seccomp") == "2"
        });
        assert_eq!(status(worker, "NoNewPrivs"), "1");
        assert!(read("environ").is_empty());
        let files = std::fs::read_dir(format!("/proc/{worker}/fd")).unwrap();
        let files: Vec<_> = files
            .map(|file| std::fs::read_link(file.unwrap().path()).unwrap())
            .collect();
        // Only files that the gateway inherited, none that it opened itself.
        for file in files.iter().map(|file| file.to_string_lossy()) {
            assert!(file.starts_with("pipe:") || file == "/dev/null", "{files:?}");
        }
        let limits = String::from_utf8(read("limits")).unwrap();
        assert!(limits.contains("Max file size             0"), "{limits}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_freed_after_failed_renders() {
    for (what, attack) in [
        (
            "memory exhaustion",
            "const list = []; for (;;) list.push(new Array(1000).fill(1.5));",
        ),
        ("an oversized page", "return 'x'.repeat(2_000_000);"),
        ("an exception", "throw new Error('x'.repeat(1_000_000));"),
    ] {
        let heap = Heap::new();
        let [preload, count] = heap.variables();
        let gateway = Gateway::start_with(
            "[render]\nworkers = 2\nmemory_limit_mib = 16\nbreaker_failure_threshold = 1000\ncpu_limit_ms = 5000\ndeadline_ms = 20000\n",
            &[(preload.0, &preload.1), (count.0, &count.1)],
        );
        let module = format!("export default {{ page: () => {{ {attack} }} }};");
        let gateway = with_rendering_site(gateway, &module);
        assert!(is_rendered(&gateway.get("/healthy/before")));
        let round = |numbers: std::ops::Range<u32>| {
            for number in numbers {
                assert!(!is_rendered(&gateway.get(&format!("/attack/{number}"))));
                assert!(is_rendered(&gateway.get(&format!("/healthy/{number}"))));
            }
        };
        round(0..3);
        let grown = min_growth_kib(
            || heap.kib(),
            |number| {
                let from = 3 + 3 * u32::try_from(number).unwrap();
                round(from..from + 3);
            },
        );
        // Each of the three attacks per round allocates at least a megabyte.
        assert!(grown < 2 * 1024, "{what}: {grown} KiB");
        wait_until("there are two workers", || workers(&gateway).len() == 2);
        for worker in workers(&gateway) {
            let kib = resident_kib(worker);
            assert!(kib < 48 * 1024, "{what}: a worker uses {kib} KiB");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn idle_dead_worker_is_replaced_before_next_render() {
    let gateway = rendering_gateway("[render]\nworkers = 1\n", "export default { page: () => 'x' };");
    for number in 0..5 {
        let (worker, _) = idle_worker(&gateway);
        kill(worker);
        wait_until("the worker has exited", || has_exited(worker));
        let response = gateway.get(&format!("/healthy/{number}"));
        assert!(is_rendered(&response), "{}", gateway.output());
    }
    assert_eq!(render_count(&gateway, "healthy", "worker_crashed"), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn worker_death_during_render_costs_one_page_its_html() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ncpu_limit_ms = 60000\ndeadline_ms = 60000\nbreaker_failure_threshold = 1000\n",
        "export default { page: () => { for (;;); } };",
    );
    let (worker, idle) = idle_worker(&gateway);
    let response = std::thread::scope(|scope| {
        let request = scope.spawn(|| gateway.get("/attack/x"));
        wait_until("the render loops", || ticks(worker) > idle + 3);
        kill(worker);
        request.join().unwrap()
    });
    assert_eq!((response.status, is_rendered(&response)), (200, false));
    assert_eq!(render_count(&gateway, "attack", "worker_crashed"), 1);
    assert!(is_rendered(&gateway.get("/healthy/x")));
}

#[test]
#[cfg(target_os = "linux")]
fn looping_worker_exits_with_gateway() {
    let mut gateway = rendering_gateway(
        "[render]\nworkers = 1\ncpu_limit_ms = 600000\ndeadline_ms = 600000\n",
        "export default { page: () => Array.prototype.indexOf.call({ length: 2 ** 40 }, 99) };",
    );
    let (worker, idle) = idle_worker(&gateway);
    let mut connection = gateway.site.connect();
    connection
        .write_all(b"GET /attack/x HTTP/1.1\r\nhost: site.example\r\n\r\n")
        .unwrap();
    wait_until("the render loops", || ticks(worker) > idle + 3);
    gateway.kill();
    wait_until("the worker has exited", || has_exited(worker));
}

/// Threads that start while system calls are denied would end the process, but only now and then.
#[test]
fn worker_starts_each_time() {
    for _ in 0..200 {
        let mut worker = Command::new(env!("CARGO_BIN_EXE_gateway"));
        worker.args(["render-worker", "67108864"]).stdin(Stdio::null());
        let output = worker.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn full_queue_falls_back_to_client_rendering() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nmax_queue_length = 1\ncpu_limit_ms = 300\ndeadline_ms = 1500\nbreaker_failure_threshold = 1000\n",
        "export default { page: () => { for (;;); } };",
    );
    wait_until("the queue was full", || {
        std::thread::scope(|scope| {
            for number in 0..4 {
                let gateway = &gateway;
                scope.spawn(move || {
                    let response = gateway.get(&format!("/attack/{number}"));
                    assert_eq!((response.status, is_rendered(&response)), (200, false));
                });
            }
        });
        render_count(&gateway, "attack", "queue_full") > 0
    });
    assert!(wait_until_rendered(&gateway, "/healthy/x"));
}

#[test]
fn render_flood_of_one_client_starves_no_other() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nmax_queue_length = 8\ndeadline_ms = 20000\ncpu_limit_ms = 5000\nbreaker_failure_threshold = 1000\n",
        "export default { page: (path) => { let n = 0; while (n < 100000) n++; return path; } };",
    );
    let [flooding, other] = [11, 12].map(|last| {
        let address = std::net::Ipv4Addr::new(127, 0, 0, last);
        gateway.site.with_source_ip(address)
    });
    let done = AtomicBool::new(false);
    let flood = |thread: u32| {
        for number in 0.. {
            if done.load(Ordering::Relaxed) {
                return;
            }
            flooding.get(&format!("/attack/{thread}-{number}"));
        }
    };
    let pages = attack_rendering(&gateway, || {
        std::thread::scope(|scope| {
            let _stop = SetOnDrop(&done);
            for thread in 0..16 {
                let flood = &flood;
                scope.spawn(move || flood(thread));
            }
            wait_until("renders of the flood are rejected", || {
                render_count(&gateway, "attack", "queue_full") > 0
            });
            (0..15)
                .map(|number| is_rendered(&other.get(&format!("/healthy/{number}"))))
                .collect::<Vec<_>>()
        })
    });
    assert_eq!(pages, [true; 15]);
}

/// Deploys version 1.1.0 of a section of [`rendering_gateway`] with these listed paths.
fn deploy_with_paths(gateway: &Gateway, section: &str, module: &str, paths: &[&str]) {
    let release = rendered_section(section, "1.1.0", &format!("/{section}/:x"), module);
    gateway.publish(&release.with_paths(paths));
    gateway.deploy(&json!({ section: "1.1.0" }));
}

/// Clients take turns with requests until renders of a section are rejected. Meanwhile a visitor reads listed pages, and each
/// must be rendered. `request` returns a request of a client by the numbers of both.
fn fill_render_queue(gateway: &Gateway, section: &str, request: impl Fn(u8, u32) -> Request + Sync) {
    // The visitor reads only these pages.
    let visits = (0..1000).map(|number| format!("/healthy/visit-{number}"));
    let paths: Vec<_> = visits.chain(["/healthy/home".to_owned()]).collect();
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    deploy_with_paths(gateway, "healthy", HEALTHY_MODULE, &paths);
    attack_rendering(gateway, || {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let client = gateway
                    .site
                    .with_source_ip(std::net::Ipv4Addr::new(127, 0, 6, thread));
                let (done, request) = (&done, &request);
                scope.spawn(move || {
                    let mut numbers = 0..;
                    while !done.load(Ordering::Relaxed) {
                        client.send(request(thread, numbers.next().unwrap_or(0)));
                    }
                });
            }
            let _stop = SetOnDrop(&done);
            wait_until("renders of the clients are rejected", || {
                render_count(gateway, section, "queue_full") >= 50
            });
        });
    });
}

#[test]
fn unlisted_paths_of_many_clients_leave_listed_pages_rendered() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nmax_queue_length = 8\nwarm_cache = false\ndeadline_ms = 20000\ncpu_limit_ms = 5000\n",
        "export default { page: (path) => { let n = 0; while (n < 100000) n++; return path; } };",
    );
    fill_render_queue(&gateway, "attack", |client, number| {
        Request::new("GET", &format!("/attack/{client}-{number}"))
    });
}

#[test]
fn form_results_of_many_clients_leave_listed_pages_rendered() {
    let settings = "[render]\nworkers = 1\nmax_queue_length = 8\nwarm_cache = false\ndeadline_ms = 20000\ncpu_limit_ms = 5000\n\
         [signup]\nbackend = \"http://127.0.0.1:9\"\nbackend_api_key = { env = \"KEY\" }\naffiliate_subid = \"tag\"\n\
         rate_limit_per_minute = 1000000\nrate_limit_per_client_per_minute = 1000000\n";
    let gateway = Gateway::start_with(settings, &[("KEY", "the-key")]);
    let gateway = with_rendering_site(gateway, HEALTHY_MODULE);
    gateway.publish(&rendered_section("signup", "1.0.0", "/signup", HEALTHY_MODULE));
    gateway.deploy(&json!({ "signup": "1.0.0" }));
    // A form without fields is rejected, and its page rendered with the error.
    fill_render_queue(&gateway, "signup", |_, _| {
        Request::new("POST", "/functions/v1/signup")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body("")
    });
}

#[test]
fn failures_of_unlisted_paths_open_no_circuit_of_listed_ones() {
    const MODULE: &str = "export default { page: (path) => { if (path.includes('bad')) throw new Error(path); return path; } };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nwarm_cache = false\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 3600\n",
        MODULE,
    );
    // A deploy renders the first path.
    deploy_with_paths(&gateway, "attack", MODULE, &["/attack/first", "/attack/second"]);
    attack_rendering(&gateway, || {
        for path in ["/attack/bad-1", "/attack/bad-2"] {
            assert!(!is_rendered(&gateway.get(path)));
        }
        assert_eq!(render_count(&gateway, "attack", "circuit_open"), 1);
        assert!(is_rendered(&gateway.get("/attack/second")));
    });
}

#[test]
fn repeated_failures_are_logged_at_a_limited_rate() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nwarm_cache = false\nbreaker_failure_threshold = 1000\n",
        "export default { page: (path) => { if (path.includes('bad')) throw new Error(path); return path; } };",
    );
    let attacked = || {
        for number in 0..300 {
            assert!(!is_rendered(&gateway.get(&format!("/attack/bad-{number}"))));
        }
    };
    attack_rendering(&gateway, attacked);
    let failed = gateway.wait_for_event(|line| line["event"] == "render_failed");
    assert_eq!(
        (&failed["release"], &failed["cause"]),
        (&json!("attack@1.0.0"), &json!("exception"))
    );
    let output = gateway.output();
    let logged = output
        .lines()
        .filter(|line| line.contains("\"render_failed\""))
        .count();
    let suppressed = gateway.metric("colonnade_log_events_suppressed_total{event=\"render_failed\"}");
    assert!((60..200).contains(&logged), "{logged}");
    assert!(suppressed >= 100, "{suppressed}");
}

#[test]
fn coalesced_render_survives_rejection_of_other_client() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nmax_queue_length = 8\ndeadline_ms = 20000\ncpu_limit_ms = 5000\nbreaker_failure_threshold = 1000\n",
        "export default { page: (path) => { let n = 0; while (n < 100000) n++; return path; } };",
    );
    let [flooding, visitor] = [11, 99].map(|last| {
        let address = std::net::Ipv4Addr::new(127, 0, 0, last);
        gateway.site.with_source_ip(address)
    });
    let done = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        for thread in 0..8 {
            let done = &done;
            scope.spawn(move || {
                for number in 0.. {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    flooding.get(&format!("/attack/{thread}-{number}"));
                }
            });
        }
        let visit = |number: usize| {
            let path = &format!("/healthy/{number}");
            let barrier = Barrier::new(2);
            std::thread::scope(|scope| {
                let request = scope.spawn(|| {
                    barrier.wait();
                    is_rendered(&flooding.get(path))
                });
                barrier.wait();
                let page = is_rendered(&visitor.get(path));
                [page, request.join().unwrap()]
            })
        };
        let mut outcomes: Vec<[bool; 2]> = Vec::new();
        let was_rejected = |[_, other]: &[bool; 2]| !other;
        while outcomes.len() < 20 || (outcomes.len() < 200 && !outcomes.iter().any(was_rejected)) {
            outcomes.push(visit(outcomes.len()));
        }
        done.store(true, Ordering::Relaxed);
        outcomes
    });
    assert!(outcomes.iter().all(|[visitor, _]| *visitor), "{outcomes:?}");
    let rejected = outcomes.iter().filter(|[_, other]| !other).count();
    assert!(
        rejected > 0,
        "the flooding client was never rejected while it shared a render with the visitor"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn native_functions_use_bounded_memory() {
    for (what, page) in [
        ("parse", "String(new URLSearchParams('a=b&'.repeat(4e6)).size)"),
        (
            "serialize",
            "String(new URLSearchParams(Array(1e5).fill(['k', 'v'.repeat(1e4)])))",
        ),
        ("url", "new URL('https://a.example/' + '?'.repeat(1e7)).href"),
        (
            "set",
            "{ const url = new URL('https://a.example'); url.hash = 'x'.repeat(1e7); return url.hash; }",
        ),
    ] {
        let body = if page.starts_with('{') {
            page.to_owned()
        } else {
            format!("{{ return {page}; }}")
        };
        let gateway = rendering_gateway(
            "[render]\nworkers = 1\nmemory_limit_mib = 64\ncpu_limit_ms = 10000\ndeadline_ms = 10000\n",
            &format!("export default {{ page: () => {body} }};"),
        );
        let (worker, _) = idle_worker(&gateway);
        assert!(!is_rendered(&gateway.get("/attack/x")), "{what}");
        let failed = gateway.wait_for_event(|line| line["event"] == "render_failed");
        assert_eq!(failed["cause"], "exception", "{what}");
        let most: u64 = status(worker, "VmHWM").trim_end_matches(" kB").parse().unwrap();
        assert!(most < 160 * 1024, "{what}: {most} KiB");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_limit_of_worker_follows_its_setting() {
    let limit = |memory_limit_mib: u64| {
        let settings = format!("[render]\nworkers = 1\nmemory_limit_mib = {memory_limit_mib}\n");
        let gateway = rendering_gateway(&settings, "export default { page: () => 'x' };");
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", idle_worker(&gateway).0)).unwrap();
        let line = limits.lines().find_map(|line| line.strip_prefix("Max data size"));
        line.unwrap()
            .split_whitespace()
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let (low, high) = (limit(32), limit(64));
    assert_eq!(high - low, 32 * 1024 * 1024);
    assert!(high <= 256 * 1024 * 1024, "{high}");
}

#[test]
#[cfg(target_os = "linux")]
fn workers_start_if_the_gateway_has_a_lower_priority() {
    with_rendering_site(
        Gateway::set_up(Setup {
            extra: "[render]\nworkers = 1\n",
            wrapper: &format!("nice -n 10 {}", without_privileges()),
            ..Setup::default()
        }),
        "export default { page: () => 'x' };",
    );
}

/// What starts a program without the privileges of this process.
#[cfg(target_os = "linux")]
fn without_privileges() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "setpriv --bounding-set=-all --inh-caps=-all"
    } else {
        ""
    }
}

#[test]
#[cfg(target_os = "linux")]
fn other_processes_of_the_user_cannot_read_memory() {
    // A privileged process can read any memory, so neither side has privileges.
    let unprivileged = without_privileges();
    let gateway = with_rendering_site(
        Gateway::set_up(Setup {
            extra: "[render]\nworkers = 1\n",
            wrapper: unprivileged,
            ..Setup::default()
        }),
        "export default { page: () => 'x' };",
    );
    let (worker, _) = idle_worker(&gateway);
    let run = |command: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec {unprivileged} {command}")]);
        shell
    };
    let can_read = |pid: u32| {
        run(&format!("head -c 1 /proc/{pid}/maps"))
            .output()
            .unwrap()
            .status
            .success()
    };
    let mut other = run("sleep 60").spawn().unwrap();
    wait_until("an ordinary process can be read", || can_read(other.id()));
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(!can_read(gateway.pid()) && !can_read(worker));
}
