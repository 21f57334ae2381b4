// For sections whose texts are Markdown: the site's facts in them, their links, and anchors of their headings.
export { anchorOf, textOf } from "./anchors.js";
export { TEXT_COMPONENTS } from "./components.js";
export { factOf, fillFacts } from "./facts.js";
export { TextLink } from "./TextLink.js";
