/**
 * Extension points: places that a page or the shell opens, and that any section fills. A section bundles what it uses of this.
 *
 * @module extensions
 */
export { ExtensionPoint, type ExtensionPointProps } from "./ExtensionPoint.js";
export {
  defineExtension,
  type AnyExtension,
  type AnyExtensionPoint,
  type Extension,
  type ExtensionContext,
  type ExtensionDataContext,
  type ExtensionModule,
  type ExtensionProps,
} from "../extension.js";
export { defineExtensionPoint, type DefinedExtensionPoint, type ExtensionPointOptions } from "./point.js";
