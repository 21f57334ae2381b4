import type { Violation } from "./violation.js";

/** Finds the members of a page or an extension that are no functions. `subject` is what has them, for messages. */
export function functionViolations(declared: object, members: readonly string[], subject: string): Violation[] {
  return members.flatMap((member) => {
    const value: unknown = Reflect.get(declared, member);
    if (!value || typeof value === "function") return [];
    const [kind, example] = Array.isArray(value) ? ["an array", exampleOf(value)] : [nameOf(value), "({ … })"];
    return [{ problem: `${member} of ${subject} is ${kind}; expected a function, such as () => ${example}` }];
  });
}

function exampleOf(list: readonly unknown[]): string {
  const [first = ""] = list;
  return typeof first === "string" ? JSON.stringify([first]) : "[…]";
}

function nameOf(value: unknown): string {
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
