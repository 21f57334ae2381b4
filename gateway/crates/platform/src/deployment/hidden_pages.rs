//! Pages that visitors cannot see, because the operator has a file at their path.

use std::collections::BTreeSet;
use std::fmt;

use crate::deployment::deployments::Deployments;
use crate::deployment::snapshot::Snapshot;
use colonnade_model::pattern::RequestPath;
use colonnade_store::loaded::LoadedDeployment;

/// A page at the path of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HiddenPage {
    /// The section.
    pub section: String,
    /// The path of the page and of the file, such as `/verify.html`.
    pub path: String,
}

impl fmt::Display for HiddenPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { section, path } = self;
        write!(
            f,
            "page `{path}` of {section} is hidden: the gateway serves a file of the operator at its path; rename the page, or ask \
             the operator to remove `{}` from `files.folder`",
            path.trim_start_matches('/')
        )
    }
}

impl Deployments {
    /// Reports the pages at the paths of the files that the gateway serves, now and after each
    /// change. Only the first call has an effect.
    pub fn report_hidden_pages(&self, files: BTreeSet<String>) {
        let _ = self.operator.files.set(files);
        self.log_hidden_pages(&Snapshot::default(), &self.current());
    }

    /// The pages of a deployment that a file hides: those with this pattern, and those whose
    /// release names the path. A page with parameters that only matches the path is meant for other
    /// paths.
    pub fn hidden_pages(&self, loaded: &LoadedDeployment) -> BTreeSet<HiddenPage> {
        let files = self.operator.files.get().into_iter().flatten();
        let hidden = files.filter_map(|path| {
            let page = loaded.page(&RequestPath::parse(path).ok()?)?;
            let section = page.section.name.clone();
            let is_named = || {
                loaded
                    .release(&section)
                    .is_some_and(|release| release.names(path))
            };
            let path = (page.pattern == *path || is_named()).then(|| path.clone())?;
            Some(HiddenPage { section, path })
        });
        hidden.collect()
    }

    /// Logs the pages that are hidden now, and were not before.
    pub(super) fn log_hidden_pages(&self, before: &Snapshot, now: &Snapshot) {
        let hidden = |snapshot: &Snapshot| -> BTreeSet<HiddenPage> {
            let visible = snapshot.visible_sets();
            let visible = visible.iter();
            visible.flat_map(|set| self.hidden_pages(set)).collect()
        };
        for HiddenPage { section, path } in hidden(now).difference(&hidden(before)) {
            tracing::warn!(event = "page_hidden", section, path);
        }
    }
}
