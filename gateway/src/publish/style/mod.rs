//! Whether a section's stylesheets keep to the section.
//!
//! All stylesheets of a page share one namespace, so a section's must not style what is not its own. The build names a
//! section's classes `<section>_<class>_<hash>`; section names hold no underscore, so `<section>_` is a scope that no
//! other section can begin with. What is checked:
//!
//! - **Selectors.** Each complex selector must contain a class of the scope, in itself or in every branch of an `:is()`
//!   or `:where()`; inside `:not()` and `:has()` it does not count, since there it says nothing about what is styled.
//!   Nested rules inherit the scope of the rule around them, by `&` or implicitly. Within `@scope (…)` whose root has
//!   such a class, all is in scope.
//! - **Names** that the whole document shares must begin with the scope: `@keyframes`, `@counter-style`, `@layer` (the
//!   outermost name; a layer without one is nobody else's), `@page`, font families (`@font-face`,
//!   `@font-feature-values`), and with two dashes in front `@property`, `@font-palette-values`, `@position-try`,
//!   `@color-profile` and `@function`.
//! - **`@media`, `@supports`, `@container`, `@layer`, `@scope` and `@starting-style`** are looked into. `@charset` and
//!   `@namespace` concern their own file alone.
//! - **Everything else** with an `@` is refused: `@import`, because what it loads is checked by nobody; `@view-transition`,
//!   because it concerns the whole document; and whatever is not known here, because it might.
//!
//! Rules that browsers drop (a selector without a block, say) are dropped here too. This keeps teams from harming each
//! other by mistake; it is no defence against malice.

mod rules;
mod selector;
#[cfg(test)]
mod tests;

use cssparser::{Parser, SourceLocation};

/// The most problems listed of one file.
const MAX_LISTED: usize = 20;

/// The most characters of a selector or name that a problem shows.
const MAX_SHOWN: usize = 120;

/// Everything in a stylesheet of a section that reaches beyond the section.
pub(super) fn check(section: &str, path: &str, bytes: &[u8]) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return vec![format!("{path}: it is not valid UTF-8")];
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut problems = Problems {
        path,
        listed: Vec::new(),
        more: 0,
    };
    rules::check(&Scope::of(section), &mut Parser::new(text), &mut problems);
    problems.finish()
}

/// How the names of a section begin.
struct Scope(String);

impl Scope {
    fn of(section: &str) -> Self {
        Self(format!("{section}_"))
    }

    fn holds(&self, name: &str) -> bool {
        name.starts_with(&self.0)
    }

    /// Whether it holds a name that begins with two dashes.
    fn holds_dashed(&self, name: &str) -> bool {
        name.strip_prefix("--").is_some_and(|name| self.holds(name))
    }
}

/// The problems of one file.
struct Problems<'a> {
    path: &'a str,
    listed: Vec<String>,
    more: usize,
}

impl Problems<'_> {
    fn add(&mut self, at: SourceLocation, words: &str) {
        if self.listed.len() < MAX_LISTED {
            let (path, line, column) = (self.path, at.line + 1, at.column);
            self.listed.push(format!("{path}:{line}:{column}: {words}"));
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.listed
                .push(format!("{}: and {} more problems", self.path, self.more));
        }
        self.listed
    }
}

/// A piece of a stylesheet as a problem shows it: on one line, and not too long.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
