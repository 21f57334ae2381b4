//! A module of a release.

use std::cell::OnceCell;

use colonnade_javascript::Bytecode;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Result};

/// A module that is compiled at its first use. Each render needs it in a new engine.
pub(super) struct ServerModule {
    source: String,
    bytecode: OnceCell<Bytecode>,
}

impl ServerModule {
    /// A module with this source text.
    pub(super) fn new(source: String) -> Self {
        Self {
            source,
            bytecode: OnceCell::new(),
        }
    }

    /// The source text.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Declares the module in an engine. It has the same name in each.
    pub(super) fn declare<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
        if let Some(bytecode) = self.bytecode.get() {
            return bytecode.declare(ctx);
        }
        let module = Module::declare(ctx.clone(), name, self.source.as_str())?;
        // Before any code of the module runs.
        let _ = self.bytecode.set(Bytecode::of(&module)?);
        Ok(module)
    }
}
