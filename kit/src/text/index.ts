// For sections whose texts are Markdown: the site's facts in them, and their links.
export { TEXT_COMPONENTS, TextLink } from "./components.js";
export { factOf, fillFacts } from "./facts.js";
