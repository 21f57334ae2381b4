import type { NotFound } from "./notFound.js";
import type { FormResult, Head, Layout } from "./page.js";
import type { QueryResult } from "./queries.js";
import type { SectionConfiguration, Site } from "./site.js";

/** A script or stylesheet of a release that a view needs. */
export interface Asset {
  /** URL path. */
  readonly href: string;
  /** File name relative to the release. Webpack uses it to detect a stylesheet that is already loaded. */
  readonly name: string;
  /** Subresource Integrity value, `sha384-…`. */
  readonly integrity: string;
  readonly type: "script" | "style";
}

/** The container of a section's release. */
export interface SectionContainer {
  readonly name: string;
  readonly version: string;
  /** Global variable of the Module Federation container, unique per release. */
  readonly container: string;
  /** URL path of the container's script. */
  readonly entry: string;
  readonly integrity: string;
  /** Whether the container reads `_FEDERATION_RUNTIME_CORE`. Absent if not. */
  readonly needsFederationRuntime?: true;
}

/** One release of a section, as the browser loads it. */
export interface SectionEntry extends SectionContainer {
  /** Assets that every page and extension of the section needs besides the entry. */
  readonly assets: readonly Asset[];
}

/** The section and page that a path resolves to. Part of the boot payload, and the response of `/_page`. */
export interface ResolvedPage {
  readonly section: SectionEntry;
  readonly pattern: string;
  /** Names of the query parameters that the page depends on. Omitted for none. */
  readonly search?: readonly string[];
  /** Assets of the page's first view, besides the section's own. */
  readonly assets: readonly Asset[];
  /** Length of all these files and the entry, in bytes. The shell waits longer for more. Absent in `colonnade dev`. */
  readonly bytes?: number;
  /** The section's configuration, in a response of `/_page`. Absent if there is none. */
  readonly config?: SectionConfiguration;
  /** The extensions of the page's points. Absent if there are none. */
  readonly extensions?: ResolvedExtensions;
  /** The permissions of the page's document, in a response of `/_page`, as in {@link Boot}. Omitted for none. */
  readonly policy?: readonly string[];
}

/** The extensions of points in the order in which they are shown, by the point's ID with its version. */
export type ResolvedExtensions = Readonly<Record<string, readonly ResolvedExtension[]>>;

/** What a section contributes to a point. */
export interface ResolvedExtension {
  readonly section: SectionEntry;
  readonly assets: readonly Asset[];
  /** As in {@link ResolvedPage}. */
  readonly bytes?: number;
  /** The section's configuration, in a response of `/_page`. Absent if there is none. */
  readonly config?: SectionConfiguration;
  /** What its `data` returned on the server. Absent if the document does not have its HTML. */
  readonly data?: unknown;
  /** Whether the document leaves it out of its place: it failed, was late, or shows nothing. Absent if not. */
  readonly leftOut?: boolean;
}

/** A module that a section exposes. */
export interface ExposedModule {
  /** Length of its assets and the section's entry, in bytes. The shell waits longer for more. Absent in `colonnade dev`. */
  readonly bytes?: number;
}

/** A section as others load it: part of the response of `/_remotes/<set>`, which has the sections of a set by name. */
export interface RemoteSection extends SectionContainer {
  /** By name, such as `./PriceTag`. */
  readonly exposes: Readonly<Record<string, ExposedModule>>;
}

/** What the modules that a section exposes need: the response of `/_remotes/<set>?section=<name>`. */
export interface RemoteDetails {
  /** All that a module needs at first besides the section's entry, by its name. */
  readonly assets: Readonly<Record<string, readonly Asset[]>>;
  /** The section's configuration. Absent if there is none. */
  readonly config?: SectionConfiguration;
}

/** The props of extension points, by the point's ID with its version. */
export type PointProps = Readonly<Record<string, object>>;

/** The result of a server render, from which the shell hydrates the page. */
export type RenderedView =
  | {
      readonly kind: "page";
      readonly data: unknown;
      readonly head: Head;
      readonly layout: Layout;
      /** Values of the query parameters that the page declares. Absent if it declares none. */
      readonly search?: object | undefined;
    }
  | ({ readonly kind: "notFound" } & Partial<NotFound>);

/** A page to render: the argument of the shell's `render`. */
export interface RenderRequest {
  /** Percent-encoded path of the page, without the query. */
  readonly path: string;
  /** The query without the question mark: only the parameters that the page declares. Omitted if the URL has none of them. */
  readonly search?: string;
  /** The page's section and pattern. Null if no page matches the path. */
  readonly page: { readonly section: string; readonly pattern: string } | null;
  readonly site: Site;
  /** The configuration of the page's section. Absent if there is none. */
  readonly config?: SectionConfiguration;
  /** The result of a form post. Present if the page is the response to it. */
  readonly form?: FormResult;
  /** The results of the page's queries, by name. Absent until they are known. */
  readonly results?: Readonly<Record<string, QueryResult>>;
}

/** An extension to render: the argument of the shell's `render`, in place of a page. */
export interface ExtensionRequest {
  readonly extension: {
    readonly section: string;
    /** The point's ID with its version. */
    readonly point: string;
    /** What the page passes to the point. */
    readonly props: object;
  };
  readonly site: Site;
  /** The configuration of the extension's section. Absent if there is none. */
  readonly config?: SectionConfiguration;
  /** As in {@link RenderRequest}. */
  readonly results?: Readonly<Record<string, QueryResult>>;
}

/** What a page says about the results that it was rendered with. */
interface RenderedWithResults {
  /** Names of the results that do not fit their schema. The gateway does not cache the document. Absent if there are none. */
  readonly invalid?: readonly string[];
}

/** A rendered page. */
export interface Rendered extends RenderedWithResults {
  readonly status: 200 | 404;
  readonly head: Head | { readonly title: string; readonly robots: string };
  readonly view: RenderedView;
  /** Content of the document's root element. The place of each extension point is an empty element. */
  readonly html: string;
  /** Names of the query parameters that the page declares, for `colonnade dev`. Absent if it declares none. */
  readonly search?: readonly string[];
  /** The props of the points in it, with those of the shell. Absent if there are none. */
  readonly points?: PointProps;
  /** Whether the page read today's date. It is then cached for that day only. */
  readonly readsToday: boolean;
}

/** A page that sends the visitor elsewhere. */
export interface RenderedRedirect extends RenderedWithResults {
  readonly status: 307;
  /** Path on this site, percent-encoded. */
  readonly location: string;
  readonly readsToday: boolean;
}

/** A rendered extension. */
export interface RenderedExtension extends RenderedWithResults {
  /** Null if it has nothing to show. */
  readonly extension: { readonly html: string; readonly data: unknown } | null;
  readonly readsToday: boolean;
}

/** What a page or an extension needs before it can be rendered. `render` is called again with the results. */
export interface RequiredQueries {
  /** Paths below `/api/`, by name. */
  readonly queries: Readonly<Record<string, string>>;
  /** Whether the paths depend on today's date. They are then cached for that day only. */
  readonly readsToday: boolean;
}

/** The result of the shell's `render`. */
export type RenderResult = Rendered | RenderedRedirect | RequiredQueries;

/** The result of the shell's `render` of an extension. */
export type ExtensionResult = RenderedExtension | RequiredQueries;

/** The image in link previews (`og:image`). */
export interface SocialImage {
  /** URL path. */
  readonly file: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
  readonly alt: string;
}

/** The boot payload: the JSON data block of a document from which the shell starts. */
export interface Boot {
  /**
   * Name of the set of releases that served the document, such as `42`, or `42.43` with the changes of
   * candidate 43. The tab stays pinned to it.
   */
  readonly deployment: string;
  readonly site: Site;
  /** The configuration of the sections of this document, by name, without those that have none. */
  readonly configs: Record<string, SectionConfiguration>;
  /** Null if no page matches the path. */
  readonly page: ResolvedPage | null;
  /** The extensions of the shell's points. Absent if there are none. */
  readonly extensions?: ResolvedExtensions;
  /** What the document may do in addition to the strict default, such as `images cdn.example.com`. Absent if nothing. */
  readonly policy?: readonly string[];
  /** Present if the document includes server-rendered HTML. */
  readonly view?: RenderedView;
  /** Present in the response to a form post. `page` is the path of the page that shows the result. */
  readonly form?: FormResult & { readonly page: string };
  /** Share of client errors to report to the gateway, in percent. If absent, errors are not reported. */
  readonly reports?: { readonly samplePercent: number };
  /** Absent if the shell's release has no social image. */
  readonly socialImage?: SocialImage;
}
