//! The links of a list of the navigation: what sections contribute, with what the configuration changes.

use std::collections::HashSet;

use colonnade_config::LinkSettings;
use colonnade_model::release::NavigationEntry;
use serde::Serialize;

/// A link of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NavigationLink<'a> {
    /// The text of the link.
    pub label: &'a str,
    /// The path, which can have a fragment. No two links of a list have the same.
    pub path: &'a str,
}

/// The links of a list in the order in which they are shown. `contributed` are those of sections, in
/// their order. If several have the same path, the operator's link is shown, or the first one.
pub(crate) fn links<'a>(
    settings: &'a LinkSettings,
    contributed: impl Iterator<Item = &'a NavigationEntry>,
) -> Vec<NavigationLink<'a>> {
    let own = settings.links.iter();
    let own = own.map(|link| (link.order, &*link.label, &*link.path));
    let contributed = contributed.map(|entry| (entry.order, &*entry.label, &*entry.path));
    let mut links: Vec<_> = own.chain(contributed).collect();
    let mut seen = HashSet::new();
    links.retain(|(_, _, path)| !settings.hide.iter().any(|hidden| hidden == path) && seen.insert(*path));
    links.sort_by_key(|(order, _, path)| {
        let first = settings.order.iter().position(|first| first == path);
        (first.unwrap_or(usize::MAX), *order)
    });
    let label = |path: &str| settings.labels.get(path).map(String::as_str);
    let links = links.into_iter();
    links
        .map(|(_, own, path)| NavigationLink {
            label: label(path).unwrap_or(own),
            path,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use colonnade_config::LinkSettings;
    use colonnade_model::release::NavigationEntry;
    use serde_json::{from_value, json};

    use super::links;

    /// The links as text, with the links of sections `contributed` and these settings.
    fn shown(settings: serde_json::Value) -> Vec<String> {
        let contributed: Vec<NavigationEntry> = [("Home", "/", 0), ("About", "/about", 10), ("Events", "/events", 10)]
            .map(|(label, path, order)| json!({ "to": "shell/menu", "label": label, "path": path, "order": order }))
            .map(|entry| from_value(entry).expect("an entry"))
            .into();
        let settings: LinkSettings = from_value(settings).expect("settings");
        let links = links(&settings, contributed.iter());
        links
            .iter()
            .map(|link| format!("{} {}", link.label, link.path))
            .collect()
    }

    #[test]
    fn links_without_settings_are_those_of_sections() {
        assert_eq!(shown(json!({})), ["Home /", "About /about", "Events /events"]);
    }

    #[test]
    fn settings_reorder_rename_and_hide_links() {
        let settings = json!({
            "order": ["/events", "/unknown", "/"],
            "hide": ["/about", "/unknown"],
            "labels": { "/events": "What’s on", "/unknown": "Unknown" },
        });
        assert_eq!(shown(settings), ["What’s on /events", "Home /"]);
    }

    #[test]
    fn links_of_site_are_sorted_among_those_of_sections() {
        let settings = json!({ "links": [
            { "label": "Shop", "path": "/shop", "order": 10 },
            { "label": "Jobs", "path": "/jobs", "order": -1 },
            { "label": "Start", "path": "/", "order": 20 },
        ] });
        let expected = [
            "Jobs /jobs",
            "Shop /shop",
            "About /about",
            "Events /events",
            "Start /",
        ];
        assert_eq!(shown(settings), expected);
    }
}
