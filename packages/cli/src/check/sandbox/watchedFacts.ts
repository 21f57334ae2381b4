// Records reads of facts that section.config.js does not list, wherever the section makes them.
import type { Facts } from "@colonnade/kit";
import { recordBlocked } from "./elements.js";

// JavaScript itself reads these: JSON.stringify() and await.
const IMPLICIT = new Set(["toJSON", "then"]);

/** Returns these facts, whose other names are `undefined`, as in a site that lacks them, and whose reads are recorded. */
export function watchedFacts(facts: Facts): Facts {
  return new Proxy(facts, {
    get(target, name, receiver): unknown {
      if (typeof name === "string" && !(name in target) && !IMPLICIT.has(name)) recordRead(name);
      return Reflect.get(target, name, receiver);
    },
  });
}

function recordRead(name: string): void {
  recordBlocked({
    code: "COL132",
    message: `a read of the fact ${JSON.stringify(name)}, which section.config.js does not list`,
    advice: `Add it to section.config.js, with its type: facts: { ${name}: "string" }.`,
    stack: new Error().stack ?? "",
  });
}
