/**
 * Webpack loader that makes React Router's components tree-shakable. It marks calls such as `forwardRef` as pure and removes
 * `displayName` assignments, which count as uses. Otherwise every page would load all components.
 */
export default function routerLoader(source: string): string {
  return source
    .replace(/^\w+\.displayName = "[^"]*";$/gm, "")
    .replace(/^(var \w+ = )(?=React\d*\.(?:createContext|forwardRef|memo)\()/gm, "$1/* @__PURE__ */ ");
}
