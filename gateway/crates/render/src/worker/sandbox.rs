//! A JavaScript engine for one render, which can access only the modules it is given.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::iter;
use std::rc::Rc;
use std::time::Duration;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::promise::PromiseState;
use rquickjs::{
    CatchResultExt as _, CaughtError, Context, Ctx, Error, Function, Module, Persistent, Promise, Runtime,
    Value,
};

use colonnade_diagnostics::ErrorClass;

use crate::protocol::JobMessage;
use crate::why::{Failure, Why, position_of};
use crate::worker::server_module::ServerModule;
use crate::worker::{cpu_time, url_functions};

/// The modules of a release, by specifier.
pub(super) type ReleaseModules = HashMap<String, ServerModule>;

/// The memory limit while the shell's modules are loaded, in bytes. The engine is not safe if it
/// runs out of memory while it loads modules.
pub(super) const LOAD_MEMORY_LIMIT: usize = 96 * 1024 * 1024;

/// The limit of CPU time while the shell's modules are loaded.
const LOAD_CPU_LIMIT: Duration = Duration::from_secs(5);

/// The stack size of scripts, in bytes. The thread's stack is larger.
const STACK_SIZE: usize = 8 * 1024 * 1024;

/// The maximum number of stack frames in an error message.
const MAX_FRAMES: usize = 5;

/// How many bytes scripts may allocate before the time is checked: what takes about a millisecond.
const CHECKED_BYTES: usize = 1024 * 1024;

/// The most bytes of a block that a script gets after its time. The engine allocates small values in blocks of
/// this size.
const MAX_ERROR_BLOCK: usize = 4096;

/// Objects of browsers that pages use most often by mistake.
const BROWSER_OBJECTS: [&str; 12] = [
    "window",
    "document",
    "navigator",
    "location",
    "history",
    "localStorage",
    "sessionStorage",
    "self",
    "screen",
    "matchMedia",
    "addEventListener",
    "HTMLElement",
];

/// What an error message says in addition if one of them is missing.
const PURITY_HINT: &str = ". Only browsers have it: pages must be pure. Use it in effects and event handlers";

/// The name of the module that defines the global objects. Releases cannot import it.
const GLOBALS_NAME: &str = "<globals>";

thread_local! {
    static GLOBALS: ServerModule = ServerModule::new(include_str!("globals.js").to_owned());
}

/// The specifier of a section's module.
pub(super) const SECTION: &str = "section";

/// The specifier of the shell's module that renders pages.
pub(super) const SHELL: &str = "shell";

/// The name of its function that renders a page.
const RENDER: &str = "render";

/// An engine with a shell's modules.
pub(super) struct Sandbox {
    // Declared before the runtime, so that it is dropped first.
    context: Context,
    runtime: Runtime,
    modules: ModuleLoader,
    /// The memory in use after the shell's modules were loaded, in bytes.
    loaded_memory: usize,
    limit: Rc<CpuLimit>,
}

/// The limit of the CPU time of scripts.
#[derive(Default)]
struct CpuLimit {
    /// The CPU time of the thread at which scripts are interrupted, and the limit that led to it.
    deadline: Cell<Option<(Duration, Duration)>>,
    /// Whether a script was interrupted, or got no memory. One that ends by itself a little later was not.
    is_exceeded: Cell<bool>,
    /// The bytes that were allocated since the time was checked.
    unchecked_bytes: Cell<usize>,
    /// Whether a module is loaded now. The engine is not safe if it gets no memory for that.
    is_loading: Cell<bool>,
}

impl CpuLimit {
    /// Whether the time is over.
    fn check(&self) -> bool {
        let deadline = self.deadline.get();
        let is_exceeded = deadline.is_some_and(|(deadline, _)| cpu_time::of_thread() >= deadline);
        self.is_exceeded.set(self.is_exceeded.get() || is_exceeded);
        is_exceeded
    }

    /// Whether a script may allocate a block. The engine interrupts it only after thousands of calls and
    /// turns of loops, in which it can fill all its memory.
    fn allows_block(&self, bytes: usize) -> bool {
        if self.is_exceeded.get() {
            // Its error still gets a message and a stack trace.
            return self.is_loading.get() || bytes <= MAX_ERROR_BLOCK;
        }
        let unchecked = self.unchecked_bytes.get().saturating_add(bytes);
        let is_checked = unchecked >= CHECKED_BYTES && !self.is_loading.get();
        self.unchecked_bytes.set(if is_checked { 0 } else { unchecked });
        !is_checked || !self.check()
    }
}

/// A sandbox that has rendered its page. Freeing it takes a twentieth of the time of a render.
pub(super) struct UsedSandbox(#[expect(dead_code, reason = "only freed")] Sandbox);

/// Resolves and loads the modules that a render may import.
#[derive(Clone)]
struct ModuleLoader {
    modules: Rc<RefCell<Modules>>,
    limit: Rc<CpuLimit>,
}

#[derive(Clone, Default)]
struct Modules {
    shell: Rc<ReleaseModules>,
    section: Option<Rc<ReleaseModules>>,
}

impl Sandbox {
    /// A new engine in which the shell's modules are evaluated.
    pub(super) fn new(shell: Rc<ReleaseModules>) -> Result<Self, Failure> {
        let out_of_memory = |error: Error| Failure::new(Why::MemoryLimit, &error.to_string());
        let limit = Rc::new(CpuLimit::default());
        let current = Rc::clone(&limit);
        let runtime = colonnade_javascript::runtime(move |bytes| current.allows_block(bytes));
        let runtime = runtime.map_err(out_of_memory)?;
        runtime.set_memory_limit(LOAD_MEMORY_LIMIT);
        runtime.set_max_stack_size(STACK_SIZE);
        let current = Rc::clone(&limit);
        runtime.set_interrupt_handler(Some(Box::new(move || current.check())));
        let modules = ModuleLoader {
            modules: Rc::default(),
            limit: Rc::clone(&limit),
        };
        modules.modules.borrow_mut().shell = shell;
        runtime.set_loader(modules.clone(), modules.clone());
        let context = Context::full(&runtime).map_err(out_of_memory)?;
        let mut sandbox = Self {
            context,
            runtime,
            modules,
            loaded_memory: 0,
            limit,
        };
        sandbox.limit_cpu_time(LOAD_CPU_LIMIT);
        sandbox.run(None, |ctx| {
            url_functions::define(ctx)?;
            let globals = GLOBALS.with(|globals| globals.declare(ctx, GLOBALS_NAME))?;
            globals.eval()?.1.finish::<()>()?;
            let module = Module::import(ctx, SHELL)?;
            module.finish::<Value>().map(|_| ())
        })?;
        // Here rather than in a render, because it visits all objects.
        sandbox.loaded_memory = usize::try_from(sandbox.runtime.memory_usage().malloc_size).unwrap_or(0);
        Ok(sandbox)
    }

    /// Loads a section's modules. The first time they are compiled, which is no part of a job.
    pub(super) fn load(&self, section: Rc<ReleaseModules>) -> Result<(), Failure> {
        self.modules.modules.borrow_mut().section = Some(section);
        self.run(None, |ctx| {
            self.modules.clone().load(ctx, SECTION, None).map(drop)
        })
    }

    /// Renders a page with the loaded section, or the shell's own page. Returns the page as JSON
    /// and the CPU time in microseconds. A sandbox renders only one page.
    pub(super) fn render(self, job: &JobMessage) -> (Result<(String, u64), Failure>, UsedSandbox) {
        (self.render_page(job), UsedSandbox(self))
    }

    fn render_page(&self, job: &JobMessage) -> Result<(String, u64), Failure> {
        let start = self.limit_cpu_time(Duration::from_micros(job.cpu_limit_us));
        let has_section = self.modules.modules.borrow().section.is_some();
        self.runtime
            .set_memory_limit(self.loaded_memory.saturating_add(job.memory_limit));
        let argument = job.argument.as_str();
        let rendered = self.run(None, |ctx| {
            let section = if has_section {
                let module: rquickjs::Object<'_> = Module::import(ctx, SECTION)?.finish()?;
                module.get::<_, Value<'_>>("default")?
            } else {
                Value::new_null(ctx.clone())
            };
            let shell: rquickjs::Object<'_> = Module::import(ctx, SHELL)?.finish()?;
            let render: Function<'_> = shell.get(RENDER)?;
            let argument = ctx.json_parse(argument)?;
            let rendered: Promise<'_> = render.call((section, argument))?;
            Ok(Persistent::save(ctx, rendered))
        })?;
        let interrupted = self.finish(&rendered);
        let json = self.run(interrupted, |ctx| {
            let rendered: Value<'_> = rendered.restore(ctx)?.finish()?;
            let json = ctx.json_stringify(rendered)?;
            json.map(|json| json.to_string()).transpose()
        })?;
        // It can catch the error of memory that it did not get, and return something else.
        if let Some(limit) = self.exceeded_limit() {
            return Err(out_of_time(limit, "", ""));
        }
        let page = json.unwrap_or_else(|| "null".to_owned());
        if page.len() > job.max_bytes {
            let max = job.max_bytes;
            return Err(Failure::new(
                Why::MemoryLimit,
                &format!("the HTML and the data exceed {max} bytes"),
            ));
        }
        let cpu = cpu_time::of_thread().saturating_sub(start);
        Ok((page, u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX)))
    }

    /// Interrupts scripts when this thread has used so much more CPU time. Returns its CPU time so
    /// far.
    fn limit_cpu_time(&self, limit: Duration) -> Duration {
        let start = cpu_time::of_thread();
        self.limit.deadline.set(Some((start + limit, limit)));
        start
    }

    /// Executes scripts. `interrupted` is the stack trace of a script that was interrupted before.
    fn run<T>(
        &self,
        interrupted: Option<String>,
        work: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<T>,
    ) -> Result<T, Failure> {
        self.context.with(|ctx| {
            work(&ctx).catch(&ctx).map_err(|error| {
                let section = self.modules.find(SECTION);
                let source = section.as_ref().map_or("", |modules| modules[SECTION].source());
                // Before the time is checked: getters of the error may loop.
                let (message, class) = (describe(&error, source), class(&error));
                if let Some(limit) = self.exceeded_limit() {
                    return out_of_time(limit, &interrupted.unwrap_or_else(|| stack(&error)), source);
                }
                if message.contains("out of memory") {
                    let message = format!("{message}\n  look for data that grows without end");
                    return Failure::new(Why::MemoryLimit, &message);
                }
                Failure {
                    class,
                    ..Failure::new(Why::Exception, &message)
                }
            })
        })
    }

    /// Executes jobs until a promise is settled or no job is left. Returns the stack trace of the
    /// first interrupted job, because an interruption does not settle the job's promise.
    fn finish(&self, promise: &Persistent<Promise<'static>>) -> Option<String> {
        let is_pending = |ctx: &Ctx<'_>| {
            let promise = promise.clone().restore(ctx);
            promise.is_ok_and(|promise| promise.state() == PromiseState::Pending)
        };
        let mut interrupted = None;
        while self.context.with(|ctx| is_pending(&ctx)) {
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => break,
                Err(exception) => {
                    let stack = exception.0.with(|ctx| ctx.catch().as_exception()?.stack());
                    if self.exceeded_limit().is_some() {
                        interrupted = interrupted.or(stack);
                    }
                }
            }
        }
        interrupted
    }

    /// The limit of CPU time, if it is exceeded.
    fn exceeded_limit(&self) -> Option<Duration> {
        let (_, limit) = self.limit.deadline.get()?;
        self.limit.is_exceeded.get().then_some(limit)
    }
}

impl ModuleLoader {
    /// The release that has a module. The shell's modules cannot replace the section's module.
    fn find(&self, name: &str) -> Option<Rc<ReleaseModules>> {
        let modules = self.modules.borrow();
        let release = if name == SECTION {
            modules.section.as_ref()?
        } else {
            &modules.shell
        };
        release.contains_key(name).then(|| Rc::clone(release))
    }
}

impl Resolver for ModuleLoader {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        // Only the gateway (whose `base` is empty) and the shell's own modules may import the
        // module that renders.
        let may_import = name != SHELL || base.is_empty() || self.modules.borrow().shell.contains_key(base);
        let found = self.find(name).filter(|_| may_import).map(|_| name.to_owned());
        found.ok_or_else(|| Error::new_resolving(base, name))
    }
}

impl Loader for ModuleLoader {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        let modules = self.find(name).ok_or_else(|| Error::new_loading(name))?;
        // The `RefCell` must not be borrowed here: declaring a module resolves its imports.
        let was_loading = self.limit.is_loading.replace(true);
        let module = modules[name].declare(ctx, name);
        self.limit.is_loading.set(was_loading);
        module
    }
}

/// An error's message, with the rule that it breaks and its position in the section's module, which
/// has this source text.
fn describe(error: &CaughtError<'_>, source: &str) -> String {
    match error {
        CaughtError::Exception(exception) => {
            let name: Option<String> = exception.get("name").ok();
            let name = name.filter(|name| !name.is_empty() && name != "Error");
            let mut message = exception.message().unwrap_or_default();
            if is_missing_browser_object(&message) {
                message.push_str(PURITY_HINT);
            }
            let message = name.map_or_else(|| message.clone(), |name| format!("{name}: {message}"));
            with_frames(&message, stack(error).lines(), source)
        }
        CaughtError::Error(Error::WouldBlock) => "it waits for a promise that is never settled".to_owned(),
        CaughtError::Value(value) => {
            let value: Option<String> = value.get().ok();
            let value = value.map_or_else(
                || "a value that is not an error".to_owned(),
                |text| format!("{text:?}"),
            );
            format!("it threw {value}")
        }
        CaughtError::Error(error) => error.to_string(),
    }
}

/// The failure of a script that was interrupted with this stack trace.
fn out_of_time(limit: Duration, stack: &str, source: &str) -> Failure {
    let limit = limit.as_millis();
    let message = format!("it used {limit} ms of CPU time, which is the limit; look for an endless loop");
    // The engine knows the positions of calls and other expressions, so it names the last one before the
    // loop. A function without any gets column 1.
    let known = stack.lines().filter(|frame| !frame.ends_with(":1)"));
    Failure::new(Why::CpuLimit, &with_frames(&message, known, source))
}

/// A message, followed by the frames of a stack trace that are in the section's module.
fn with_frames<'a>(message: &'a str, stack: impl Iterator<Item = &'a str>, source: &str) -> String {
    let frames = stack
        .map(str::trim)
        .filter(|frame| frame.contains("(section:") || frame.starts_with("at section:"))
        .map(|frame| in_utf16(frame, source).map_or(Cow::Borrowed(frame), Cow::Owned));
    let lines = iter::once(Cow::Borrowed(message)).chain(frames.take(MAX_FRAMES));
    lines.collect::<Vec<_>>().join("\n  ")
}

/// A frame with its column in UTF-16 code units, as browsers and source maps count. The engine counts
/// bytes.
fn in_utf16(frame: &str, source: &str) -> Option<String> {
    let (line, column) = position_of(frame)?;
    let text = source.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
    let before = text.get(..usize::try_from(column).ok()?.checked_sub(1)?)?;
    let units = before.encode_utf16().count() + 1;
    Some(frame.replace(&format!(":{line}:{column}"), &format!(":{line}:{units}")))
}

fn stack(error: &CaughtError<'_>) -> String {
    match error {
        CaughtError::Exception(exception) => exception.stack().unwrap_or_default(),
        CaughtError::Error(_) | CaughtError::Value(_) => String::new(),
    }
}

/// The class of a thrown error. Like the shell's client error reports, it does not use the property
/// `name`, which may contain personal data.
fn class(error: &CaughtError<'_>) -> Option<ErrorClass> {
    let CaughtError::Exception(exception) = error else {
        return None;
    };
    let constructor: rquickjs::Object<'_> = exception.get("constructor").ok()?;
    let name: String = constructor.get("name").ok()?;
    ErrorClass::parse(&name)
}

/// Whether an error message says that an object that only browsers have is not defined.
fn is_missing_browser_object(message: &str) -> bool {
    let name = message.strip_suffix(" is not defined");
    name.is_some_and(|name| BROWSER_OBJECTS.contains(&name.trim_matches('\'')))
}
