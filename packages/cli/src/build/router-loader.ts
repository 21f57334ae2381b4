import type { LoaderContext } from "webpack";

const CLASS = /^var (\w+) = (class extends [\w.]+ \{\n[^]*?\n\});$/gm;
const CREATION =
  /^((?:var )?\w+ = )(?=React\d*\.(?:createContext|forwardRef|memo)\(|new (?:Set|WeakMap)\(|(?:Symbol|Object\.getOwnPropertyNames)\()/gm;
// A computed member keeps the whole namespace of React, and webpack's function that makes one.
const OPTIMISTIC = /(= React\d*)\[USE_OPTIMISTIC\]/;
const CONTEXT_TYPE = /^(\w+)\.contextType = (\w+);$/gm;

const NAVIGATE = /return isDataRoute \? useNavigateStable\(\) : (useNavigateUnstable\(\));/;

/** Options of the loader. `hasDataRouter` is false if no code can create React Router's data router. */
export interface RouterLoaderOptions {
  readonly hasDataRouter: boolean;
}

/**
 * Webpack loader that makes React Router's components tree-shakable. It marks calls such as `forwardRef`
 * and `new WeakMap()` as pure and removes `displayName` assignments, which count as uses. A class whose
 * `contextType` is assigned becomes a pure call. Otherwise every page would load all components. Without a data router,
 * `useNavigate` does not contain its way to navigate.
 */
export default function routerLoader(
  this: Pick<LoaderContext<RouterLoaderOptions>, "getOptions">,
  source: string,
): string {
  const { hasDataRouter } = this.getOptions();
  const contextTypes = new Map([...source.matchAll(CONTEXT_TYPE)].map(([, name, context]) => [name, context]));
  return source
    .replace(/^\w+\.displayName = "[^"]*";$/gm, "")
    .replace(CREATION, "$1/* @__PURE__ */ ")
    .replace(OPTIMISTIC, "$1.useOptimistic")
    .replace(NAVIGATE, hasDataRouter ? "$&" : "return $1;")
    .replace(CLASS, (text, name: string, component: string) => {
      const contextType = contextTypes.get(name);
      if (contextType === undefined) return text;
      contextTypes.delete(name);
      return `var ${name} = /* @__PURE__ */ (() => Object.assign(${component}, { contextType: ${contextType} }))();`;
    })
    .replace(CONTEXT_TYPE, (text, name: string) => (contextTypes.has(name) ? text : ""));
}
