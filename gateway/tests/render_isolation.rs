//! Isolation of renders: a failing render affects only the HTML of its own page.

use serde_json::json;

use crate::support::{
    Gateway, HEALTHY_MODULE, attack_rendering, is_rendered, render_count, rendered_section,
    rendering_gateway, wait_until, wait_until_rendered,
};

/// Short limits. Only modules that exhaust the CPU limit get a short one, so that all others fail by themselves on a slow
/// machine.
fn settings(cpu_limit_ms: u32) -> String {
    format!(
        "[render]\nworkers = 2\ncpu_limit_ms = {cpu_limit_ms}\ndeadline_ms = 10000\nmemory_limit_mib = 16\nbreaker_failure_threshold = 1000\n"
    )
}

/// Name, module and logged cause of each attack.
const ATTACKS: &[(&str, &str, &str)] = &[
    (
        "throws",
        "export default { page: () => { throw new Error('x'); } };",
        "exception",
    ),
    ("throws on import", "throw new Error('x');", "exception"),
    ("is not JavaScript", "export default {", "exception"),
    ("exports nothing", "export {};", "exception"),
    (
        "returns no string",
        "export default { page: () => ({}) };",
        "exception",
    ),
    (
        "never settles",
        "export default { page: () => new Promise(() => {}) };",
        "exception",
    ),
    (
        "loops",
        "export default { page: () => { for (;;); } };",
        "cpu_limit",
    ),
    (
        "loops and catches",
        "export default { page: () => { for (;;) { try { for (;;); } catch {} finally { continue; } } } };",
        "cpu_limit",
    ),
    (
        "loops in promises",
        "export default { page: async () => { for (;;) await 0; } };",
        "cpu_limit",
    ),
    (
        "exhausts memory",
        "export default { page: () => { const list = []; for (;;) list.push(new Array(1000).fill(1.5)); } };",
        "memory_limit",
    ),
    (
        "recurses",
        "export default { page: () => { const f = (n) => f(n + 1) + 1; return f(0); } };",
        "exception",
    ),
    (
        "recurses in native code",
        "export default { page: () => { let deep = 'x'; for (let n = 0; n < 1e6; n++) deep = [deep]; return JSON.stringify(deep); } };",
        "exception",
    ),
    (
        "builds a huge string",
        "export default { page: () => 'x'.repeat(2 ** 29) + 'y'.repeat(2 ** 29) };",
        "memory_limit",
    ),
    (
        "allocates a buffer beyond the limit",
        "export default { page: () => String(new Uint8Array(2 ** 31)) };",
        "exception",
    ),
    (
        "returns an oversized page",
        "export default { page: () => 'x'.repeat(2_000_000) };",
        "memory_limit",
    ),
    (
        "backtracks in a regular expression",
        "export default { page: () => String(/^(a+)+$/.test('a'.repeat(64) + 'b')) };",
        "cpu_limit",
    ),
    (
        "blocks",
        "export default { page: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) };",
        "exception",
    ),
    (
        "throws an error whose message loops",
        "export default { page: () => { throw Object.defineProperty(new Error(), 'message', { get() { for (;;); } }); } };",
        "cpu_limit",
    ),
    (
        "throws a symbol",
        "export default { page: () => { throw Symbol('x'); } };",
        "exception",
    ),
    (
        "returns an object whose toJSON loops",
        "export default { page: () => ({ toJSON() { for (;;); } }) };",
        "cpu_limit",
    ),
    (
        "deletes all globals",
        "for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name]; } catch {} export default { page: () => JSON.x };",
        "exception",
    ),
    (
        "pollutes Object.prototype",
        "Object.prototype.status = 999; Object.prototype.toJSON = () => 'x'; export default { page: () => 'x' };",
        "exception",
    ),
    (
        "imports a foreign module",
        "import 'node:fs'; export default { page: () => 'x' };",
        "exception",
    ),
    (
        "reads the clock",
        "export default { page: () => String(Date.now()) };",
        "exception",
    ),
    (
        "reads the time zone",
        "export default { page: () => String(new Date(0).getHours()) };",
        "exception",
    ),
    (
        "creates a local date",
        "export default { page: () => String(new Date(2024, 0, 1).getTime()) };",
        "exception",
    ),
    (
        "creates a random UUID",
        "export default { page: () => crypto.randomUUID() };",
        "exception",
    ),
    (
        "reads a random number",
        "export default { page: () => String(Math.random()) };",
        "exception",
    ),
    (
        "formats by locale",
        "export default { page: () => (1234.5).toLocaleString() };",
        "exception",
    ),
];

#[test]
fn failing_section_loses_only_its_own_html() {
    let (endless, ending): (Vec<_>, Vec<_>) = ATTACKS.iter().partition(|(.., cause)| *cause == "cpu_limit");
    for (attacks, cpu_limit_ms) in [(endless, 200), (ending, 10_000)] {
        let gateway = rendering_gateway(&settings(cpu_limit_ms), HEALTHY_MODULE);
        for (major, attack) in (2..).zip(attacks) {
            fail_to_render(&gateway, &format!("{major}.0.0"), attack);
        }
    }
}

/// Deploys an attack as this version and requests its page.
fn fail_to_render(gateway: &Gateway, version: &str, (what, module, cause): &(&str, &str, &str)) {
    gateway.publish(&rendered_section("attack", version, "/attack/:x", module));
    gateway.deploy(&json!({ "attack": version }));
    let replaced = || gateway.metric("colonnade_render_worker_restarts_total");
    let replaced_before = replaced();
    // Meanwhile one worker serves the attack, the other one the visitor.
    attack_rendering(gateway, || {
        let response = gateway.get("/attack/x");
        assert_eq!(response.status, 200, "{what}");
        assert!(!is_rendered(&response), "{what}: {}", response.text());
        assert_eq!(response.boot().get("view"), None, "{what}");
        assert_eq!(response.boot()["page"]["section"]["name"], "attack", "{what}");
    });
    let release = format!("attack@{version}");
    let failed = gateway
        .wait_for_event(|line| line["event"] == "render_failed" && line["release"] == release.as_str());
    assert_eq!(failed["cause"], *cause, "{what}");
    // Exceeding a limit costs the worker; an exception does not.
    let expected = u64::from(*cause != "exception");
    assert_eq!(replaced() - replaced_before, expected, "{what}");
}

#[test]
fn modified_globals_do_not_reach_other_sections() {
    const POISON: &str = "
        Array.prototype.map = String.prototype.includes = JSON.stringify = () => { throw new Error('poisoned'); };
        globalThis.Promise = null;
        export default { page: () => 'poisoned' };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nbreaker_failure_threshold = 1000\n",
        POISON,
    );
    for number in 0..5 {
        gateway.get(&format!("/attack/{number}"));
        let healthy = gateway.get(&format!("/healthy/{number}"));
        assert!(
            healthy.text().contains(&format!("<p>page /healthy/{number}</p>")),
            "{}",
            healthy.text()
        );
    }
}

#[test]
fn section_has_no_system_apis_or_foreign_imports() {
    const PROBE: &str = "export default { page: async () => {
        const names = ['process', 'require', 'std', 'os', 'scriptArgs', 'fetch', 'WebAssembly', 'Worker', '__parseUrl'];
        const found = names.filter((name) => typeof globalThis[name] !== 'undefined' && name !== 'fetch');
        const imported = await Promise.all(['healthy', 'shell', 'os', 'std', 'file:///etc/passwd', './index.js'].map((name) =>
            import(name).then(() => name, () => '')));
        return `<p>${found.join()}|${imported.join('')}</p>`;
    } };";
    let gateway = rendering_gateway("", PROBE);
    let html = gateway.get("/attack/x").text();
    assert!(html.contains("<div id=\"root\"><p>|</p></div>"), "{html}");
}

#[test]
fn render_circuit_opens_after_repeated_failures() {
    let gateway = rendering_gateway(
        "[render]\nbreaker_failure_threshold = 3\nbreaker_open_seconds = 3600\n",
        "export default { page: () => { throw new Error('x'); } };",
    );
    for number in 0..4 {
        assert!(!is_rendered(&gateway.get(&format!("/attack/{number}"))));
    }
    let failed =
        gateway.wait_for_event(|line| line["event"] == "render_failed" && line["circuit_open"] == true);
    assert_eq!(failed["count"], 3);
    assert!(is_rendered(&gateway.get("/healthy/x")));
    let again = gateway.get("/attack/5");
    assert_eq!((again.status, is_rendered(&again)), (200, false));
}

#[test]
fn render_circuit_metric_resets_after_rollback() {
    const METRIC: &str = "colonnade_render_circuit_open{section=\"attack\"}";
    let gateway = rendering_gateway(
        "[render]\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 2\n",
        HEALTHY_MODULE,
    );
    let throws = "export default { page: () => { throw new Error('x'); } };";
    gateway.publish(&rendered_section("attack", "2.0.0", "/attack/:x", throws));
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    let mut number = 0;
    wait_until("the circuit is open", || {
        number += 1;
        assert!(!is_rendered(&gateway.get(&format!("/attack/{number}"))));
        gateway.metric(METRIC) == 1
    });
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "attack" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());
    assert!(is_rendered(&gateway.get("/attack/x")));
    wait_until("the metric is 0", || gateway.metric(METRIC) == 0);
}

#[test]
fn render_error_message_is_not_logged() {
    let gateway = rendering_gateway(
        "",
        "export default { page: (path) => { console.log(path); throw new Error('secret ' + path); } };",
    );
    gateway.get("/attack/personal");
    gateway.wait_for_event(|line| line["event"] == "render_failed");
    let output = gateway.output();
    assert!(
        !output.contains("secret") && !output.contains("personal"),
        "{output}"
    );
}

#[test]
fn slow_section_opens_no_other_circuit() {
    // Each render takes much of the deadline, so that queued renders exceed it.
    const SLOW: &str = "export default { page: () => { let n = 0; for (let i = 0; i < 3e6; i++) n += i; return `<p>${n}</p>`; } };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ndeadline_ms = 300\ncpu_limit_ms = 60000\nbreaker_failure_threshold = 2\nbreaker_open_seconds = 3600\n",
        SLOW,
    );
    std::thread::scope(|scope| {
        for number in 0..24 {
            let gateway = &gateway;
            let section = if number % 3 == 0 { "healthy" } else { "attack" };
            scope.spawn(move || assert_eq!(gateway.get(&format!("/{section}/{number}")).status, 200));
        }
    });
    assert!(wait_until_rendered(&gateway, "/healthy/x"));
    for cause in ["worker_crashed", "cpu_limit", "circuit_open"] {
        assert_eq!(render_count(&gateway, "healthy", cause), 0, "{cause}");
    }
}
