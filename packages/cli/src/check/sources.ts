import { SourceMap } from "node:module";

import type { Compiler, NormalModule, WebpackPluginInstance } from "webpack";

import { declaredParts } from "./declaration.js";
import type { Finding } from "./finding.js";
import { formatPosition, isOwnSource } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";
import { findViolations } from "./staticRules.js";
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

interface ModulePosition {
  readonly module: NormalModule;
  readonly position: Position;
}

type ModuleFinding = Finding & ModulePosition;

/** A webpack plugin that finds problems in a package's own sources without running them. */
export class SourceProblems implements WebpackPluginInstance {
  readonly #findings = new Map<string, readonly ModuleFinding[]>();
  readonly #declared = new Map<string, ModulePosition>();

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
      for (const [part, node] of declaredParts(program)) {
        const position = parser.getLocation(node)?.start;
        if (position) this.#declared.set(part, { module, position });
      }
    });
  }

  /** Returns the problems, after the compilation. */
  problems(): Problem[] {
    return [...this.#findings.values()]
      .flat()
      .map(({ code, message, module, position, advice, permission }) =>
        problemOf(code, message, locateInSource(this.folder, module, position), advice, permission),
      );
  }

  /** Returns the position of a part of the section's declaration, such as `name` or `pages /hello`. */
  locationOf(part: string): string | undefined {
    const found = this.#declared.get(part);
    return found && locateInSource(this.folder, found.module, found.position);
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
