// Server rendering of a section's page, for the shell. Sections import from "@colonnade/kit".
export { findNonJson } from "./json.js";
export { checkJson } from "./loadData.js";
export { loadExtension, type LoadedExtension } from "./loadExtension.js";
export { loadPage, type LoadedPage, type PageRequest } from "./loadPage.js";
export { queriesProblem, queryPaths } from "./queries.js";
// The kit's hooks need the context of this router.
export { StaticRouter } from "react-router-dom";
export { renderToHtml, type RenderedHtml } from "./renderToHtml.js";
