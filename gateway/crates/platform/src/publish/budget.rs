//! Size budgets: the bytes that a first view loads.
//!
//! Each file counts once, with its Brotli size if it has a Brotli variant. A view of a section is
//! its entry, its common assets and those of one page or extension. The shell's view is its entry,
//! its assets and the frame's stylesheets.

use std::collections::{BTreeMap, BTreeSet};

use colonnade_config::{Budget, ExtensionPoints};
use colonnade_model::release::{File, Kind, PointReference, Release};

/// How many of the largest files a problem lists.
const MAX_LISTED: usize = 3;

/// Returns a problem for each view over the budget. The scripts of an extension have the budget of its
/// point, if `points` has one. `sizes`: the transfer size of each file by path.
pub(super) fn check(
    budget: &Budget,
    points: &ExtensionPoints,
    release: &Release,
    sizes: &BTreeMap<String, u64>,
) -> Vec<String> {
    let common = std::iter::once(&release.entry).chain(&release.assets);
    let (script, style) = match release.kind {
        Kind::Section => budget.of_section(&release.name),
        Kind::Shell => (budget.shell_script, budget.shell_style),
    };
    let mut views: Vec<(String, &[String], Option<&PointReference>)> = Vec::new();
    match release.kind {
        Kind::Shell => views.push(("the shell".to_owned(), &release.styles, None)),
        Kind::Section => {
            let pages = release.pages.iter();
            views.extend(pages.map(|page| (format!("page `{}`", page.pattern), &page.assets[..], None)));
            let extensions = release.extensions.iter();
            views.extend(extensions.map(|extension| {
                (
                    format!("the extension of `{}`", extension.point),
                    &extension.assets[..],
                    Some(&extension.point),
                )
            }));
        }
    }
    let files: BTreeMap<&str, &File> = release
        .files
        .iter()
        .map(|file| (file.path.as_str(), file))
        .collect();
    let of_section = format!("budget.sections.{}", release.name);
    let mut problems = Vec::new();
    for (view, own, point) in views {
        let paths: BTreeSet<&String> = common.clone().chain(own).collect();
        let of_point = point.and_then(|point| {
            let limit = points.get(point.id())?.max_script?;
            Some((limit, format!("extension_points.\"{}\"", point.id())))
        });
        let of_section = |limit| Some((limit?, of_section.clone()));
        for (limit, what, is_of_kind) in [
            (
                of_point.or_else(|| of_section(script)),
                "scripts",
                File::is_script as fn(&File) -> bool,
            ),
            (of_section(style), "stylesheets", File::is_style),
        ] {
            let Some((limit, table)) = limit else { continue };
            let advice = match release.kind {
                Kind::Section => format!("; the operator can raise it with `[{table}]` in `site.toml`"),
                Kind::Shell => String::new(),
            };
            let of_kind = paths.iter().filter(|path| {
                let file = files.get(path.as_str());
                file.is_some_and(|file| is_of_kind(file))
            });
            let mut file_sizes: Vec<(u64, &str)> = of_kind
                .filter_map(|path| Some((*sizes.get(*path)?, path.as_str())))
                .collect();
            let total: u64 = file_sizes.iter().map(|(size, _)| size).sum();
            if total > limit {
                file_sizes.sort_by(|a, b| b.cmp(a));
                let largest: Vec<String> = file_sizes
                    .iter()
                    .take(MAX_LISTED)
                    .map(|(size, path)| format!("`{path}` {}", kib(*size)))
                    .collect();
                problems.push(format!(
                    "{view} loads {} of {what} (Brotli), more than its budget of {}; the largest: {}{advice}",
                    kib(total),
                    kib(limit),
                    largest.join(", ")
                ));
            }
        }
    }
    problems
}

/// Formats a size in KiB, rounded to one decimal, as `colonnade check` does.
fn kib(bytes: u64) -> String {
    let tenths = (bytes * 10 + 512) / 1024;
    format!("{}.{} KiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use colonnade_config::{Budget, ExtensionPointSettings, ExtensionPoints};
    use colonnade_model::release::Release;
    use colonnade_store::testing;

    fn check(budget: &Budget, release: &Release, sizes: &BTreeMap<String, u64>) -> Vec<String> {
        super::check(budget, &ExtensionPoints::new(), release, sizes)
    }

    /// A budget with the same limit for all kinds.
    fn budget(bytes: u64) -> Budget {
        Budget {
            page_script: Some(bytes),
            page_style: Some(bytes),
            shell_script: Some(bytes),
            shell_style: Some(bytes),
            ..Budget::default()
        }
    }

    fn sizes(sizes: &[(&str, u64)]) -> BTreeMap<String, u64> {
        sizes
            .iter()
            .map(|(path, size)| ((*path).to_owned(), *size))
            .collect()
    }

    fn section() -> (Release, BTreeMap<String, u64>) {
        let sizes = sizes(&[
            ("client/common.js", 10),
            ("client/entry.js", 100),
            ("client/join.js", 1_000),
            ("client/state.css", 5_000),
            ("client/state.js", 10_000),
            ("server/index.js", 900_000),
        ]);
        (testing::section("directory", "1.0.0").release, sizes)
    }

    #[test]
    fn view_contains_entry_common_and_own_files() {
        let (release, sizes) = section();
        let script = |limit| {
            let budget = Budget {
                page_script: Some(limit),
                ..Budget::default()
            };
            check(&budget, &release, &sizes)
        };
        assert_eq!(script(10_110), [""; 0]);
        assert_eq!(
            script(10_109),
            [
                "page `/state/:state` loads 9.9 KiB of scripts (Brotli), more than its budget of 9.9 KiB; \
                 the largest: `client/state.js` 9.8 KiB, `client/entry.js` 0.1 KiB, `client/common.js` 0.0 KiB; \
                 the operator can raise it with `[budget.sections.directory]` in `site.toml`"
            ]
        );
        let all = script(109);
        let views = [
            "page `/` loads 0.1 KiB ",
            "page `/state",
            "the extension of `shell/banner@1` loads 1.1 KiB ",
        ];
        assert_eq!(all.len(), views.len(), "{all:?}");
        for (problem, view) in all.iter().zip(views) {
            assert!(problem.starts_with(view), "{problem}");
        }
    }

    #[test]
    fn extension_has_budget_of_its_point() {
        let (release, sizes) = section();
        let of_point = |limit| {
            let settings = ExtensionPointSettings {
                max_script: Some(limit),
                ..ExtensionPointSettings::default()
            };
            let points = [("shell/banner".to_owned(), settings)].into();
            super::check(&budget(10_110), &points, &release, &sizes)
        };
        assert_eq!(of_point(1_110), [""; 0]);
        let problems = of_point(1_109).concat();
        assert!(
            problems.starts_with("the extension of `shell/banner@1` loads 1.1 KiB of scripts")
                && problems.ends_with("raise it with `[extension_points.\"shell/banner\"]` in `site.toml`"),
            "{problems}"
        );
    }

    #[test]
    fn scripts_and_stylesheets_have_separate_limits() {
        let (release, sizes) = section();
        let style = Budget {
            page_style: Some(4_999),
            ..Budget::default()
        };
        let problems = check(&style, &release, &sizes);
        assert!(
            problems.len() == 1 && problems[0].contains("4.9 KiB of stylesheets"),
            "{problems:?}"
        );
        assert!(check(&budget(10_110), &release, &sizes).is_empty());
    }

    #[test]
    fn shared_file_counts_once() {
        let (mut release, sizes) = section();
        release.pages[1].assets.push("client/state.js".to_owned());
        release.pages[1].assets.push("client/entry.js".to_owned());
        assert!(check(&budget(10_110), &release, &sizes).is_empty());
    }

    #[test]
    fn shell_has_own_budget() {
        let mut release = testing::shell("1.0.0").release;
        release.assets = vec!["client/main.js".to_owned()];
        let sizes = sizes(&[
            ("client/main.js", 70),
            ("client/frame.css", 50),
            ("client/icon.svg", 900),
        ]);
        let of = |script, style| {
            let budget = Budget {
                shell_script: Some(script),
                shell_style: Some(style),
                ..budget(1)
            };
            check(&budget, &release, &sizes)
        };
        assert_eq!(of(70, 50), [""; 0]);
        let problems = of(69, 49);
        assert!(
            problems[0].starts_with("the shell loads 0.1 KiB of scripts"),
            "{problems:?}"
        );
        assert!(
            problems[1].starts_with("the shell loads 0.0 KiB of stylesheets"),
            "{problems:?}"
        );
    }

    #[test]
    fn unset_budget_accepts_any_size() {
        let (release, sizes) = section();
        assert!(check(&Budget::default(), &release, &sizes).is_empty());
    }
}
