import { existsSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";

import webpack, { type Compilation, type Module, type NormalModule, type WebpackError } from "webpack";
import { parseDocument } from "yaml";

import type { ProblemCode } from "../check/codes.js";
import { formatPosition, isOwnSource, parsePosition } from "../check/positions.js";
import { locateInSource } from "../check/sources.js";
import { locateUrl } from "../check/styleUrls.js";
import { describeExports } from "./nearNames.js";

/** An error of a compilation. */
export interface CompileProblem {
  /** `syntax` if a file cannot be parsed. */
  readonly kind: "syntax" | "build";
  readonly message: string;
  /** What to do instead. */
  readonly help?: string;
  /** The code of the rule in docs/errors.md. */
  readonly code?: ProblemCode;
  /** `src/pages/lab.tsx:12:8`, relative to the package, or only the file. */
  readonly location?: string;
}

type Location = WebpackError["loc"] | undefined;

const LOADER_PREFIX = /^Module (?:build failed|parse failed|not found)(?: \([^\n]*\))?:\s*(?:\w*Error: )?/;
// Stack traces of JavaScript and of native code, and webpack's advice about its own configuration.
const TRACE = /\n\nCaused by:|\n\nStack backtrace:|\n +at |\n(?:File was parsed|You may need|BREAKING CHANGE)/;
// The column in swc's message is always 1, except at the end of a file. A mark in its code frame is at the correct column. An
// error of several lines has the mark `,->` in front of the first one.
const SWC_FRAME = /^\s*x (.+)\n\s*,-\[.*:(\d+):(\d+)\]\n(?:(?:.*\n)*?\s*(?::(?= *\^)|\d+ \| ,->)( *))?/;
// swc reports what follows a closing tag that does not match.
const UNCLOSED_ELEMENT = "Expected '</', got ";
// Compilers of styles: the position and the file in front of the message, or in Sass's frame after it.
const POSTCSS_POSITION = /\((\d+):(\d+)\) (.+)/;
const SASS_POSITION = /^(.+)\n[^]*?\n {2}(\S.*) (\d+):(\d+) {2}/;
const LINE_AND_COLUMN = /^(.+?)(?: at)? \(?line (\d+),? column (\d+)/;
const ACORN_POSITION = / \(\d+:\d+\)$/;
// mini-css-extract-plugin repeats the error of a stylesheet that it executes.
const REPEATED = /^Module build failed [^\n]*\nError: Execution of module code from module graph/;
const UNRESOLVED = /^Can't resolve '([^']*)'/;
const STYLE_LOADER = /[\\/]css-loader[\\/]/;
const PACKAGE = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*/;
// The container and the module of a section, as Module Federation names them.
const SECTION_IMPORT = /^[a-z][a-z0-9-]*\/section$/;
const SECTION_HELP = "Sections do not import each other. Link to the pages of another section with <Link>.";
// Files that webpack parses itself.
const PARSED = /^\.([cm]?js|json|wasm)$/;
// The rest of the message contains text of the file.
const JSON_ERROR = /^(.*?)(?: in JSON)?(?: at position (\d+).*|, (?:\.\.\.)?".*)$/s;
const JSON_TOKEN = /^Unexpected token '?(.)/su;
const NOT_EXPORTED =
  /^"\.\/([^"]+)" is not exported .*? from package (?:.*[\\/])?node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/ ]+)/;
const MISSING_EXPORT =
  /^export '([^']+)' \((import|reexport)ed as '[^']+'\) was not found in '([^']+)'(?: \(possible exports: (.+)\))?/;

/** Returns the errors of a compilation of the package in `folder`. */
export function compileProblems(folder: string, { errors, moduleGraph }: Compilation): CompileProblem[] {
  const original = errors.filter(({ message }) => !REPEATED.test(message));
  const describer = new Describer(folder, moduleGraph);
  const problems = (original.length > 0 ? original : errors).flatMap((error) => describer.describe(error));
  const distinct = new Map<string, CompileProblem>();
  for (const problem of problems) {
    const key = `${placeOf(problem) ?? ""} ${problem.message}`;
    if (!distinct.has(key)) distinct.set(key, problem);
  }
  return [...distinct.values()];
}

// Webpack repeats an import that fails for each use of what it imports.
function placeOf({ kind, location }: CompileProblem): string | undefined {
  return kind === "build" ? (parsePosition(location)?.file ?? location) : location;
}

/** What webpack throws for invalid JSON. */
interface JsonError extends Error {
  readonly systemError: Error;
  readonly txt: string;
}

class Describer {
  constructor(
    readonly folder: string,
    readonly graph: Compilation["moduleGraph"],
  ) {}

  describe(error: Error): CompileProblem[] {
    const [first = ""] = error.message.replace(LOADER_PREFIX, "").split(TRACE);
    const text = first.trim().replaceAll(this.folder + path.sep, "");
    const { module, loc } = error as Partial<WebpackError>;
    if (!(module instanceof webpack.NormalModule)) return [{ kind: "build", message: text }];
    if (module.resource.startsWith("node:")) return this.#nodeImports(module);
    // css-loader resolves each `@import` of a file itself.
    if (error.name === "ModuleNotFoundError" || UNRESOLVED.test(text)) return [this.#missing(text, module, loc)];
    const [, name, kind, specifier, available] = MISSING_EXPORT.exec(text) ?? [];
    if (name !== undefined && specifier !== undefined) {
      const exported = describeExports(available?.split(", ") ?? [], name);
      // A compiler of one file cannot know whether a re-export is a type.
      const isType = kind === "reexport" && /tsx?$/.test(module.resource);
      const help = isType ? `${exported} If ${name} is a type, use \`export type\`.` : exported;
      return [this.#import(module, this.#locate(module, loc), `${specifier} does not export ${name}`, help)];
    }
    return [this.#invalid(text, module, error)];
  }

  /** The file of a module cannot be compiled. */
  #invalid(text: string, module: NormalModule, error: Error): CompileProblem {
    const ending = path.extname(module.resource);
    if (error.name === "ModuleParseError" && module.loaders.length === 0 && !PARSED.test(ending))
      return this.#unsupported(module, ending);
    const at = (file: string, line: unknown, column: unknown): string =>
      formatPosition(this.folder, file, Number(line), Number(column));
    const { resource } = module;
    const [, reason, row, column, indent] = SWC_FRAME.exec(text) ?? [];
    if (reason !== undefined) {
      const message = reason.startsWith(UNCLOSED_ELEMENT)
        ? "an element has no closing tag, or its closing tag has another name"
        : reason;
      return { kind: "syntax", message, location: at(resource, row, indent?.length ?? column) };
    }
    const [, cssRow, cssColumn, css] = POSTCSS_POSITION.exec(text) ?? [];
    if (css !== undefined) {
      const message = css.replace(`${path.relative(this.folder, resource)} `, "");
      return { kind: "syntax", message, location: at(resource, cssRow, cssColumn) };
    }
    const [, sass, sassFile = "", sassRow, sassColumn] = SASS_POSITION.exec(text) ?? [];
    // Sass prints paths that are relative to the working directory.
    if (sass !== undefined)
      return { kind: "syntax", message: sass, location: at(path.resolve(sassFile), sassRow, sassColumn) };
    const { error: cause } = error as { readonly error?: Partial<JsonError> };
    if (cause?.name === "JSONParseError" && cause.systemError) {
      const { message, offset } = describeJsonError(cause.systemError.message, cause.txt ?? "");
      const before = offset === undefined ? undefined : cause.txt?.slice(0, offset).split("\n");
      const location = before ? at(resource, before.length, (before.at(-1)?.length ?? 0) + 1) : this.#relative(module);
      return { kind: "syntax", message, location };
    }
    const [, value, line, lineColumn] = LINE_AND_COLUMN.exec(text) ?? [];
    if (value !== undefined) return { kind: "syntax", message: value, location: at(resource, line, lineColumn) };
    const kind = error.name === "ModuleParseError" ? "syntax" : "build";
    return {
      kind,
      message: text.replace(ACORN_POSITION, ""),
      location: this.#locate(module, (error as Partial<WebpackError>).loc),
    };
  }

  /** No loader reads a file, so webpack parses it as JavaScript. */
  #unsupported(module: NormalModule, ending: string): CompileProblem {
    const help =
      'Append "?raw" to the import for its text or "?url" for its URL, or add a loader in `webpack` of section.config.js.';
    const message = `the build does not support ${ending === "" ? "files without an ending" : `${ending} files`}`;
    return { kind: "build", message, help, location: this.#relative(module) };
  }

  /** A module imports something that does not exist. */
  #missing(text: string, module: NormalModule, loc: Location): CompileProblem {
    const [, specifier] = UNRESOLVED.exec(text) ?? [];
    const location = this.#locate(module, loc, specifier);
    const [, file, exporter] = NOT_EXPORTED.exec(text) ?? [];
    if (file !== undefined && exporter !== undefined)
      return this.#import(module, location, `the package ${exporter} does not export ${file}`);
    if (specifier === undefined) return this.#import(module, location, text);
    if (isBuiltin(specifier)) return this.#nodeImport(module, location, specifier);
    const [name] = PACKAGE.exec(specifier) ?? [];
    if (name === undefined)
      return this.#import(module, location, `cannot find ${specifier}`, "Correct the path, or add the file.");
    return isInstalled(name, module.resource)
      ? this.#import(module, location, `the package ${name} does not contain ${specifier}`)
      : this.#missingPackage(module, location, specifier, name);
  }

  #missingPackage(importer: NormalModule, location: string, specifier: string, name: string): CompileProblem {
    if (isDeclared(this.folder, name))
      return this.#import(importer, location, `the package ${name} is not installed`, "Run `npm install`.");
    if (SECTION_IMPORT.test(specifier)) {
      const message = `the section imports ${specifier}, another section`;
      return { ...this.#import(importer, location, message, SECTION_HELP), code: "COL131" };
    }
    // A public registry may have an unrelated package with a name that was meant to be a path.
    const help = `Write a path to a file of the section as ./${specifier}. If it is a package that you know, run \`npm install ${name}\`.`;
    const remoteHelp =
      specifier === name
        ? ""
        : ' A module that an existing remote exposes needs `build: { remote: "dist" }` in section.config.js.';
    return this.#import(importer, location, `the package ${name} is not installed`, help + remoteHelp);
  }

  #nodeImports(module: NormalModule): CompileProblem[] {
    const importers = new Map<NormalModule, Location>();
    for (const { originModule, dependency } of this.graph.getIncomingConnections(module))
      if (originModule instanceof webpack.NormalModule && !importers.has(originModule))
        importers.set(originModule, dependency?.loc);
    return [...importers].map(([importer, loc]) =>
      this.#nodeImport(importer, this.#locate(importer, loc), module.resource),
    );
  }

  #nodeImport(importer: NormalModule, location: string, specifier: string): CompileProblem {
    const help =
      "Neither browsers nor the gateway have modules of Node.js. Do this in a script that runs before the build.";
    return this.#import(importer, location, `cannot import ${specifier}, a module of Node.js`, help);
  }

  #import(importer: NormalModule, location: string, message: string, help?: string): CompileProblem {
    const own = this.#ownImporter(importer);
    const isPackage = own !== undefined && own !== importer;
    const advice = [...(help ? [help] : []), ...(isPackage ? [`${this.#relative(own)} imports the package.`] : [])];
    return {
      kind: "build",
      message,
      location,
      ...(advice.length > 0 && { help: advice.join(" ") }),
    };
  }

  /** The first module of the package's own that leads to a module. */
  #ownImporter(module: Module | null | undefined): NormalModule | undefined {
    if (!module) return undefined;
    if (module instanceof webpack.NormalModule && isOwnSource(this.folder, module.resource)) return module;
    return this.#ownImporter(this.graph.getIssuer(module));
  }

  /** `url` is what the module refers to, if it does not exist. */
  #locate(module: NormalModule, loc: Location, url?: string): string {
    // The source map of css-loader belongs to the stylesheet's text, not to the JavaScript around it.
    if (module.loaders.some(({ loader }) => STYLE_LOADER.test(loader))) {
      const position = url === undefined ? undefined : locateUrl(this.folder, module.resource, url);
      return position ?? this.#relative(module);
    }
    const start = (loc as { start?: { line: number; column?: number } } | undefined)?.start;
    // Without a source map, a position in what a loader compiled is not one in the source.
    const isKnown = module.loaders.length === 0 || module.originalSource()?.map();
    return start && isKnown
      ? locateInSource(this.folder, module, { line: start.line, column: start.column ?? 0 })
      : this.#relative(module);
  }

  #relative({ resource }: NormalModule): string {
    return path.relative(this.folder, resource).replaceAll(path.sep, "/");
  }
}

function describeJsonError(text: string, source: string): { message: string; offset: number | undefined } {
  const [, message = text, position] = JSON_ERROR.exec(text) ?? [];
  if (position !== undefined) return { message, offset: Number(position) };
  const [, token] = JSON_TOKEN.exec(message) ?? [];
  if (token === undefined) return { message, offset: source.length };
  // Node.js 20 tells no position of a token. YAML is a superset of JSON, so its errors may be others.
  const { errors } = parseDocument(source, { schema: "json" });
  return { message, offset: errors.map(({ pos }) => pos[0]).find((start) => source.startsWith(token, start)) };
}

/** Whether the package in a folder depends on another one. */
function isDeclared(folder: string, name: string): boolean {
  const require = createRequire(path.join(folder, "package.json"));
  const manifest = require("./package.json") as Readonly<Record<string, object | undefined>>;
  return ["dependencies", "devDependencies", "peerDependencies"].some((group) =>
    Object.hasOwn(manifest[group] ?? {}, name),
  );
}

function isInstalled(name: string, importer: string): boolean {
  const folders = createRequire(importer).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(path.join(folder, name)));
}
