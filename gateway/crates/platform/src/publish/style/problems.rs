//! What is wrong in a stylesheet.

use cssparser::SourceLocation;

/// The most problems listed per file.
const MAX_LISTED: usize = 20;

/// The most characters of a selector or name that a problem quotes.
const MAX_QUOTED: usize = 120;

/// The problems of one file. Only the first ones are kept; the others are counted.
pub(super) struct Problems<'a> {
    path: &'a str,
    listed: Vec<String>,
    pub(super) count: usize,
}

impl<'a> Problems<'a> {
    pub(super) fn new(path: &'a str) -> Self {
        Self {
            path,
            listed: Vec::new(),
            count: 0,
        }
    }

    pub(super) fn add(&mut self, at: SourceLocation, problem: &str) {
        if self.count < MAX_LISTED {
            let (path, line, column) = (self.path, at.line + 1, at.column);
            self.listed.push(format!("{path}:{line}:{column}: {problem}"));
        }
        self.count += 1;
    }

    /// Removes all problems after the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.listed.truncate(count);
        self.count = count;
    }

    pub(super) fn into_list(mut self) -> Vec<String> {
        let more = self.count - self.listed.len();
        if more > 0 {
            self.listed
                .push(format!("{}: and {more} more problems", self.path));
        }
        self.listed
    }
}

/// Quotes a piece of a stylesheet: on one line and shortened.
pub(super) fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}
