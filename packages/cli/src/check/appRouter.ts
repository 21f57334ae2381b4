import webpack, { type Compilation, type Module, type NormalModule } from "webpack";

import type { EntryImports } from "../build/entry.js";
import { isOwnSource } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";
import { locateInSource } from "./sources.js";

// The exports that read the browser's history, after their packages.
const ROUTER =
  /^(react-router(-dom)? (BrowserRouter|createBrowserRouter|UNSAFE_createBrowserHistory)|history createBrowserHistory|@tanstack\/react-router createRouter|wouter \w+)$/;
// With these, the routers do not read it, or know their basename.
const ALLOWED =
  /^(@tanstack\/(react-router|history) create(Memory|Hash)History|wouter\/(memory-location|use-hash-location) \w+|@colonnade\/kit\/basename \w+)$/;

/** A dependency on an export of another module. webpack's types lack these fields. */
interface Import {
  readonly module: NormalModule;
  readonly request: string | undefined;
  /** The name of the export, and of members. */
  readonly ids: readonly string[] | undefined;
  readonly loc: { readonly start?: { readonly line: number; readonly column: number } } | undefined;
}

/** A section and its compilation. */
interface CompiledSection {
  readonly folder: string;
  /** The file of its entry module. */
  readonly entry: string;
  /** The modules of its pages and extensions. */
  readonly parts: Pick<EntryImports, "extensions" | "pages">;
  readonly compilation: Compilation;
}

/** Warns of each page for an app with a router of its own whose modules do not call `useBasename()`. */
export function findWithoutBasename(section: CompiledSection): Problem[] {
  return [...section.parts.pages].flatMap(([pattern, specifier]) => {
    const imports = pattern.endsWith("/*") ? importsOf(section, specifier) : [];
    const names = imports.map(({ request = "", ids: [name = ""] = [] }) => `${request} ${name}`);
    const name = names.find((each) => ROUTER.test(each));
    if (name === undefined || names.some((each) => ALLOWED.test(each))) return [];
    const { module, request } = imports[names.indexOf(name)] ?? {};
    // The first dependency of a module on another is the import.
    const start = imports.find((each) => each.module === module && each.request === request)?.loc?.start;
    const location = module && start && locateInSource(section.folder, module, start);
    const used = `${name.slice(name.indexOf(" ") + 1)} of ${request ?? ""}`;
    return [problemOf("COL157", `the page "${pattern}" uses ${used}, but does not call useBasename()`, location)];
  });
}

/** What the section's own modules of a page import. `specifier` is that of the page's module, or empty for the entry module. */
function importsOf({ folder, entry, parts, compilation }: CompiledSection, specifier: string): Import[] {
  const { modules, moduleGraph } = compilation;
  const others = new Set([...parts.pages.values(), ...parts.extensions.values()]);
  const connectionsOf = (module: Module) =>
    [...moduleGraph.getOutgoingConnections(module)].map(({ dependency, module: target }) => ({
      target,
      request: (dependency as { readonly request?: string } | null)?.request ?? "",
    }));
  const section = [...modules].find((module) => module.nameForCondition() === entry);
  const page = section && connectionsOf(section).find(({ request }) => request === specifier)?.target;
  const reached = new Set([specifier === "" ? section : page].filter((module) => module !== undefined));
  for (const module of reached)
    for (const { target, request } of connectionsOf(module)) {
      const isOther = module === section && others.has(request);
      if (!isOther && isOwnSource(folder, target.nameForCondition() ?? "")) reached.add(target);
    }
  return [...reached]
    .filter((module) => module instanceof webpack.NormalModule)
    .flatMap((module) =>
      (module.dependencies as readonly Partial<Import>[]).map(({ request, ids, loc }) => ({
        module,
        request,
        ids,
        loc,
      })),
    );
}
