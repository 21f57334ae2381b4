import { SourceMap } from "node:module";
import path from "node:path";

import type { Compilation, Compiler, Module, NormalModule, WebpackPluginInstance } from "webpack";

import { STYLE } from "../build/sharedStyles.js";
import { declaredParts } from "./declaration.js";
import type { Found } from "./finding.js";
import { formatPosition, isOwnSource } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";
import type { FileKey } from "./blockedUrls.js";
import { findCreatedUrls, findInPackage, findViolations, shownFiles } from "./staticRules.js";
import { declaredNames, type SyntaxNode } from "./syntax.js";

const PACKAGES = `${path.sep}node_modules${path.sep}`;
const IN_PACKAGE = "The browser blocks it if it runs there: try it in a browser, or use another package.";
const JAVASCRIPT = ["javascript/auto", "javascript/dynamic", "javascript/esm"];
// Before the other plugins, which can end a hook.
const TAP = { name: "SourceProblems", stage: -100 };

/** A position in a module's compiled code. The line starts at 1, the column at 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

// webpack's own types of the syntax tree lack the start positions that its parser sets.
interface Parser {
  readonly state: { readonly module: NormalModule };
  getLocation(node: SyntaxNode): { readonly start?: Position } | null | undefined;
  readonly hooks: { readonly program: { tap(options: typeof TAP, callback: (program: SyntaxNode) => void): void } };
}

interface ModulePosition {
  readonly module: NormalModule;
  readonly position: Position;
}

/** With `fileKey`, a problem only if an element of the section may load such files from any URL. */
type ModuleFinding = Found & ModulePosition & { readonly fileKey?: FileKey };

/** A webpack plugin that finds problems in a package's own sources without running them. */
export class SourceProblems implements WebpackPluginInstance {
  readonly #findings = new Map<string, readonly ModuleFinding[]>();
  readonly #shown = new Map<string, readonly FileKey[]>();
  readonly #inPackages = new Map<string, readonly ModuleFinding[]>();
  readonly #declared = new Map<string, ModulePosition>();
  /** The section's modules that give an element of the section to a portal. */
  readonly #withPortal = new Set<string>();

  /**
   * `readsPackages` says whether {@link SourceProblems.warnings} are wanted. `bundle` is the folder of a bundle of sources and
   * packages, which is read as a package.
   */
  constructor(
    readonly folder: string,
    readonly readsPackages = false,
    readonly bundle?: string,
  ) {}

  apply(compiler: Compiler): void {
    compiler.hooks.compilation.tap(TAP, (compilation, { normalModuleFactory }) => {
      // In watch mode only the modules that changed are compiled again.
      compilation.hooks.buildModule.tap(TAP, (module) => {
        this.#findings.delete(module.identifier());
        this.#shown.delete(module.identifier());
        this.#withPortal.delete(module.identifier());
      });
      for (const type of JAVASCRIPT)
        normalModuleFactory.hooks.parser.for(type).tap(TAP, (parser) => {
          this.#tap(parser as unknown as Parser);
        });
    });
  }

  #tap(parser: Parser): void {
    parser.hooks.program.tap(TAP, (program) => {
      const { module } = parser.state;
      const locate = (finding: Omit<ModuleFinding, keyof ModulePosition>): ModuleFinding[] => {
        const position = parser.getLocation(finding.node)?.start;
        return position ? [{ ...finding, module, position }] : [];
      };
      const isBundle = this.bundle !== undefined && module.resource.startsWith(this.bundle + path.sep);
      if (this.readsPackages && (isBundle || module.resource.includes(PACKAGES)))
        this.#inPackages.set(module.identifier(), [...findInPackage(program)].flatMap(locate));
      if (!isOwnSource(this.folder, module.resource)) return;
      if (!isBundle) {
        const certain = [...findViolations(program)].filter(({ isCertain }) => isCertain);
        this.#findings.set(module.identifier(), [...certain, ...findCreatedUrls(program)].flatMap(locate));
        this.#shown.set(module.identifier(), shownFiles(program));
        if (declaredNames(program).has("usePortalContainer")) this.#withPortal.add(module.identifier());
      }
      for (const [part, node] of declaredParts(program)) {
        const position = parser.getLocation(node)?.start;
        if (position) this.#declared.set(part, { module, position });
      }
    });
  }

  /** Returns the problems, after the compilation. */
  problems(): Problem[] {
    const shown = new Set([...this.#shown.values()].flat());
    return [...this.#findings.values()]
      .flat()
      .filter(({ fileKey }) => fileKey === undefined || shown.has(fileKey))
      .map(({ code, message, module, position, advice, permission, severity }) => {
        const problem = problemOf(code, message, locateInSource(this.folder, module, position), advice, permission);
        return severity ? { ...problem, severity } : problem;
      });
  }

  /** Returns what the policy blocks if code of a package runs, after the compilation. */
  warnings({ chunkGraph, modules }: Compilation): Problem[] {
    const hasPlainStyles = [...modules].some((module) => module.type === STYLE && !isCssModule(module));
    const isPortalFine = !hasPlainStyles || this.#withPortal.size > 0;
    return [...this.#inPackages.values()]
      .flat()
      .filter(({ module }) => chunkGraph.getNumberOfModuleChunks(module) > 0)
      .filter(({ code }) => code !== "COL156" || !isPortalFine)
      .map(({ code, message, module, position, permission, advice = IN_PACKAGE }) => {
        const location = locateInSource(this.folder, module, position);
        return { ...problemOf(code, message, location, advice, permission), severity: "warning" };
      });
  }

  /** Returns the position of a part of the section's declaration, such as `name` or `pages /hello`. */
  locationOf(part: string): string | undefined {
    const found = this.#declared.get(part);
    return found && locateInSource(this.folder, found.module, found.position);
  }
}

function isCssModule(module: Module): boolean {
  return /\.module\.\w+$/.test(module.nameForCondition() ?? "");
}

/** Maps a position in a module's compiled code to its source, and formats it. */
export function locateInSource(folder: string, module: NormalModule, { line, column }: Position): string {
  const map = module.originalSource()?.map() as ConstructorParameters<typeof SourceMap>[0] | null | undefined;
  const mapping = map && new SourceMap(map).findEntry(line - 1, column);
  return mapping && "originalLine" in mapping
    ? formatPosition(folder, module.resource, mapping.originalLine + 1, mapping.originalColumn + 1)
    : formatPosition(folder, module.resource, line, column + 1);
}
