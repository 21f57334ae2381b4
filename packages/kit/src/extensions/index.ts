/**
 * Extension points, which a page or the shell opens and any section fills, and channels between sections. A section bundles what it
 * uses of this.
 *
 * @module extensions
 */
export { defineChannel, type Channel, type ChannelValue } from "./channel.js";
export { ExtensionPoint, type ExtensionPointProps } from "./ExtensionPoint.js";
export {
  defineExtension,
  type AnyExtension,
  type AnyExtensionPoint,
  type Extension,
  type ExtensionContext,
  type ExtensionDataContext,
  type ExtensionExample,
  type ExtensionModule,
  type ExtensionProps,
} from "../extension.js";
export { defineExtensionPoint, type DefinedExtensionPoint, type ExtensionPointOptions, type PropsOf } from "./point.js";
