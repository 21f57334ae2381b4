//! Compiled modules. The engine does not check the bytecode that it runs.

use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Result, WriteOptions};

/// A module that the engine of this process compiled. It can be declared in any context of this
/// process.
pub struct Bytecode(Vec<u8>);

impl Bytecode {
    /// Copies the bytecode of a module.
    ///
    /// # Errors
    ///
    /// If the engine runs out of memory.
    pub fn of(module: &Module<'_, Declared>) -> Result<Self> {
        module.write(WriteOptions::default()).map(Self)
    }

    /// Declares the module. Its name is the one that it was compiled with.
    ///
    /// # Errors
    ///
    /// If the engine runs out of memory.
    pub fn declare<'js>(&self, ctx: &Ctx<'js>) -> Result<Module<'js, Declared>> {
        // SAFETY: The same version of the engine wrote these bytes, and nothing can change them since.
        unsafe { Module::load(ctx.clone(), &self.0) }
    }
}
