import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";

import type { ToleratedUses } from "./toleratedUses.js";
import { callUrlFunction, URL_FUNCTIONS } from "./urlFunctions.js";

/** A copy of the globals of the gateway's render sandbox. scripts/copy-files.mjs creates it. */
const GLOBALS_FILE = path.join(import.meta.dirname, "globals.js");

// Globals of V8 that the gateway's engine does not have.
const MISSING = ["WebAssembly"];
// The section's own code can be far from the top of the stack. V8 records ten frames by default.
const STACK_FRAMES = 100;

const DEFINE_FUNCTIONS = `(call, ...names) => {
  const { parse, stringify } = JSON;
  for (const name of names)
    globalThis[name] = (...args) => {
      const result = call(name, stringify(args));
      return result === undefined ? undefined : parse(result);
    };
}`;

/**
 * Creates a context with the globals of the gateway's render sandbox: the language and globals.js, and nothing of Node. `tolerated`
 * are uses of them that do not throw.
 */
export function createSandboxContext(tolerated?: ToleratedUses): vm.Context {
  // An ordinary global object: with any other one, V8 asks Node for each access to a global variable.
  const { DONT_CONTEXTIFY } = vm.constants as unknown as { readonly DONT_CONTEXTIFY: vm.Context };
  const context = vm.createContext(DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } });
  const defineFunctions = new vm.Script(DEFINE_FUNCTIONS).runInContext(context) as (...args: unknown[]) => void;
  defineFunctions(callUrlFunction, ...URL_FUNCTIONS);
  for (const name of MISSING) Reflect.deleteProperty(context, name);
  const wrap = tolerated?.prepare(context);
  new vm.Script(readFileSync(GLOBALS_FILE, "utf8"), { filename: "globals.js" }).runInContext(context);
  wrap?.();
  new vm.Script(`Error.stackTraceLimit = ${String(STACK_FRAMES)}`).runInContext(context);
  return context;
}
