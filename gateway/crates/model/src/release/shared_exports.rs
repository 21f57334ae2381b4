//! What a shell shares. Exports are paths: `z.locales` is the export `locales` of the namespace `z`.

use std::collections::BTreeMap;

/// The packages that a shell shares.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SharedPackages {
    /// The version of each, by name.
    pub shared: BTreeMap<String, String>,
    /// The exports that the shell omits, by package.
    pub omitted_exports: BTreeMap<String, Vec<String>>,
}

/// The first used path that a shell omits: itself, or a part of it. An empty path is the package as a
/// whole.
pub fn omitted_use<'a>(used: &'a [String], omitted: &[String]) -> Option<&'a str> {
    let contains = |whole: &str, part: &str| {
        let rest = part.strip_prefix(whole);
        whole.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let is_omitted = |path: &&String| {
        omitted
            .iter()
            .any(|other| contains(path, other) || contains(other, path))
    };
    used.iter().find(is_omitted).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::omitted_use;

    #[test]
    fn use_of_omitted_path_or_of_what_contains_it_is_found() {
        let omitted = ["locales".to_owned(), "z.locales".to_owned()];
        let cases = [
            ("locales", true),
            ("locales.de", true),
            ("z.locales.de", true),
            ("z", true),
            ("", true),
            ("z.localesOf", false),
            ("z.object", false),
            ("local", false),
        ];
        for (used, expected) in cases {
            let paths = [used.to_owned()];
            assert_eq!(omitted_use(&paths, &omitted).is_some(), expected, "{used:?}");
        }
        assert!(omitted_use(&[String::new()], &[]).is_none());
    }
}
