import { ExtensionPlaceElement, type ExtensionPlaceProps } from "@colonnade/kit/shell";
import type { ReactElement } from "react";

import { propsProblem } from "./points.js";
import type { StepResult } from "./violation.js";

/** The places of extension points in what a section renders. */
export class Places {
  readonly #props = new Map<string, unknown>();

  /** Renders the place of a point, as the shell does. */
  readonly Place = ({ reference, props, empty }: ExtensionPlaceProps): ReactElement => {
    this.#props.set(reference, passed(props));
    return <ExtensionPlaceElement reference={reference} empty={empty} />;
  };

  /**
   * Finds a point that the HTML has twice, that is not among the `listed` ones, or whose props JSON would change. `subject` has
   * rendered it.
   */
  violation(html: string, listed: readonly string[], subject: string): StepResult {
    const shown = [...html.matchAll(/<div data-extension-point="([^"]*)"/g)].map(([, reference = ""]) => reference);
    for (const [index, reference] of shown.entries()) {
      const point = `the extension point "${reference}"`;
      if (!listed.includes(reference))
        return { code: "COL170", problem: `${subject} shows ${point}, which is not among its extensionPoints` };
      if (shown.indexOf(reference) !== index)
        return { code: "COL170", problem: `${subject} shows ${point} twice; expected one place` };
      const violation = propsProblem(this.#props.get(reference), `the props of ${point} of ${subject}`);
      if (violation) return violation;
    }
    return null;
  }
}

/** Props of a point as the shell passes them: without members that are undefined. */
function passed(props: unknown): unknown {
  if (typeof props !== "object" || props === null || Array.isArray(props)) return props;
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
}
