// Server rendering of a section's page, for the shell. Sections import from "@colonnade/kit".
export { loadPage, type LoadedPage, type PageRequest } from "./loadPage.js";
export { renderToHtml, type RenderedHtml } from "./renderToHtml.js";
