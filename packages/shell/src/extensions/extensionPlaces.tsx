import { checkJson } from "@colonnade/kit/server";
import {
  ExtensionPlaceElement,
  type AnyExtensionPoint,
  type ExtensionPlaceProps,
  type PointProps,
} from "@colonnade/kit/shell";
import type { ReactElement } from "react";

/** The places of extension points in a document, on the server. */
export class ExtensionPlaces {
  readonly #listed: ReadonlySet<string>;
  readonly #props = new Map<string, object>();

  /** The points that the document may have. */
  constructor(points: readonly AnyExtensionPoint[]) {
    this.#listed = new Set(points.map(({ reference }) => reference));
  }

  /** Renders the place of a point, and keeps its props. */
  readonly Place = ({ reference, props, empty }: ExtensionPlaceProps): ReactElement => {
    if (!this.#listed.has(reference))
      throw new Error(
        `the extension point "${reference}" is not among the extensionPoints of its page, or of the shell`,
      );
    // As the browser passes them.
    const passed = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
    checkJson(passed, "props", `the extension point "${reference}"`);
    this.#props.set(reference, passed);
    return <ExtensionPlaceElement reference={reference} empty={empty} />;
  };

  /**
   * Returns the props of the points in rendered HTML, if it has any. A part that suspended has none.
   *
   * @throws Error if it has a point twice.
   */
  in(html: string): { readonly points?: PointProps } {
    const points: Record<string, object> = {};
    for (const [reference, props] of this.#props) {
      const count = html.split(`<div data-extension-point="${reference}"></div>`).length - 1;
      if (count > 1) throw new Error(`the extension point "${reference}" is rendered twice; expected one place`);
      if (count === 1) points[reference] = props;
    }
    return Object.keys(points).length > 0 ? { points } : {};
  }
}
