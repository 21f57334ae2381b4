// What the bundled site has besides what every site has: its facts, its integrations, and how its shell draws the frame.
import type { Site } from "@colonnade/kit";

/** How sign-up works on this site. */
export interface Signup {
  /** Path of the page with the sign-up form. Join buttons link to it without JavaScript. */
  readonly page: string;
  /** Path of the default success page. */
  readonly success: string;
  /** Host of the sign-up backend, from its URL. Null if the site has no sign-up. */
  readonly host: string | null;
  /** Name of the sign-up service. Null if it has none. */
  readonly name: string | null;
  /** Where visitors sign in after a sign-up. Null if the site does not know it. */
  readonly signInUrl: string | null;
  /** Hosts, besides this origin, that the sign-up backend may redirect to over HTTPS. */
  readonly redirectHosts: readonly string[];
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

/** The header of a page. `menu`: logo and menu. `plain`: logo only, at the start. `logo`: logo only, centered. */
export type HeaderVariant = "menu" | "plain" | "logo";

declare module "@colonnade/kit" {
  interface Facts {
    /** The operator of the site, phrased for use within a sentence. */
    readonly legalEntity: string;
    /** Where data is processed, such as `the United States`. */
    readonly processingCountry: string;
    /** How long data is retained, as text. */
    readonly retention: string;
    /** Governing law of the terms, as text. */
    readonly governingLaw: string;
    /** Where "Leave this site" leads: an `https` URL of a site that anyone may have open. */
    readonly exit: string;
  }

  interface Integrations {
    /** Absent if sign-up is not configured. */
    readonly signup?: Signup;
    /** Absent if no partner is configured for sign-up. */
    readonly partner?: Partner;
  }

  interface Layout {
    /** Default: `menu`. */
    readonly header?: HeaderVariant;
    /** Last line of the footer. Default: `18+ only`. */
    readonly footerNote?: string;
  }
}

const WITHOUT_BACKEND: Signup = {
  page: "/signup",
  success: "/success",
  host: null,
  name: null,
  signInUrl: null,
  redirectHosts: [],
};

/** Returns how sign-up works on this site. `host` is null if the site has no sign-up. */
export function signupOf({ integrations }: Site): Signup {
  return integrations.signup ?? WITHOUT_BACKEND;
}

/** Who receives a sign-up, as text: the name of the service with its host, or the host. Null if the site has no sign-up. */
export function recipientOf(site: Site): string | null {
  const { host, name } = signupOf(site);
  return host !== null && name !== null ? `${name} (${host})` : host;
}
