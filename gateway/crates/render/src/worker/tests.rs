use std::rc::Rc;

use serde_json::{Value, json};

use colonnade_diagnostics::ErrorClass;

use super::sandbox::{SECTION, SHELL, Sandbox};
use super::server_module::ServerModule;
use crate::protocol::JobMessage;
use crate::why::{Failure, Why};

const RENDER: &str =
    "import 'helper'; export const secret = 1; export async function render(section) { return section(); }";

/// The return value of a section's function in a render.
fn render(function: &str) -> Result<Value, Failure> {
    render_within(function, 1000)
}

/// The same with a limit of CPU time in milliseconds.
fn render_within(function: &str, cpu_limit_ms: u64) -> Result<Value, Failure> {
    let render = renderer(function, cpu_limit_ms);
    let rendered = render();
    // Now the modules are compiled.
    assert_eq!(render(), rendered);
    rendered
}

fn renderer(function: &str, cpu_limit_ms: u64) -> impl Fn() -> Result<Value, Failure> {
    let module = |name: &str, source: &str| (name.to_owned(), ServerModule::new(source.to_owned()));
    let shell = [module(SHELL, RENDER), module("helper", "export default 1;")];
    let section = [module(SECTION, &format!("export default {function};"))];
    let (shell, section) = (Rc::new(shell.into()), Rc::new(section.into()));
    let job = JobMessage {
        shell: "shell@1.0.0".to_owned(),
        section: Some("x@1.0.0".to_owned()),
        argument: "null".to_owned(),
        cpu_limit_us: 1000 * cpu_limit_ms,
        has_budget: false,
        memory_limit: 64 * 1024 * 1024,
        max_bytes: 1024 * 1024,
    };
    move || {
        let sandbox = Sandbox::new(Rc::clone(&shell)).expect("the shell loads");
        sandbox.load(Rc::clone(&section))?;
        let (json, _) = sandbox.render(&job).0?;
        Ok(serde_json::from_str(&json).expect("JSON"))
    }
}

#[test]
fn section_cannot_import_shell_module() {
    for import in [
        "import('shell')",
        "(0, eval)(\"import('shell')\")",
        "new Function(\"return import('shell')\")()",
        "import('helper').then(() => (0, eval)(\"import('shell')\"))",
    ] {
        assert!(
            render(&format!("async () => Object.keys(await {import})")).is_err(),
            "{import}"
        );
    }
    assert!(render("async () => Object.keys(await import('helper'))").is_ok());
}

#[test]
fn urls_and_dates_behave_as_in_browsers() {
    // The expected values are those of browsers.
    for (expression, expected) in [
        (
            r#"new URLSearchParams("?a=1&b=2&a=3").toString()"#,
            json!("a=1&b=2&a=3"),
        ),
        (
            r#"(() => { const p = new URLSearchParams("a=1&b=2&a=3"); p.set("a", 4); return String(p); })()"#,
            json!("a=4&b=2"),
        ),
        (
            r#"(() => { const p = new URLSearchParams("a=1&a=2"); p.delete("a", "1"); return String(p); })()"#,
            json!("a=2"),
        ),
        (r#"new URLSearchParams("a=1").has("a", "2")"#, json!(false)),
        (
            r#"[...new URLSearchParams([["b", 2], ["a", "ü +&"]])].join("|")"#,
            json!("b,2|a,ü +&"),
        ),
        (
            r#"String(new URLSearchParams({ q: "New York, 'NY' (*)~!", e: "%41+" }))"#,
            json!("q=New+York%2C+%27NY%27+%28*%29%7E%21&e=%2541%2B"),
        ),
        (
            r#"(() => { const p = new URLSearchParams("b=2&a=1&b=1"); p.sort(); return String(p); })()"#,
            json!("a=1&b=2&b=1"),
        ),
        (
            r#"new URLSearchParams("a=%F0%9F%98%80&b=%zz&c=a+b").get("b") + new URLSearchParams("c=a+b").get("c")"#,
            json!("%zza b"),
        ),
        (
            r#"new URL("../x?y=1#z", "https://user:pw@site.example:8443/a/b/c").href"#,
            json!("https://user:pw@site.example:8443/a/x?y=1#z"),
        ),
        (
            r#"(() => { const u = new URL("https://site.example/a?x=1#h"); u.searchParams.append("b", "2"); return u.href; })()"#,
            json!("https://site.example/a?x=1&b=2#h"),
        ),
        (
            r#"(() => { const u = new URL("https://site.example/a?x=1"); u.pathname = "/New York"; u.search = "y=ä"; u.hash = "top"; return [u.href, u.searchParams.get("y")].join(" "); })()"#,
            json!("https://site.example/New%20York?y=%C3%A4#top ä"),
        ),
        (
            r#"(() => { const u = new URL("https://site.example/"); u.host = "other.example:81"; u.protocol = "http"; u.port = ""; return u.href; })()"#,
            json!("http://other.example/"),
        ),
        (
            r#"(() => { const u = new URL("HTTPS://Bücher.Example:443/./a/../b"); return [u.origin, u.host, u.port, u.pathname, JSON.stringify(u)].join(" "); })()"#,
            json!(
                "https://xn--bcher-kva.example xn--bcher-kva.example  /b \"https://xn--bcher-kva.example/b\""
            ),
        ),
        (
            r#"(() => { try { new URL("/x"); } catch (error) { return error instanceof TypeError; } })()"#,
            json!(true),
        ),
        (
            r#"(() => { const u = new URL("https://site.example/a"); try { u.href = "nonsense"; } catch {} return u.href; })()"#,
            json!("https://site.example/a"),
        ),
        (
            r#"[URL.canParse("a b"), URL.parse("a b"), URL.canParse("x:y")].join()"#,
            json!("false,,true"),
        ),
        (
            r#"[...new TextEncoder().encode("ü😀")].join()"#,
            json!("195,188,240,159,152,128"),
        ),
        (
            "[typeof Intl, typeof performance, typeof URL, Date.toString === Function.prototype.toString].join()",
            json!("object,object,function,true"),
        ),
        (
            r#"new Date(Date.UTC(2026, 1, 3)).toISOString() + Date.parse("2026-02-03") + new Date(new Date(5)).getTime() + new Date("2026").getTime()"#,
            json!("2026-02-03T00:00:00.000Z177007680000051767225600000"),
        ),
    ] {
        let value = render(&format!("async () => {expression}"));
        assert_eq!(value, Ok(expected), "{expression}");
    }
}

#[test]
fn impure_functions_throw_with_reason() {
    for (expression, expected) in [
        ("new Date(new String('2020-06-01T00:00:00'))", "time zone"),
        ("Date.parse('2020-06-01T00:00:00')", "time zone"),
        ("Intl.DateTimeFormat()", "Intl"),
        ("'now' in performance", "performance"),
        ("crypto.getRandomValues()", "randomness"),
        // Whatever a module replaces, and however it reads a property.
        (
            "(() => { let T; for (const key of ['construct', 'get', 'apply']) { const own = Reflect[key]; Reflect[key] = \
             (target, ...rest) => { T ??= target; return own(target, ...rest); }; } new Date(0); Date.UTC; return T?.now() \
             ?? Date.now(); })()",
            "clock",
        ),
        (
            "(() => { let T; for (const key of ['get', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'has', 'set']) { \
             Object.prototype[key] = (target) => { T ??= target; }; } try { Date.UTC; 'UTC' in Date; Date.extra = 1; \
             Object.getOwnPropertyDescriptor(Date, 'UTC'); Object.getPrototypeOf(Date); } catch {} for (const key of ['get', \
             'getOwnPropertyDescriptor', 'getPrototypeOf', 'has', 'set']) delete Object.prototype[key]; return new \
             (T ?? Date)().getTime(); })()",
            "clock",
        ),
        (
            "(() => { let T; Error.prepareStackTrace = (_, sites) => { T = sites.map((site) => site.getFunction?.()).find( \
             (own) => own !== Date && own?.prototype === Date.prototype); }; try { new Date(Symbol()).getTime(); } catch (error) { \
             error.stack; } return new (T ?? Date)().getTime(); })()",
            "clock",
        ),
        ("Object.getOwnPropertyDescriptor(Date, 'now').value()", "clock"),
        ("Object.getPrototypeOf(class extends Date {}).now()", "clock"),
        (
            "Object.getOwnPropertyDescriptor(Date, 'parse').value('2020-06-01T00:00:00')",
            "time zone",
        ),
        (
            "(() => { RegExp.prototype.exec = RegExp.prototype.test = () => []; return new Date('2020-06-01T00:00:00'); })()",
            "time zone",
        ),
        (
            "(() => { globalThis.String = () => 'Z'; return new Date({ toString: () => '2020-06-01T00:00:00' }); })()",
            "time zone",
        ),
        (
            "new Date((() => { let n = 0; return { toString: () => n++ ? '2021-06-01T00:00:00' : '2020-06-01T00:00:00Z' }; })()).getTime() === 1590969600000 ? new Date() : 0",
            "clock",
        ),
        (
            "(() => { Object.defineProperty(Date, Symbol.hasInstance, { value: () => true }); return new Date({ toString: () => \
             '2020-06-01T00:00:00' }); })()",
            "time zone",
        ),
        (
            "new Date(Object.assign(() => 0, { toString: () => '2020-06-01T00:00:00' }))",
            "time zone",
        ),
    ] {
        let Failure { message, .. } =
            render(&format!("async () => String({expression})")).expect_err(expression);
        assert!(message.contains(expected), "{expression}: {message}");
    }
}

#[test]
fn exception_names_rule_and_position_in_section() {
    for (function, expected) in [
        (
            "() => {\n  throw new Error('broken');\n}",
            "broken\n  at default (section:2:13)",
        ),
        // The column counts UTF-16 code units.
        (
            "() => {\n  'ü😀'; throw new Error('broken');\n}",
            "broken\n  at default (section:2:20)",
        ),
        (
            "() => window.innerWidth",
            "ReferenceError: window is not defined. Only browsers have it: pages must be pure. Use it in effects and \
             event handlers\n  at default (section:1:22)",
        ),
        (
            "async () => {\nawait null;\nMath.random(); }",
            "Math.random() was used during a render. Pages must be pure: the section contract forbids window, timers, \
             fetch, the clock, the time zone, randomness and locale-dependent formatting in data, head, layout and \
             render. The current date is site.today.\n  at default (section:3:6)",
        ),
        ("() => { throw 'text'; }", "it threw \"text\""),
        ("() => { throw {}; }", "it threw a value that is not an error"),
    ] {
        let failure = render(function).expect_err("it throws");
        assert_eq!(
            (failure.why, failure.message.as_str()),
            (Why::Exception, expected),
            "{function}"
        );
    }
}

#[test]
fn promise_that_never_settles_is_named() {
    let failure = render("() => new Promise(() => undefined)");
    let message = "it waits for a promise that is never settled";
    assert_eq!(failure, Err(Failure::new(Why::Exception, message)));
}

#[test]
fn endless_loop_is_named_with_its_position() {
    for (function, expected) in [
        (
            "async () => {\n  await null;\n  const list = [];\n  list.push(1);\n  for (;;);\n}",
            "\n  at default (section:4:8)",
        ),
        // The engine has no position in a function without expressions, only that of its caller.
        (
            "() => {\n  const loop = () => { for (;;); };\n  loop();\n}",
            "\n  at default (section:3:3)",
        ),
        // A getter that loops too has no position.
        (
            "() => { throw Object.defineProperty(new Error(), 'stack', { get() { for (;;); } }); }",
            "",
        ),
    ] {
        let failure = render_within(function, 200).expect_err("it never ends");
        let reason = "it used 200 ms of CPU time, which is the limit; look for an endless loop";
        assert_eq!(
            (failure.why, failure.message),
            (Why::CpuLimit, format!("{reason}{expected}")),
            "{function}"
        );
    }
}

#[test]
fn script_that_allocates_is_over_its_time_before_its_memory() {
    for function in [
        "() => { const list = []; for (;;) list.push(new Array(1000).fill(1.5)); }",
        "() => { const list = []; for (;;) list.push(new Float64Array(10_000).fill(1.5)); }",
        "() => { let text = 'xy'; for (;;) text += text.slice(1); }",
        // Whatever it makes of the error.
        "() => { const list = []; try { for (;;) list.push(new Array(1000).fill(1.5)); } catch { return 'caught'; } }",
    ] {
        let failure = renderer(function, 5)().expect_err("it never ends");
        assert_eq!(failure.why, Why::CpuLimit, "{function}");
    }
}

#[test]
fn class_of_thrown_error_is_its_constructor() {
    for (thrown, expected) in [
        ("new TypeError('private')", Some("TypeError")),
        (
            "new (class CustomError extends Error {})('private')",
            Some("CustomError"),
        ),
        ("Object.assign(new Error(''), { name: 'visitor' })", Some("Error")),
        (
            "Object.assign(new Error(''), { constructor: { name: 'a@b.co' } })",
            None,
        ),
        ("'private'", None),
    ] {
        let failure = render(&format!("() => {{ throw {thrown}; }}")).expect_err("it throws");
        let class = failure.class.as_ref().map(ErrorClass::as_str);
        assert_eq!(class, expected, "{thrown}");
    }
}
