//! A lookup table of patterns.

use foldhash::HashMap;

use crate::pattern::{Pattern, RequestPath, Segment};

/// A prefix tree of patterns, each with a value. A lookup tries the static branch of a segment
/// first, then the param branch, then the pattern that matches the rest.
#[derive(Debug)]
pub struct PatternTable<T> {
    root: Node<T>,
}

#[derive(Debug)]
struct Node<T> {
    literals: HashMap<String, Node<T>>,
    param: Option<Box<Node<T>>>,
    entry: Option<(Pattern, T)>,
    /// The pattern that matches any number of further segments.
    rest: Option<(Pattern, T)>,
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self {
            literals: HashMap::default(),
            param: None,
            entry: None,
            rest: None,
        }
    }
}

impl<T> Default for PatternTable<T> {
    fn default() -> Self {
        Self {
            root: Node::default(),
        }
    }
}

impl<T> PatternTable<T> {
    /// Adds a pattern.
    ///
    /// # Errors
    /// If a pattern that matches the same paths exists: that pattern with its value. The table is
    /// unchanged.
    pub fn insert(&mut self, pattern: Pattern, value: T) -> Result<(), (&Pattern, &T)> {
        let mut node = &mut self.root;
        let (segments, has_rest) = pattern.without_rest();
        for segment in segments {
            node = match segment {
                Segment::Literal(text) => node.literals.entry(text.clone()).or_default(),
                Segment::Param(_) | Segment::Rest => node.param.get_or_insert_default(),
            };
        }
        let entry = if has_rest { &mut node.rest } else { &mut node.entry };
        match entry {
            Some((pattern, value)) => Err((pattern, value)),
            empty @ None => {
                *empty = Some((pattern, value));
                Ok(())
            }
        }
    }

    /// The pattern that matches a path, with its value. A path with a trailing slash or an empty
    /// segment has none.
    pub fn find(&self, path: &RequestPath) -> Option<(&Pattern, &T)> {
        self.find_among(path, |_| true)
    }

    /// The same among the patterns whose values are accepted.
    pub fn find_among(&self, path: &RequestPath, accepts: impl Fn(&T) -> bool) -> Option<(&Pattern, &T)> {
        if path.has_trailing_slash() || path.has_empty_segment() {
            return None;
        }
        let (pattern, value) = self.root.find(path.segments(), &accepts)?;
        Some((pattern, value))
    }
}

impl<T> Node<T> {
    fn find<'a>(
        &self,
        mut rest: impl Iterator<Item = &'a str> + Clone,
        accepts: &impl Fn(&T) -> bool,
    ) -> Option<&(Pattern, T)> {
        let is_accepted = |(_, value): &&(Pattern, T)| accepts(value);
        let of_rest = || self.rest.as_ref().filter(is_accepted);
        let Some(first) = rest.next() else {
            return self.entry.as_ref().filter(is_accepted).or_else(of_rest);
        };
        let literal = self.literals.get(first);
        let literal = literal.and_then(|node| node.find(rest.clone(), accepts));
        let found = literal.or_else(|| self.param.as_ref()?.find(rest, accepts));
        found.or_else(of_rest)
    }
}
