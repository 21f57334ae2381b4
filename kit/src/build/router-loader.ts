/**
 * Webpack loader for React Router's modules: marks its components so that those nobody imports are dropped. It makes
 * them by calls a minifier cannot know to be harmless, and names them for developers' tools by an assignment, which
 * counts as a use: links, forms and all they need would be in the first view of every page.
 */
export default function routerLoader(source: string): string {
  return source
    .replace(/^\w+\.displayName = "[^"]*";$/gm, "")
    .replace(/^(var \w+ = )(?=React\d*\.(?:createContext|forwardRef|memo)\()/gm, "$1/* @__PURE__ */ ");
}
