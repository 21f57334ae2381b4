//! What a JavaScript engine needs unsafe code for: compiled modules, and a check of allocations.

mod allocator;
mod bytecode;

pub use allocator::runtime;
pub use bytecode::Bytecode;
