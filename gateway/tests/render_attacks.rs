//! What a release does wrong while it is rendered costs its own page its server HTML, and nobody anything else.

use serde_json::json;

use crate::support::{attack_rendering, is_rendered, rendering_gateway, renders, until_rendered};

/// Settings under which what takes too much fails soon: what takes time has little of it, and everything else enough to
/// fail of itself on a slow machine.
fn settings(cause: &str) -> String {
    let cpu_ms = if cause == "time" { 200 } else { 10_000 };
    format!(
        "[render]\nworkers = 2\ncpu_ms = {cpu_ms}\ndeadline_ms = 10000\nmemory_mib = 16\nfailures = 1000\n"
    )
}

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
        let gateway = rendering_gateway(&settings(cause), module);
        // At the same time: one worker is the attack's, and the other one everybody else's.
        attack_rendering(&gateway, || {
            for _ in 0..3 {
                let answer = gateway.get("/attack/x");
                assert_eq!(answer.status, 200, "{what}");
                assert!(!is_rendered(&answer), "{what}: {}", answer.text());
                assert_eq!(answer.boot().get("view"), None, "{what}");
                assert_eq!(answer.boot()["page"]["section"]["name"], "attack", "{what}");
            }
        });
        let failed = gateway.wait_for(|line| line["event"] == "render_failed");
        assert_eq!(
            (&failed["release"], &failed["cause"]),
            (&json!("attack@1.0.0"), &json!(cause)),
            "{what}"
        );
        // A worker that was used up is another one now; what only throws leaves it sound.
        let replaced = gateway.count("colonnade_render_workers_replaced_total");
        assert_eq!(replaced, if *cause == "threw" { 0 } else { 3 }, "{what}");
    }
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
