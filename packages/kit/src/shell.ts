// Exports for shells and tools. Sections import from "@colonnade/kit".
export type {
  Asset,
  Boot,
  ExposedModule,
  ExtensionRequest,
  ExtensionResult,
  PointProps,
  Rendered,
  RemoteDetails,
  RenderedExtension,
  RemoteSection,
  RenderedRedirect,
  RenderedView,
  RenderRequest,
  RenderResult,
  RequiredQueries,
  ResolvedExtension,
  ResolvedExtensions,
  ResolvedPage,
  SectionContainer,
  SectionEntry,
  SocialImage,
} from "./boot.js";
export type { RemoteLoader, Remotes, RemoteViewProps } from "./remoteLoader.js";
export { clearChannels } from "./channels.js";
export { fetchResult } from "./fetchResult.js";
export { loadResults } from "./queries.js";
export {
  DIALOG_ATTRIBUTE,
  DIALOG_PARAMS_ATTRIBUTE,
  PageContext,
  SectionContext,
  ShellContext,
  type PageServices,
  type ShellServices,
} from "./context.js";
export type { AnyExtension, AnyExtensionPoint, ExtensionModule } from "./extension.js";
export {
  EXTENSION_ATTRIBUTE,
  ExtensionPlaceElement,
  identifierPrefix,
  type ExtensionPlaceProps,
} from "./extensionPlace.js";
export { isSitePath } from "./paths.js";
export { scopeClass } from "./scope.js";
export { SUSPENDED_DIGEST } from "./server/digest.js";
