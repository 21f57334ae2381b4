// The entry of the check bundle: what the runner calls in the sandbox. It runs next to the section, with the same React.
import type { Section } from "@colonnade/kit";
import { CONTRACT } from "@colonnade/kit/contract";
import type { ReadSettings } from "../../build/settings.js";
import { recordBlockedElements } from "./elements.js";
import { ExtensionCheck } from "./extensionCheck.js";
import { PageCheck } from "./pageCheck.js";
import type { SectionServices } from "./render.js";
import { PLACEHOLDER_SITE } from "./site.js";
import type { Violation } from "./violation.js";
import { watchedSettings } from "./watchedSettings.js";

export { inspectHtml, takeBlocked } from "./html.js";
export { describePoints } from "./points.js";

/** The check of a section. Each method may throw what the section throws. */
export class SectionCheck {
  readonly #load: () => Promise<{ readonly default: Section }>;
  readonly #name: string;
  readonly #services: SectionServices;
  #section: Section | undefined;

  /** `load` imports the entry module; `name` is that of the configuration, and `settings` have the types that it lists. */
  constructor(load: () => Promise<{ readonly default: Section }>, name: string, settings: ReadSettings) {
    this.#load = load;
    this.#name = name;
    const { facts, config } = watchedSettings(settings);
    this.#services = { name, site: { ...PLACEHOLDER_SITE, facts }, config };
    recordBlockedElements();
  }

  /** Evaluates the entry module. Before the other steps. */
  async load(): Promise<void> {
    this.#section = (await this.#load()).default;
  }

  /** Finds what is wrong in the declaration. */
  problems(): readonly Violation[] {
    return this.#section ? sectionProblems(this.#section, this.#name) : [];
  }

  /** Parses JSON in the sandbox, whose objects are not those of Node. */
  parse(json: string): unknown {
    return JSON.parse(json);
  }

  /** The check of the extension of a point, by the point's reference. */
  extension(point: string): ExtensionCheck {
    if (!this.#section) throw new Error("the section is not loaded");
    return new ExtensionCheck(this.#section, point, this.#services);
  }

  /** The check of a page. */
  page(pattern: string): PageCheck {
    if (!this.#section) throw new Error("the section is not loaded");
    return new PageCheck(this.#section, pattern, this.#services);
  }
}

function sectionProblems(section: Section, name: string): readonly Violation[] {
  const problems: Violation[] = [];
  // The type is the literal 1, but the section may have been written for another kit.
  const contract: number = section.contract;
  if (contract !== CONTRACT)
    problems.push({
      problem: `the section has contract ${String(contract)}; the installed kit supports contract ${String(CONTRACT)}`,
      part: "contract",
    });
  if (section.name !== name)
    problems.push({
      problem: `the name is "${section.name}" in defineSection, but "${name}" in section.config.js; use the same name`,
      part: "name",
    });
  return problems;
}
