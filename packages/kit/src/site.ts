/**
 * The site's own facts, from the table `[site.facts]` of the gateway's configuration. Facts are public: every document
 * contains them. A site declares its facts once, in a package that its sections import.
 *
 * @example
 * ```tsx
 * import "@colonnade/kit";
 *
 * declare module "@colonnade/kit" {
 *   interface Facts {
 *     readonly supportPhone: string;
 *   }
 * }
 * ```
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- Sites add their facts to it.
export interface Facts {}

/**
 * The configuration of any section: the table `[sections.<name>.config]` of the gateway's configuration. It is public, as
 * {@link Facts} are.
 */
export type SectionConfiguration = Readonly<Record<string, unknown>>;

/**
 * What the gateway's integrations tell sections, by the name of the integration. One that is not configured is absent. The
 * packages that use an integration declare its type, as in {@link Facts}.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- Packages add integrations to it.
export interface Integrations {}

/** A navigation link. */
export interface NavigationLink {
  /** Link text. */
  readonly label: string;
  /** Path on this site. */
  readonly path: string;
}

/** What the operator's configuration says about the site. A change needs no rebuild of any section. */
export interface Site {
  /** The site's name. */
  readonly brand: string;
  /** Public origin without a trailing slash, such as `https://example.com`. */
  readonly origin: string;
  /** Contact e-mail address. */
  readonly contact: string;
  /** Language of the site, a BCP 47 tag such as `en` or `pt-BR`. */
  readonly language: string;
  /** Whether the gateway logs client IP addresses. */
  readonly logsClientIp: boolean;
  /** Links of the header menu and of the footer. */
  readonly navigation: {
    readonly menu: readonly NavigationLink[];
    readonly footer: readonly NavigationLink[];
  };
  /** The site's own facts. */
  readonly facts: Facts;
  /** What the gateway's integrations tell sections. */
  readonly integrations: Integrations;
  /** Today's date in UTC, `YYYY-MM-DD`. */
  readonly today: string;
}
