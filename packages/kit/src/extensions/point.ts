import type { AnyExtensionPoint } from "../extension.js";

/** Arguments of {@link defineExtensionPoint}. */
export interface ExtensionPointOptions<Props extends object> {
  /** Name of the section that opens the point, or `shell`, a slash, and a name within it. Each has the form of a section's name. */
  readonly id: `${string}/${string}`;
  /** Version of the props, from 1. Extensions of another version are not shown, so each incompatible change needs a new one. */
  readonly version: number;
  /** The most extensions that are shown, 1 to 16. */
  readonly max: number;
  /** Props to test extensions with: 1 to 20. */
  readonly examples: readonly Props[];
}

/** An extension point. */
export interface DefinedExtensionPoint<Props extends object> extends AnyExtensionPoint {
  /** Props to test extensions with. */
  readonly examples: readonly Props[];
}

/** The props of an extension point. */
export type PropsOf<Point> = Point extends DefinedExtensionPoint<infer Props> ? Props : never;

/**
 * Declares an extension point: a place that any section of the site can fill.
 *
 * @example
 * ```tsx
 * import { defineExtensionPoint } from "@colonnade/kit/extensions";
 *
 * export const eventAside = defineExtensionPoint<{ city: string }>({
 *   id: "events/event-aside",
 *   version: 1,
 *   max: 4,
 *   examples: [{ city: "Austin" }, { city: "Nome" }],
 * });
 * ```
 */
export function defineExtensionPoint<Props extends object>(
  options: ExtensionPointOptions<Props>,
): DefinedExtensionPoint<Props> {
  return { ...options, reference: `${options.id}@${String(options.version)}` };
}
