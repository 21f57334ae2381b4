//! One JavaScript engine for one render: the modules it is given, and nothing else.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{
    CatchResultExt as _, CaughtError, Context, Ctx, Error, Function, Module, Promise, Runtime, Value,
};
use rustix::time::{ClockId, clock_gettime};

use super::super::protocol::{Cause, Job};
use super::address;

/// Source text by specifier.
pub(super) type Sources = HashMap<String, String>;

/// Why something failed, and in words.
pub(super) type Failure = (Cause, String);

/// The memory that loading the shell's modules may take. Too little makes the engine itself unsafe while it loads.
const LOAD_MEMORY: usize = 256 * 1024 * 1024;

/// The CPU time that loading them may take.
const LOAD_CPU: Duration = Duration::from_secs(5);

/// The stack of scripts; the thread has more.
const STACK: usize = 8 * 1024 * 1024;

/// The most bytes of a rendered page with its data, as JSON.
const MAX_PAGE: usize = 1024 * 1024;

/// The most of a message that is passed on.
const MAX_MESSAGE: usize = 2000;

const GLOBALS: &str = include_str!("globals.js");

/// The module that a section is.
pub(super) const SECTION: &str = "section";

/// The module of the shell that renders, and the name it has for it.
pub(super) const SHELL: &str = "shell";
const RENDER: &str = "render";

/// An engine with a shell in it.
pub(super) struct Sandbox {
    // Before the runtime, which outlives it.
    context: Context,
    runtime: Runtime,
    modules: Modules,
    deadline: Rc<Cell<Option<Duration>>>,
}

/// The modules a render may import, by exactly these names.
#[derive(Clone, Default)]
struct Modules(Rc<RefCell<ModulesOf>>);

#[derive(Clone, Default)]
struct ModulesOf {
    shell: Arc<Sources>,
    section: Option<Arc<Sources>>,
}

impl Sandbox {
    /// A fresh engine with the shell's modules evaluated.
    pub(super) fn new(shell: Arc<Sources>) -> Result<Self, Failure> {
        let runtime = Runtime::new().map_err(|error| (Cause::Memory, error.to_string()))?;
        runtime.set_memory_limit(LOAD_MEMORY);
        runtime.set_max_stack_size(STACK);
        let deadline = Rc::new(Cell::new(None));
        let watched = Rc::clone(&deadline);
        runtime.set_interrupt_handler(Some(Box::new(move || {
            watched.get().is_some_and(|deadline| cpu_time() >= deadline)
        })));
        let modules = Modules::default();
        modules.0.borrow_mut().shell = shell;
        runtime.set_loader(modules.clone(), modules.clone());
        let context = Context::full(&runtime).map_err(|error| (Cause::Memory, error.to_string()))?;
        let sandbox = Self {
            context,
            runtime,
            modules,
            deadline,
        };
        sandbox.within(LOAD_CPU, |ctx| {
            address::provide(ctx)?;
            ctx.eval::<(), _>(GLOBALS)?;
            let module = Module::import(ctx, SHELL)?;
            module.finish::<Value>().map(|_| ())
        })?;
        Ok(sandbox)
    }

    /// Renders with a section's modules, or with none; gives what `render` returned as JSON, and the CPU time it took in
    /// microseconds. The sandbox is used up by it.
    pub(super) fn render(self, section: Option<Arc<Sources>>, job: &Job) -> Result<(String, u64), Failure> {
        let start = cpu_time();
        let has_section = section.is_some();
        self.modules.0.borrow_mut().section = section;
        let used = usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0);
        self.runtime.set_memory_limit(used.saturating_add(job.memory));
        let request = job.request.to_string();
        let json = self.within(Duration::from_millis(job.cpu_ms), |ctx| {
            let section = if has_section {
                let module: rquickjs::Object<'_> = Module::import(ctx, SECTION)?.finish()?;
                module.get::<_, Value<'_>>("default")?
            } else {
                Value::new_null(ctx.clone())
            };
            let shell: rquickjs::Object<'_> = Module::import(ctx, SHELL)?.finish()?;
            let render: Function<'_> = shell.get(RENDER)?;
            let request = ctx.json_parse(request)?;
            let rendered: Promise<'_> = render.call((section, request))?;
            let rendered: Value<'_> = rendered.finish()?;
            let json = ctx.json_stringify(rendered)?;
            json.map(|json| json.to_string()).transpose()
        })?;
        let page = json.unwrap_or_else(|| "null".to_owned());
        if page.len() > MAX_PAGE {
            return Err((Cause::Memory, format!("the page has more than {MAX_PAGE} bytes")));
        }
        let cpu = cpu_time().saturating_sub(start);
        Ok((page, u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX)))
    }

    /// Runs something that has to be done within an amount of CPU time.
    fn within<T>(
        &self,
        budget: Duration,
        work: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<T>,
    ) -> Result<T, Failure> {
        let deadline = cpu_time() + budget;
        self.deadline.set(Some(deadline));
        let outcome = self.context.with(|ctx| {
            work(&ctx).catch(&ctx).map_err(|error| {
                let message = describe(&error);
                let cause = if cpu_time() >= deadline {
                    Cause::Time
                } else if message.contains("out of memory") {
                    Cause::Memory
                } else {
                    Cause::Threw
                };
                (cause, message)
            })
        });
        self.deadline.set(None);
        outcome
    }
}

impl Modules {
    /// The module of this name. The section's is its own, and nothing of the shell's can be put in its place.
    fn find(&self, name: &str) -> Option<Arc<Sources>> {
        let modules = self.0.borrow();
        let sources = if name == SECTION {
            modules.section.as_ref()?
        } else {
            &modules.shell
        };
        sources.contains_key(name).then(|| Arc::clone(sources))
    }
}

impl Resolver for Modules {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        // What renders is for the gateway alone to call, which has no name, and for the shell's own modules.
        let may_import = name != SHELL || base.is_empty() || self.0.borrow().shell.contains_key(base);
        let found = self.find(name).filter(|_| may_import).map(|_| name.to_owned());
        found.ok_or_else(|| Error::new_resolving(base, name))
    }
}

impl Loader for Modules {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        let sources = self.find(name).ok_or_else(|| Error::new_loading(name))?;
        // Nothing is borrowed here: declaring a module looks for those that it imports.
        Module::declare(ctx.clone(), name, sources[name].as_str())
    }
}

fn describe(error: &CaughtError<'_>) -> String {
    let words = match error {
        CaughtError::Exception(exception) => exception.message().unwrap_or_default(),
        other => other.to_string(),
    };
    words.chars().take(MAX_MESSAGE).collect()
}

/// The CPU time of this thread so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
