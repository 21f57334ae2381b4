import { Session, type InspectorNotification, type Debugger } from "node:inspector";

const VARIABLE = "colonnadeFunction";

/** Returns a stack with the position of a function's source; empty if it has none. */
export function stackOfFunction(value: unknown): string {
  const session = new Session();
  session.connect();
  const files = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }: InspectorNotification<Debugger.ScriptParsedEventDataType>) => {
    files.set(params.scriptId, params.url);
  });
  session.post("Debugger.enable");
  Reflect.set(globalThis, VARIABLE, value);
  let stack = "";
  // The session calls back before post() returns.
  session.post("Runtime.evaluate", { expression: VARIABLE }, (_, evaluated) => {
    const { objectId = "" } = evaluated.result;
    session.post("Runtime.getProperties", { objectId, ownProperties: true }, (_error, { internalProperties = [] }) => {
      const found = internalProperties.find(({ name }) => name === "[[FunctionLocation]]")?.value;
      const location = found?.value as Debugger.Location | undefined;
      if (!location) return;
      const { scriptId, lineNumber, columnNumber = 0 } = location;
      stack = `at ${files.get(scriptId) ?? ""}:${String(lineNumber + 1)}:${String(columnNumber + 1)}`;
    });
  });
  session.disconnect();
  Reflect.deleteProperty(globalThis, VARIABLE);
  return stack;
}
