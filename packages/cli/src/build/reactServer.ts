import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const OPTIONS = /options = createResumableState\(\s*options \? options\.identifierPrefix : void 0\s*\);/;
const HANDLER = /(?<=Infinity,\s+)onError(?=,)/;

/**
 * Adds the option `onError(error)` of React's streaming renderers to the source of its legacy renderer, which has the same
 * core but discards errors inside Suspense boundaries. The streaming renderers emit inline scripts, which the site's
 * Content Security Policy blocks.
 *
 * @throws Error if the source differs from what is expected, because of another version of React.
 */
export function addErrorHandler(source: string): string {
  if (!OPTIONS.test(source) || !HANDLER.test(source))
    throw new Error("this version of react-dom is not supported: its legacy server renderer has changed");
  return source
    .replace(OPTIONS, (code) => `var reportError = (options && options.onError) || onError;\n  ${code}`)
    .replace(HANDLER, "reportError");
}

/** Path of React's legacy server renderer, as a package resolves it. React exports only all of its renderers together. */
export function reactServerFile(folder: string, build: "production" | "development" = "production"): string {
  const require = createRequire(path.join(folder, "package.json"));
  return path.join(path.dirname(require.resolve("react-dom")), `cjs/react-dom-server-legacy.browser.${build}.js`);
}

/** A Vite plugin that resolves `react-dom/server` in tests as the build of the shell's server module does. */
export function reactServer(folder: string): {
  name: string;
  enforce: "pre";
  resolveId(id: string): string | undefined;
  load(id: string): string | undefined;
} {
  const module = "\0colonnade-react-server";
  return {
    name: "colonnade-react-server",
    enforce: "pre",
    resolveId: (id) => (id === "react-dom/server" ? module : undefined),
    load(id) {
      if (id !== module) return undefined;
      const file = reactServerFile(folder, "development");
      const source = addErrorHandler(readFileSync(file, "utf8"));
      return [
        'import { createRequire } from "node:module";',
        "const exports = {};",
        `const load = new Function("require", "exports", ${JSON.stringify(source)});`,
        `load(createRequire(${JSON.stringify(file)}), exports);`,
        "export const { renderToString, renderToStaticMarkup } = exports;",
      ].join("\n");
    },
  };
}
