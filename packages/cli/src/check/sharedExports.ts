import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

import webpack, { type Compiler, type NormalModule, type WebpackPluginInstance } from "webpack";

import { SERVER_SPECIFIERS } from "../build/server.js";
import { isOwnSource } from "./positions.js";
import type { SyntaxNode } from "./syntax.js";

const MODULES = ["javascript/auto", "javascript/esm"];
// Before the other plugins, which end the hooks.
const TAP = { name: "SharedExports", stage: -100 };

interface Import {
  readonly module: NormalModule;
  readonly loc: NonNullable<webpack.WebpackError["loc"]>;
  readonly kind: "import" | "reexport";
  readonly specifier: string;
  readonly name: string;
}

// webpack's own types lack what its parser sets.
interface Parser {
  readonly state: { readonly module: NormalModule };
  getLocation(node: SyntaxNode): Import["loc"];
  readonly hooks: {
    readonly importSpecifier: Hook<[statement: SyntaxNode, source: unknown, name: string | null, id: string]>;
    readonly exportImportSpecifier: Hook<
      [statement: SyntaxNode, source: unknown, name: string | null, id: string | null]
    >;
  };
}

interface Hook<Values extends unknown[]> {
  tap(options: typeof TAP, callback: (...values: Values) => void): void;
}

/**
 * A webpack plugin that reports imports of names that a shared package does not export. Webpack does not know the exports of
 * shared packages, because the shell provides them.
 */
export class SharedExports implements WebpackPluginInstance {
  readonly #exports = new Map<string, ReadonlySet<string>>();

  constructor(readonly folder: string) {}

  apply(compiler: Compiler): void {
    compiler.hooks.compilation.tap(TAP, (compilation, { normalModuleFactory }) => {
      const imports: Import[] = [];
      for (const type of MODULES)
        normalModuleFactory.hooks.parser.for(type).tap(TAP, (parser) => {
          this.#tap(parser as unknown as Parser, imports);
        });
      compilation.hooks.finishModules.tapPromise(TAP, async () => {
        for (const imported of imports) await this.#verify(imported);
      });
    });
  }

  #tap(parser: Parser, imports: Import[]): void {
    const add =
      (kind: Import["kind"]) =>
      (statement: SyntaxNode, source: unknown, name: string | null): void => {
        const { module } = parser.state;
        const specifier = SERVER_SPECIFIERS.find((shared) => shared === source);
        if (specifier !== undefined && name !== null && isOwnSource(this.folder, module.resource))
          imports.push({ module, loc: parser.getLocation(statement), kind, specifier, name });
      };
    parser.hooks.importSpecifier.tap(TAP, add("import"));
    parser.hooks.exportImportSpecifier.tap(TAP, add("reexport"));
  }

  async #verify({ module, loc, kind, specifier, name }: Import): Promise<void> {
    const names = this.#exports.get(specifier) ?? (await exportsOf(this.folder, specifier));
    this.#exports.set(specifier, names);
    if (names.has(name)) return;
    // In the words of webpack's own error.
    const possible = [...names].filter((each) => /^[A-Za-z]/.test(each) && each !== "default").join(", ");
    const error = new webpack.WebpackError(
      `export '${name}' (${kind}ed as '${name}') was not found in '${specifier}' (possible exports: ${possible})`,
    );
    error.loc = loc;
    module.addError(error);
  }
}

/** The names that a package exports, as installed for the section. A CommonJS module has those of its object. */
async function exportsOf(folder: string, specifier: string): Promise<ReadonlySet<string>> {
  const file = createRequire(path.join(folder, "package.json")).resolve(specifier);
  const module = (await import(pathToFileURL(file).href)) as { readonly default?: object };
  return new Set([...Object.keys(module), ...Object.keys(module.default ?? {})]);
}
