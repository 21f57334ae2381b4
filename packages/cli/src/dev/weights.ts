import { stat } from "node:fs/promises";
import path from "node:path";

import type { Compilation, Module } from "webpack";

import type { ClientFiles } from "../build/clientFiles.js";
import type { BuildContext } from "../build/context.js";
import type { EntryImports } from "../build/entry.js";
import { siteRanges } from "../build/shared.js";
import { kib, largest, limitOf, partOf, partSizes, SCRIPTS, transferSizes } from "../check/budget.js";
import { packageName } from "../check/packageImport.js";

// The site has React. The others have modules only in builds for `colonnade dev`.
const OTHER_PACKAGES: ReadonlySet<string | undefined> = new Set(["react", "mini-css-extract-plugin"]);
const CLIENT = path.join(import.meta.dirname, "client");
// The highest one takes about 100 times as long, and its result is an eighth smaller.
const BROTLI_QUALITY = 5;

type WeighedContext = Pick<BuildContext, "folder" | "output" | "config" | "buildTarget">;

/** What weighs most in the pages and extensions of a section under development. */
export class Weights {
  /** The bytes of the scripts of the pages and extensions when they were described last. */
  readonly #described = new Map<string, number>();

  /**
   * Describes the pages and extensions whose scripts are larger than their budget, and again when they have changed by a tenth. A build
   * for development has whole packages and is not minified, so this does not say that those of a release are larger, too.
   */
  async changed(
    context: WeighedContext,
    { entry, compilation, assets: { common, assetsOf } }: ClientFiles,
    { pages, extensions }: Pick<EntryImports, "pages" | "extensions">,
  ): Promise<string[]> {
    const sizeOf = transferSizes(context.output, BROTLI_QUALITY);
    const isOther = isOtherModule(context);
    const section = path.resolve(context.folder, context.config.entry);
    const views = [
      ...[...pages].map(([name, request]) => ({ view: `the page ${name}`, name, request, point: "" })),
      ...[...extensions].map(([name, request]) => ({ view: `the extension ${name}`, name, request, point: name })),
    ];
    const lines: string[] = [];
    for (const { view, name, request, point } of views) {
      // webpack's entry has only its runtime here, with that of hot updates.
      const all = new Set([...(compilation ? [] : [entry]), ...common, ...assetsOf(request, name)]);
      const files = [...all].filter((file) => file.endsWith(SCRIPTS.extension));
      const written = await Promise.all(files.map((file) => stat(path.join(context.output, file))));
      const bytes = written.reduce((sum, { size }) => sum + size, 0);
      const described = this.#described.get(view);
      if (described !== undefined && Math.abs(bytes - described) <= described / 10) continue;
      const sized = await Promise.all(files.map(async (file) => [file, await sizeOf(file)] as const));
      const loaded = compilation && loadedModules(compilation, section, request, isOther);
      const parts = partSizes(sized, compilation, (module) =>
        loaded?.has(module) ? partOf(context.folder, module) : undefined,
      );
      const total = [...parts.values()].reduce((sum, size) => sum + size, 0);
      const { limit, setBy, raise } = limitOf(SCRIPTS, point, context);
      if (total <= limit * 1024) {
        this.#described.delete(view);
        continue;
      }
      this.#described.set(view, bytes);
      const scripts = compilation
        ? `imports ${kib(total)} of scripts, before minification (Brotli): ${largest(parts)}. A release has only what it uses of packages`
        : `loads ${kib(total)} of scripts (Brotli): ${largest(parts)}`;
      lines.push(
        `${view} ${scripts}. Its budget is ${String(limit)} KiB (${setBy}): \`colonnade check\` measures it. For a larger one, ${raise("N")}`,
      );
    }
    return lines;
  }
}

/** Whether a module is of the site, or is added only by this command. */
function isOtherModule({ folder, config, buildTarget }: WeighedContext): (module: Module) => boolean {
  const { accepted } = siteRanges(folder, config, buildTarget?.shared);
  return (module) => {
    const file = module.nameForCondition() ?? "";
    // A site that shares `zod/mini` does not share `zod`.
    const { rawRequest = "" } = module as { readonly rawRequest?: string };
    return file.startsWith(CLIENT) || OTHER_PACKAGES.has(packageName(file)) || Object.hasOwn(accepted, rawRequest);
  };
}

/**
 * The modules that a page or an extension loads at first. The module of the section imports that of the page by the specifier
 * `request`. Without other modules, and without what only they import.
 */
function loadedModules(
  { modules, moduleGraph }: Compilation,
  section: string,
  request: string,
  isOther: (module: Module) => boolean,
): ReadonlySet<Module> {
  const loaded = new Set([...modules].filter((module) => module.nameForCondition() === section));
  const sections = [...loaded];
  for (const module of loaded)
    for (const { dependency, module: imported } of moduleGraph.getOutgoingConnections(module)) {
      if (!dependency) continue;
      const isPage = sections.includes(module) && (dependency as { readonly request?: string }).request === request;
      // What `import()` loads is in another block.
      const isStatic = moduleGraph.getParentBlock(dependency) === module;
      if ((isPage || isStatic) && !isOther(imported)) loaded.add(imported);
    }
  return loaded;
}
