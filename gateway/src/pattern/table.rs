//! Many patterns, one lookup.

use std::collections::HashMap;

use super::{Pattern, RequestPath, Segment};

/// A tree of patterns, each with a value. Looking up follows the literal branch first and the param branch only when
/// the literal one leads nowhere, which is 'static beats param, from left to right'.
#[derive(Debug)]
pub(crate) struct Table<T> {
    root: Node<T>,
}

#[derive(Debug)]
struct Node<T> {
    literals: HashMap<String, Node<T>>,
    param: Option<Box<Node<T>>>,
    entry: Option<(Pattern, T)>,
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self {
            literals: HashMap::new(),
            param: None,
            entry: None,
        }
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            root: Node::default(),
        }
    }
}

impl<T> Table<T> {
    /// Adds a pattern. If one of equal shape is there already, nothing changes and that one is returned.
    pub(crate) fn insert(&mut self, pattern: Pattern, value: T) -> Result<(), (&Pattern, &T)> {
        let mut node = &mut self.root;
        for segment in pattern.segments() {
            node = match segment {
                Segment::Literal(text) => node.literals.entry(text.clone()).or_default(),
                Segment::Param(_) => node.param.get_or_insert_default(),
            };
        }
        match &mut node.entry {
            Some((pattern, value)) => Err((pattern, value)),
            empty @ None => {
                *empty = Some((pattern, value));
                Ok(())
            }
        }
    }

    /// The pattern a path belongs to, if any, with its value. A trailing slash matches nothing.
    pub(crate) fn find(&self, path: &RequestPath) -> Option<(&Pattern, &T)> {
        if path.has_trailing_slash() || path.has_empty_segment() {
            return None;
        }
        let (pattern, value) = self.root.find(path.segments())?;
        Some((pattern, value))
    }
}

impl<T> Node<T> {
    fn find(&self, segments: &[String]) -> Option<&(Pattern, T)> {
        let Some((first, rest)) = segments.split_first() else {
            return self.entry.as_ref();
        };
        let literal = self.literals.get(first).and_then(|node| node.find(rest));
        literal.or_else(|| self.param.as_ref()?.find(rest))
    }
}
