// The rules of the contract, for tools. This entry point does not load React.
export { QUERY_TIMEOUT, readResult } from "./fetchResult.js";
export { comparePatterns, isPagePath, isSitePath, isStaticPattern, matchPath, pathTo } from "./paths.js";
export { scopeClass } from "./scope.js";
export { CONTRACT } from "./section.js";
