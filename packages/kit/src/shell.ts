// Exports for shells and tools. Sections import from "@colonnade/kit".
export type {
  Asset,
  Boot,
  ExposedModule,
  Rendered,
  RemoteDetails,
  RemoteSection,
  RenderedRedirect,
  RenderedView,
  RenderRequest,
  RenderResult,
  RequiredQueries,
  ResolvedPage,
  ResolvedSlot,
  SectionContainer,
  SectionEntry,
  SocialImage,
} from "./boot.js";
export type { RemoteLoader, Remotes, RemoteViewProps } from "./remoteLoader.js";
export { fetchResult } from "./fetchResult.js";
export { loadResults } from "./queries.js";
export {
  DIALOG_ATTRIBUTE,
  DIALOG_PARAMS_ATTRIBUTE,
  ParamsContext,
  SectionContext,
  ShellContext,
  type ShellServices,
} from "./context.js";
export { isSitePath } from "./paths.js";
export { scopeClass } from "./scope.js";
export { SUSPENDED_DIGEST } from "./server/digest.js";
