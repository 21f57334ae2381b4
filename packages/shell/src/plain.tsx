/**
 * Parts of a shell in plain, semantic HTML: without classes, and without styles of their own. A shell that does not import
 * this module contains none of it.
 *
 * @module plain
 */
import { Link, useSite, type NotFound } from "@colonnade/kit";
import { useTransition, type ReactElement } from "react";

import { NavigationLinks, type NavigationLinksProps } from "./NavigationLinks.js";
import type { FrameProps, RetryProps, ShellParts } from "./parts.js";

/** The words of the plain parts. */
export interface PlainWords {
  /** The skip link. */
  readonly skip: string;
  /** Name of the navigation in the header, for screen readers. */
  readonly menu: string;
  /** Name of the navigation in the footer, for screen readers. */
  readonly footer: string;
  /** Shown while a page loads. */
  readonly loading: string;
  /** Below the heading of the not-found page. */
  readonly notFound: string;
  /** The link from the not-found page to the home page. */
  readonly home: string;
  /** Heading in place of a section that failed. */
  readonly failed: string;
  /** Below that heading. */
  readonly failedText: string;
  /** Heading in place of a page that cannot load because the browser is offline. */
  readonly offline: string;
  /** Below that heading. */
  readonly offlineText: string;
  /** The button that retries. */
  readonly retry: string;
  /** The button while it retries. */
  readonly retrying: string;
}

const WORDS: PlainWords = {
  skip: "Skip to content",
  menu: "Main",
  footer: "Footer",
  loading: "Loading…",
  notFound: "There is nothing at this address. It may have moved, or the link may have a mistake in it.",
  home: "Go to the home page",
  failed: "This part of the site is unavailable right now",
  failedText: "Everything else works as usual. You can try again, or go on to another page.",
  offline: "You’re offline",
  offlineText: "This page loads when you’re back online. To see the last page again, go back.",
  retry: "Try again",
  retrying: "Trying…",
};

/** Props of {@link Navigation}. */
export interface NavigationProps extends NavigationLinksProps {
  /** Its name, for screen readers. */
  readonly label: string;
}

/**
 * A list of links, if there are any. `aria-current` marks the link to the current page or to a page above it.
 *
 * @example
 * ```tsx
 * import { useSite } from "@colonnade/kit";
 * import { Navigation } from "@colonnade/shell/plain";
 *
 * export const Menu = ({ currentPath }: { currentPath: string | undefined }) => (
 *   <Navigation label="Menu" links={useSite().navigation.menu} currentPath={currentPath} />
 * );
 * ```
 */
export function Navigation({ label, links, currentPath }: NavigationProps): ReactElement | null {
  if (links.length === 0) return null;
  return (
    <nav aria-label={label}>
      <NavigationLinks links={links} currentPath={currentPath} />
    </nav>
  );
}

interface Worded {
  readonly words: PlainWords;
}

function PlainFrame({ words, currentPath, children }: FrameProps & Worded): ReactElement {
  const { brand, navigation } = useSite();
  return (
    <>
      <a href="#main">{words.skip}</a>
      <header>
        <Link to="/">{brand}</Link>
        <Navigation label={words.menu} links={navigation.menu} currentPath={currentPath} />
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer>
        <Navigation label={words.footer} links={navigation.footer} currentPath={currentPath} />
        <p>{brand}</p>
      </footer>
    </>
  );
}

function PlainNotFound({ words, heading, text, link }: Worded & NotFound): ReactElement {
  return (
    <>
      <h1>{heading}</h1>
      <p>{text ?? words.notFound}</p>
      {link && (
        <p>
          <Link to={link.path}>{link.label}</Link>
        </p>
      )}
      <p>
        <Link to="/">{words.home}</Link>
      </p>
    </>
  );
}

/** Says what failed, with a button that retries. It is never disabled, so that it keeps the focus. */
function Retry({
  words,
  heading,
  text,
  retry,
}: RetryProps & Worded & { readonly heading: string; readonly text: string }): ReactElement {
  const [retrying, start] = useTransition();
  return (
    <section role="alert">
      <h1>{heading}</h1>
      <p>{text}</p>
      <button
        type="button"
        aria-busy={retrying}
        onClick={() => {
          start(retry);
        }}
      >
        {retrying ? words.retrying : words.retry}
      </button>
    </section>
  );
}

/**
 * Returns plain parts with other words, such as those of another language. Missing words are English.
 *
 * @example
 * ```tsx
 * import { createShell } from "@colonnade/shell";
 * import { plainParts } from "@colonnade/shell/plain";
 *
 * export default createShell({
 *   ...plainParts({ skip: "Zum Inhalt", loading: "Wird geladen …", retry: "Erneut versuchen" }),
 *   titles: { notFound: "Seite nicht gefunden", failed: "Gerade nicht verfügbar" },
 * });
 * ```
 */
export function plainParts(others: Partial<PlainWords> = {}): ShellParts {
  const words = { ...WORDS, ...others };
  return {
    Frame: (props) => <PlainFrame words={words} {...props} />,
    Loading: () => <p aria-busy="true">{words.loading}</p>,
    NotFound: (props) => <PlainNotFound words={words} {...props} />,
    Failed: (props) => <Retry words={words} heading={words.failed} text={words.failedText} {...props} />,
    Offline: (props) => <Retry words={words} heading={words.offline} text={words.offlineText} {...props} />,
  };
}

/** Plain parts in English. `createShell(plain)` is a working shell; `createShell({ ...plain, Frame })` has its own frame. */
export const plain: ShellParts = /*#__PURE__*/ plainParts();
