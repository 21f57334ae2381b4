/**
 * The section contract, and the components, hooks and functions that sections use.
 *
 * @module kit
 */
export { CONTRACT, defineSection, type NavigationEntry, type PageModule, type Section } from "./section.js";
export {
  definePage,
  type Alternate,
  type AnyContext,
  type AnyPage,
  type Breadcrumb,
  type DataContext,
  type FormResult,
  type Head,
  type Layout,
  type Page,
  type PageContent,
  type PageData,
  type PageExample,
  type PageMembers,
  type PageProps,
  type QueriesContext,
  type Search,
  type Social,
  type WithSearch,
} from "./page.js";
export type { DialogParams, DialogProps } from "./dialog.js";
export { isNotFound, notFound, type NotFound } from "./notFound.js";
export { isRedirect, redirect, type Redirect } from "./redirect.js";
export { query } from "./query.js";
export type { ExampleResults, NoQueries, Queries, Query, QueryResult, QueryResults } from "./queries.js";
export { isPagePath, matchPath, pathTo, type Params } from "./paths.js";
export { Link, type LinkProps } from "./Link.js";
export { DialogForm, DialogLink, type DialogFormProps, type DialogLinkProps, type DialogTarget } from "./DialogForm.js";
export { useConfig, useDialog, useExtensions, usePage, useParams, useRemotes, useSite } from "./context.js";
export type { ExtensionPlaceProps } from "./extensionPlace.js";
export { useHydrated } from "./hydrated.js";
export type { RemoteLoader, Remotes, RemoteViewProps } from "./remoteLoader.js";
export { usePortalContainer } from "./portal.js";
export type { Facts, Integrations, NavigationLink, SectionConfiguration, Site } from "./site.js";
// Re-exported from react-router: the current location, and a function that navigates.
export { useLocation, useNavigate } from "react-router-dom";
