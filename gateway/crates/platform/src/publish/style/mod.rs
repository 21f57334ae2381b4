//! Style isolation: a section's stylesheet must not affect anything outside the section.
//!
//! All stylesheets of a document share one namespace. The build names a section's classes
//! `<section>_<class>_<hash>`. Section names contain no underscore, so no other section's classes
//! start with the prefix `<section>_`.
//!
//! - **Selectors** must contain a class with the prefix, either directly or in every branch of an
//!   `:is()` or `:where()`. Classes inside `:not()` and `:has()` do not count, because they do not
//!   limit what the rule styles. Nested rules and rules inside `@scope (…)` are limited by the rule
//!   around them.
//! - **Names** that the whole document shares must start with the prefix: `@keyframes`,
//!   `@counter-style`, `@page`, the outermost name of a `@layer`, and font families; with two
//!   leading dashes, `@property`, `@font-palette-values`, `@position-try`, `@color-profile` and
//!   `@function`.
//! - **Other at-rules** are rejected, unless they only group rules or concern their own file.
//!   `@import` would load an unchecked stylesheet; an unknown at-rule could affect the whole
//!   document.
//!
//! The check reads tokens instead of CSS grammar: a declaration ends at `;`, a rule at `;` or after
//! its block. Rules that browsers drop may therefore be reported, but no rule that browsers apply
//! is missed. It protects teams from mistakes; it is no security boundary.

mod problems;
mod rules;
mod selector;
#[cfg(test)]
mod tests;

use cssparser::Parser;

use problems::Problems;
use rules::{Checker, Context};

/// Returns the style isolation problems of a section's stylesheet, as `<path>:<line>:<column>:
/// <problem>`.
pub(super) fn check(section: &str, path: &str, bytes: &[u8]) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return vec![format!("{path}: the stylesheet is not valid UTF-8")];
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut checker = Checker {
        prefix: format!("{section}_"),
        problems: Problems::new(path),
    };
    checker.check_rules(Context::default(), &mut Parser::new(text));
    checker.problems.into_list()
}
