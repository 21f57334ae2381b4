/** A link of the site's navigation. */
export interface NavigationLink {
  /** What the link says. */
  readonly label: string;
  /** Path on this site. */
  readonly path: string;
}

/** The partner that visitors are taken to when sign-up is out of reach. */
export interface Partner {
  /** Its key in the configuration: `/go/{id}` leads there. */
  readonly id: string;
  /** What the site calls it. */
  readonly name: string;
  /** Host of its address, to be shown beside its name. */
  readonly host: string;
  /** Its full address with the configured tracking parameters, for when the gateway cannot be reached. */
  readonly url: string;
}

/** What a section may know of the site it is part of. From the operator's configuration; nothing is rebuilt to change it. */
export interface SiteFacts {
  /** The site's name. */
  readonly brand: string;
  /** Public origin, such as `https://example.com`, without a trailing slash. */
  readonly origin: string;
  /** E-mail address visitors may write to. */
  readonly contact: string;
  /** Who runs the site, in words that can stand within a sentence. */
  readonly legalEntity: string;
  /** Where data is processed, in words such as `the United States`. */
  readonly processingCountry: string;
  /** How long data is kept, in words. */
  readonly retention: string;
  /** The law the terms stand under, in words. */
  readonly governingLaw: string;
  /** Whether the gateway's log names the network address of each visitor. */
  readonly logsAddresses: boolean;
  /** The links of the header's menu and of the footer. */
  readonly navigation: {
    readonly menu: readonly NavigationLink[];
    readonly footer: readonly NavigationLink[];
  };
  /** Where sign-ups go. */
  readonly signup: {
    /** Path of the page with the sign-up form, where join buttons lead without JavaScript. */
    readonly page: string;
    /** Path of the page where a sign-up without a place of its own ends. */
    readonly success: string;
    /** Host that receives what the sign-up form sends, or null where none is configured. */
    readonly host: string | null;
    /** Hosts besides this origin that a sign-up's redirect may lead to, over https. */
    readonly redirectHosts: readonly string[];
  };
  /** Null where none is configured for sign-ups. */
  readonly partner: Partner | null;
  /** Today's date in UTC, `YYYY-MM-DD`. */
  readonly today: string;
}
