//! Extensions that no page shows: the set has no such point in this version, others fill it, or an
//! operator does not want them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use colonnade_model::extension_rules::Refusal;
use colonnade_model::release::PointReference;
use colonnade_store::loaded::{ExtensionManifest, LeftOut, LeftOutReason, LoadedDeployment};

/// Why no page shows an extension, or those that are too many for a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutExtensions {
    text: String,
    /// Their sections, those that fill the same point, and the one whose point it is.
    sections: BTreeSet<String>,
}

impl LeftOutExtensions {
    /// Those of a set, by point. While the section of a point is missing or damaged, the set does not
    /// know the point.
    pub fn of(set: &LoadedDeployment) -> Vec<Self> {
        let left_out = set.left_out();
        let known = left_out.filter(|left_out| !set.is_unavailable(left_out.point.owner()));
        let described = known.flat_map(|left_out| match left_out.reason {
            LeftOutReason::Full(max) => vec![too_many(set, left_out, max)],
            LeftOutReason::NotOpened => each(
                left_out,
                &format!(
                    ", which no live section opens{}",
                    other_versions(set, left_out.point)
                ),
            ),
            LeftOutReason::Refused(Refusal::NotAllowed) => {
                each(left_out, ", but site.toml does not allow it")
            }
            LeftOutReason::Refused(Refusal::Off) => each(left_out, ", but is switched off"),
        });
        described.collect()
    }

    /// Whether one of the sections can be the reason.
    pub fn concerns(&self, is_section: impl Fn(&str) -> bool) -> bool {
        self.sections.iter().any(|section| is_section(section))
    }
}

impl fmt::Display for LeftOutExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The extensions that are too many for a point.
fn too_many(set: &LoadedDeployment, left_out: LeftOut<'_>, max: usize) -> LeftOutExtensions {
    let LeftOut {
        point, extensions, ..
    } = left_out;
    let named: Vec<String> = extensions.iter().map(described).collect();
    let (plural, are) = (
        if max == 1 { "" } else { "s" },
        if named.len() == 1 { "is" } else { "are" },
    );
    let filling = set.filling(point).iter();
    let sections = filling.map(|extension| extension.section.name.clone());
    LeftOutExtensions {
        text: format!(
            "`{point}` shows {max} extension{plural}; {} {are} left out",
            named.join(", ")
        ),
        sections: sections.chain([point.owner().to_owned()]).collect(),
    }
}

/// Extensions that the point does not show, whether or not it is full.
fn each(
    LeftOut {
        point, extensions, ..
    }: LeftOut<'_>,
    reason: &str,
) -> Vec<LeftOutExtensions> {
    let described = extensions.iter().map(|extension| LeftOutExtensions {
        text: format!("{} fills `{point}`{reason}", release(extension)),
        sections: [&extension.section.name, point.owner()].map(str::to_owned).into(),
    });
    described.collect()
}

/// In which other versions the set has a point, as the end of a sentence.
fn other_versions(set: &LoadedDeployment, point: &PointReference) -> String {
    let Some(owner) = set.release(point.owner()) else {
        return String::new();
    };
    let opened = owner.extension_points.iter();
    let others: Vec<String> = opened
        .filter(|opened| opened.id == point.id())
        .map(|opened| format!("`{}`", opened.reference()))
        .collect();
    if others.is_empty() {
        return String::new();
    }
    format!("; {} opens {}", owner.id, others.join(", "))
}

/// An extension among others of its point, as text.
pub(super) fn described(extension: &Arc<ExtensionManifest>) -> String {
    format!("{} (order {})", release(extension), extension.order)
}

/// The release of an extension, as text.
fn release(extension: &ExtensionManifest) -> String {
    format!("{}@{}", extension.section.name, extension.section.version)
}
