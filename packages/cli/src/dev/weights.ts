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
    const nameOf = partsBesides(context, compilation);
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
      const parts = partSizes(sized, compilation, nameOf);
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

/** Names the parts of a section's scripts, without what the site shares and what only this command adds. */
function partsBesides(
  { folder, config, buildTarget }: WeighedContext,
  client: Compilation | undefined,
): (module: Module) => string | undefined {
  const { accepted } = siteRanges(folder, config, buildTarget?.shared);
  const isOther = (module: Module): boolean => {
    const file = module.nameForCondition() ?? "";
    // A site that shares `zod/mini` does not share `zod`.
    const { rawRequest = "" } = module as { readonly rawRequest?: string };
    return file.startsWith(CLIENT) || OTHER_PACKAGES.has(packageName(file)) || Object.hasOwn(accepted, rawRequest);
  };
  return (module) => {
    for (let each: Module | null | undefined = module; each; each = client?.moduleGraph.getIssuer(each))
      if (isOther(each)) return undefined;
    return partOf(folder, module);
  };
}
