// Helpers for Markdown texts: site facts, links and heading anchors.
export { anchorOf, textOf } from "./anchors.js";
export { TEXT_COMPONENTS } from "./components.js";
export { formatDate } from "./dates.js";
export { factOf, fillFacts } from "./facts.js";
export { TextLink } from "./TextLink.js";
