// Records reads of facts and of values of the configuration that section.config.js does not list, wherever the section makes them.
import type { ReadSettings } from "../../build/settings.js";
import { recordBlocked } from "./elements.js";

// What messages call a value of each key of section.config.js.
const NOUNS = { facts: "fact", config: "configuration value" } as const;

// JavaScript itself reads these: JSON.stringify() and await.
const IMPLICIT = new Set(["toJSON", "then"]);

/**
 * Returns these settings. Names that they lack are `undefined`, as in a site that lacks them, and reads of these names are
 * recorded.
 */
export function watchedSettings({ facts, config }: ReadSettings): ReadSettings {
  return { facts: watched("facts", facts), config: watched("config", config) };
}

function watched<Values extends object>(key: keyof ReadSettings, values: Values): Values {
  return new Proxy(values, {
    get(target, name, receiver): unknown {
      if (typeof name === "string" && !(name in target) && !IMPLICIT.has(name)) recordRead(key, name);
      return Reflect.get(target, name, receiver);
    },
  });
}

function recordRead(key: keyof ReadSettings, name: string): void {
  recordBlocked({
    code: "COL132",
    message: `a read of the ${NOUNS[key]} ${JSON.stringify(name)}, which section.config.js does not list`,
    advice: `Add it to section.config.js, with its type: ${key}: { ${name}: "string" }.`,
    stack: new Error().stack ?? "",
  });
}
