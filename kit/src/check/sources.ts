import { SourceMap } from "node:module";

import type { Compiler, NormalModule, WebpackPluginInstance } from "webpack";

import { styleLibraryHelp, type ProblemCode } from "./codes.js";
import { formatPosition, isOwnSource } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";

// The shell, its router, other sections, React's renderers, and the exports of the kit that are not for sections.
const FORBIDDEN_IMPORT =
  /^(react-router(-dom)?|react-dom\/(server|client|static)|@module-federation|@colonnade\/(shell|mfe-[^/]+|kit\/(shell|server|build|testing|vitest)))(?![\w-])/;
// These libraries create style elements in the browser, which a render on the server does not show.
const STYLE_LIBRARY = /^(styled-components|@emotion\/css)(?![\w-])/;
const JAVASCRIPT = ["javascript/auto", "javascript/dynamic", "javascript/esm"];
// Before the other plugins, which can end a hook.
const TAP = { name: "SourceProblems", stage: -100 };

/** A node of a syntax tree. */
type Node = object;

/** A position in a module's compiled code. The line starts at 1, the column at 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

interface Literal {
  readonly value?: unknown;
}

interface Hook<Args extends unknown[]> {
  tap(options: typeof TAP, callback: (...args: Args) => void): void;
}

interface HookMap<Args extends unknown[]> {
  for(name: string): Hook<Args>;
}

// webpack's own types of the syntax tree lack the start positions that its parser sets.
interface Parser {
  readonly state: { readonly module: NormalModule };
  getLocation(node: Node): { readonly start?: Position } | null | undefined;
  readonly hooks: {
    readonly expression: HookMap<[Node]>;
    readonly expressionMemberChain: HookMap<[Node, readonly string[]]>;
    readonly import: Hook<[Node, unknown]>;
    readonly exportImport: Hook<[Node, unknown]>;
    readonly importCall: Hook<[Node & { readonly source: Literal }]>;
    readonly call: HookMap<[Node & { readonly arguments: readonly Literal[] }]>;
  };
}

interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  readonly advice?: string;
  readonly module: NormalModule;
  readonly position: Position;
}

/** A webpack plugin that finds problems in a package's own sources without running them. */
export class SourceProblems implements WebpackPluginInstance {
  readonly #findings = new Map<string, Finding[]>();

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
    const { hooks } = parser;
    const record = (node: Node, code: ProblemCode, message: string, advice?: string): void => {
      const { module } = parser.state;
      const position = parser.getLocation(node)?.start;
      if (!position || !isOwnSource(this.folder, module.resource)) return;
      const findings = this.#findings.get(module.identifier()) ?? [];
      // `process.env` is also a part of `process.env.NAME`.
      if (findings.some((finding) => finding.code === code && isSame(finding.position, position))) return;
      const finding = { code, message, module, position, ...(advice !== undefined && { advice }) };
      this.#findings.set(module.identifier(), [...findings, finding]);
    };
    const recordVariable = (node: Node, name: string): void => {
      record(node, "COL130", `the section uses ${name}, which neither browsers nor the gateway have`);
    };
    hooks.expressionMemberChain.for("process").tap(TAP, (node, [env, variable]) => {
      if (env === "env" && variable !== undefined && variable !== "NODE_ENV")
        recordVariable(node, `process.env.${variable}`);
    });
    hooks.expression.for("process.env").tap(TAP, (node) => {
      recordVariable(node, "process.env");
    });
    const recordImport = (node: Node, specifier: unknown): void => {
      if (typeof specifier !== "string") return;
      if (FORBIDDEN_IMPORT.test(specifier))
        record(node, "COL131", `the section imports ${specifier}, which is not for sections`);
      const [library] = STYLE_LIBRARY.exec(specifier) ?? [];
      if (library !== undefined) record(node, "COL123", `the section imports ${specifier}`, styleLibraryHelp(library));
    };
    hooks.import.tap(TAP, recordImport);
    hooks.exportImport.tap(TAP, recordImport);
    hooks.importCall.tap(TAP, (node) => {
      recordImport(node, node.source.value);
    });
    hooks.call.for("require").tap(TAP, (node) => {
      recordImport(node, node.arguments[0]?.value);
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

function isSame(a: Position, b: Position): boolean {
  return a.line === b.line && a.column === b.column;
}

/** Maps a position in a module's compiled code to its source, and formats it. */
export function locateInSource(folder: string, module: NormalModule, { line, column }: Position): string {
  const map = module.originalSource()?.map() as ConstructorParameters<typeof SourceMap>[0] | null | undefined;
  const mapping = map && new SourceMap(map).findEntry(line - 1, column);
  return mapping && "originalLine" in mapping
    ? formatPosition(folder, module.resource, mapping.originalLine + 1, mapping.originalColumn + 1)
    : formatPosition(folder, module.resource, line, column + 1);
}
