import type { FunctionComponent } from "react";

import type { NotFound } from "./notFound.js";
import type { SiteFacts } from "./site.js";

/** What is known when a page's data is asked for. */
export interface DataContext {
  /** Decoded values of the pattern's `:param` segments. */
  readonly params: Readonly<Record<string, string>>;
  /** The site's facts, today's date among them. */
  readonly site: SiteFacts;
}

/** The answer to a form post without JavaScript, shown by the page that holds the form. */
export interface FormAnswer {
  /** What went wrong, in words. */
  readonly error: string;
  /** The e-mail address as it was typed. A password is never given back. */
  readonly email: string;
  /** Sign-up was out of reach, which is the only case in which a partner is offered. */
  readonly unreachable?: boolean;
  /** The stated age was under 18: sign-up ends, and nothing of what was typed is given back. */
  readonly underAge?: boolean;
}

/** One step of a breadcrumb trail. */
export interface Breadcrumb {
  /** The page's name. */
  readonly label: string;
  /** Path on this site, percent-encoded. */
  readonly path: string;
}

/** How a page shows where it is shared. */
export interface Social {
  /** `og:title`. */
  readonly title: string;
  /** `og:description`. */
  readonly description: string;
  /** `og:type`. */
  readonly type: "website" | "article";
  /** Path on this site, percent-encoded; made absolute with the site's origin. */
  readonly url: string;
}

/** A page's head, as data: the shell keeps the document's head in step with it. */
export interface Head {
  /** Content of the title element. */
  readonly title: string;
  /** Content of the description tag. */
  readonly description: string;
  /** Path on this site, percent-encoded; made absolute with the site's origin. */
  readonly canonical: string;
  /** Content of the robots tag, such as `noindex,nofollow`. Absent: the page may be indexed. */
  readonly robots?: string;
  /** Content of the keywords tag. Absent: there is no such tag. */
  readonly keywords?: string;
  /** Absent: the page has no social tags. */
  readonly social?: Social;
  /** The trail to the page, itself last. */
  readonly breadcrumbs?: readonly Breadcrumb[];
}

/** What a page asks of the frame around it. */
export interface Layout {
  /** `menu`: logo and menu. `plain`: logo alone, at the start. `logo`: logo alone, centred. */
  readonly header: "menu" | "plain" | "logo";
  /** The footer's last line. */
  readonly footerNote: string;
}

/** What every page has where it says nothing else. */
export const DEFAULT_LAYOUT: Layout = { header: "menu", footerNote: "18+ only" };

/** Props of a page's component. */
export interface PageProps<Data> {
  /** What the page's `data` returned. */
  readonly data: Data;
  /** Present only in the answer to a form post. */
  readonly form?: FormAnswer;
}

/**
 * One kind of page. Everything here runs on the server too: no window, timers, fetch, clock, randomness
 * or locale-dependent formatting during `data`, `head`, `layout` and render; the day is `site.today`.
 */
export interface Page<Data> {
  /**
   * The page's data: serialisable, from the section's own modules (a split chunk may be imported),
   * never from the network. `notFound()` where the params name nothing.
   */
  data(context: DataContext): Data | NotFound | Promise<Data | NotFound>;
  /** Every path of the pattern, or a few examples, percent-encoded: for the sitemap, and to try the page. */
  paths?(): readonly string[];
  /** The page's head. */
  head(context: { readonly data: Data; readonly site: SiteFacts }): Head;
  /** What differs from {@link DEFAULT_LAYOUT}. */
  layout?(context: { readonly data: Data }): Partial<Layout>;
  /** Draws what stands between header and footer, with one `h1`. */
  readonly Component: FunctionComponent<PageProps<Data>>;
}

/**
 * A page whose data's type is not known. Nothing but what its own `data` returned may be handed to its
 * `head`, `layout` and `Component`.
 */
export type AnyPage = Omit<Page<never>, "data"> & { data(context: DataContext): unknown };

/** Declares a page. Returns its argument, with the type of its data inferred from `data`. */
export function definePage<Data>(page: Page<Data>): Page<Data> {
  return page;
}
