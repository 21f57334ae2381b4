import { SourceMap } from "node:module";

import type { Compiler, NormalModule, WebpackPluginInstance } from "webpack";

import { formatPosition, isOwnSource } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";
import { findViolations, type Finding } from "./staticRules.js";
import type { SyntaxNode } from "./syntax.js";

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

interface ModuleFinding extends Finding {
  readonly module: NormalModule;
  readonly position: Position;
}

/** A webpack plugin that finds problems in a package's own sources without running them. */
export class SourceProblems implements WebpackPluginInstance {
  readonly #findings = new Map<string, readonly ModuleFinding[]>();

  constructor(readonly folder: string) {}

  apply(compiler: Compiler): void {
    compiler.hooks.compilation.tap(TAP, (compilation, { normalModuleFactory }) => {
      // In watch mode only the modules that changed are compiled again.
      compilation.hooks.buildModule.tap(TAP, (module) => {
        this.#findings.delete(module.identifier());
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
      if (!isOwnSource(this.folder, module.resource)) return;
      const findings: ModuleFinding[] = [];
      for (const finding of findViolations(program)) {
        const position = parser.getLocation(finding.node)?.start;
        if (position && finding.isCertain) findings.push({ ...finding, module, position });
      }
      this.#findings.set(module.identifier(), findings);
    });
  }

  /** Returns the problems, after the compilation. */
  problems(): Problem[] {
    return [...this.#findings.values()]
      .flat()
      .map(({ code, message, module, position, advice }) =>
        problemOf(code, message, locateInSource(this.folder, module, position), advice),
      );
  }
}

/** Maps a position in a module's compiled code to its source, and formats it. */
export function locateInSource(folder: string, module: NormalModule, { line, column }: Position): string {
  const map = module.originalSource()?.map() as ConstructorParameters<typeof SourceMap>[0] | null | undefined;
  const mapping = map && new SourceMap(map).findEntry(line - 1, column);
  return mapping && "originalLine" in mapping
    ? formatPosition(folder, module.resource, mapping.originalLine + 1, mapping.originalColumn + 1)
    : formatPosition(folder, module.resource, line, column + 1);
}
