import path from "node:path";

import type { LoaderContext } from "webpack";

const REFRESH = path.join(import.meta.dirname, "../dev/client/refresh.js");

// swc adds calls of the two declared functions. Declarations are hoisted, so this code can follow the module's code, whose
// positions stay the same.
const footer = (id: string): string => `
import { acceptComponents, register, createSignature } from ${JSON.stringify(REFRESH)};
function $RefreshReg$(type, name) { register(type, ${id} + " " + name); }
function $RefreshSig$() { return createSignature(); }
acceptComponents(import.meta.webpackHot, ${id}, __webpack_module__.exports);
`;

/** Webpack loader that connects the components of a module to React Refresh, after swc has compiled it. */
export default function refreshLoader(
  this: LoaderContext<object>,
  source: string,
  map: Parameters<LoaderContext<object>["callback"]>[2],
): void {
  // A CommonJS module must not get an import.
  const isModule = /^\s*(import|export)\b/m.test(source);
  const id = JSON.stringify(path.relative(this.rootContext, this.resourcePath));
  this.callback(null, isModule ? source + footer(id) : source, map);
}
