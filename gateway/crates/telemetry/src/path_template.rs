//! Templates of paths, for the log: they tell scanners and broken links apart, without most of what
//! visitors may have typed.

/// The most segments of a template.
const MAX_SEGMENTS: usize = 6;

/// The most bytes of a segment that a template keeps.
const MAX_SEGMENT: usize = 32;

/// The template of a path: segments of letters stay, others are `*`. It has no character that JSON
/// escapes.
pub(super) fn path_template(path: &str) -> String {
    let mut template = String::new();
    let mut segments = path.trim_start_matches('/').split('/');
    for segment in segments.by_ref().take(MAX_SEGMENTS) {
        template.push('/');
        template += if is_kept(segment) { segment } else { "*" };
    }
    if segments.next().is_some() {
        template += "/**";
    }
    template
}

fn is_kept(segment: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || b".-_".contains(&byte);
    segment.len() <= MAX_SEGMENT && segment.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::path_template;

    #[test]
    fn template_keeps_only_short_segments_of_letters() {
        for (path, template) in [
            ("/", "/"),
            ("/wp-login.php", "/wp-login.php"),
            ("/.env", "/.env"),
            ("/users/4711/edit", "/users/*/edit"),
            ("/users/Jane%20Doe/", "/users/*/"),
            ("//a@example.org", "/*"),
            ("/a/b/c/d/e/f/g/h", "/a/b/c/d/e/f/**"),
            ("/\"quoted\"", "/*"),
            ("*", "/*"),
            (&format!("/{}", "a".repeat(33)), "/*"),
        ] {
            assert_eq!(path_template(path), template, "{path}");
        }
    }
}
