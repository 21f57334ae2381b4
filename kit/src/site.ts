/** A navigation link. */
export interface NavigationLink {
  /** Link text. */
  readonly label: string;
  /** Path on this site. */
  readonly path: string;
}

/** The partner site offered to visitors if sign-up is unavailable. */
export interface Partner {
  /** Key in the gateway's configuration. `/go/{id}` redirects to the partner. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Host of the partner's URL, shown next to its name. */
  readonly host: string;
  /** Full URL with the configured tracking parameters. Used if the gateway is unreachable. */
  readonly url: string;
}

/** The site's facts, from the operator's configuration. A change needs no rebuild of any section. */
export interface SiteFacts {
  /** The site's name. */
  readonly brand: string;
  /** Public origin without a trailing slash, such as `https://example.com`. */
  readonly origin: string;
  /** Contact e-mail address. */
  readonly contact: string;
  /** The operator of the site, phrased for use within a sentence. */
  readonly legalEntity: string;
  /** Where data is processed, such as `the United States`. */
  readonly processingCountry: string;
  /** How long data is retained, as text. */
  readonly retention: string;
  /** Governing law of the terms, as text. */
  readonly governingLaw: string;
  /** Whether the gateway logs client IP addresses. */
  readonly logsClientIp: boolean;
  /** Links of the header menu and of the footer. */
  readonly navigation: {
    readonly menu: readonly NavigationLink[];
    readonly footer: readonly NavigationLink[];
  };
  /** Sign-up settings. */
  readonly signup: {
    /** Path of the page with the sign-up form. Join buttons link to it without JavaScript. */
    readonly page: string;
    /** Path of the default success page. */
    readonly success: string;
    /** Host of the sign-up backend, or null if none is configured. */
    readonly host: string | null;
    /** Hosts, besides this origin, that the sign-up backend may redirect to over HTTPS. */
    readonly redirectHosts: readonly string[];
  };
  /** Null if no partner is configured for sign-up. */
  readonly partner: Partner | null;
  /** Today's date in UTC, `YYYY-MM-DD`. */
  readonly today: string;
}
