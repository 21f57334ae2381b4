import { Button, ExitPage } from "@colonnade/design";
import { Link, useHydrated, useSite } from "@colonnade/kit";
import { defineChannel } from "@colonnade/kit/extensions";
import { useLayoutEffect, useState, type ReactElement, type ReactNode } from "react";

import { clearTab, contentsOfUnused, readContents, subscribe, type Contents } from "./contents";
import { RECEIPT_PATH } from "./paths";
import css from "./receipt.module.css";

/** The names of what a closed sign-up form keeps in memory. */
const typedNames = defineChannel<readonly string[]>("signup/typed");

/** What is said of a form after its fields. */
const REMARKS = {
  accepted: "",
  refused: ". It was refused.",
  stopped: ". Refused by this site, not passed on.",
  unknown: ". It may not have arrived.",
} as const;

/** A time in the visitor's time zone, which only the browser knows. Empty on the server. */
function Moment({ at }: { readonly at: string }): ReactElement {
  const format = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;
  // eslint-disable-next-line @colonnade/section -- Only after hydration: until then it is empty.
  return <time dateTime={at}>{at && new Date(at).toLocaleString("en-US", format)}</time>;
}

function Row({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A list, or a text if it is empty. */
function List({ items, empty }: { readonly items: readonly ReactElement[]; readonly empty: string }): ReactElement {
  return items.length === 0 ? <p>{empty}</p> : <ul>{items}</ul>;
}

function Kept({ cities, sent, closed, signedUp, unknown }: Contents): ReactElement {
  const typed = typedNames.useLast() ?? [];
  return (
    <dl>
      <Row label="Ad lists of cities">
        <List
          empty="Nothing yet"
          items={cities.map(({ path, state, city }) => (
            <li key={path}>
              <Link to={path} rel="nofollow">{`${city}, ${state}`}</Link>
            </li>
          ))}
        />
      </Row>
      <Row label="Sign-up">
        {closed && <p>The word “closed”</p>}
        {signedUp && <p>A mark that a sign-up worked. The next page that says so removes it.</p>}
        {sent.length > 0 && <p>The sign-up forms listed below</p>}
        {typed.length > 0 && <p>{`In the page’s memory, as typed in the form: your ${typed.join(" and ")}`}</p>}
        {!closed && !signedUp && sent.length + typed.length === 0 && <p>Nothing yet</p>}
      </Row>
      {unknown.length > 0 && (
        <Row label="Not from this version of the site">
          <List
            empty=""
            items={unknown.map((key) => (
              <li key={key}>
                <code>{key}</code>
              </li>
            ))}
          />
        </Row>
      )}
    </dl>
  );
}

function Left({ sent, asked, full }: Contents): ReactElement {
  return (
    <dl>
      <Row label="Sign-up forms">
        <List
          empty="Nothing yet"
          items={sent.map(({ at, host, fields, result }) => (
            <li key={at}>
              <Moment at={at} />, <span>{result === "stopped" ? "to this site, for" : "through this site to"}</span>{" "}
              <strong>{host}</strong>: {fields.join(", ")}
              <span>{REMARKS[result ?? "unknown"]}</span>
            </li>
          ))}
        />
      </Row>
      <Row label="Requests for pages and files">
        <ul>
          {asked.map(({ host, own, at }) => (
            <li key={own ? "own" : host}>
              To <strong>{host}</strong>
              {own && <span> (this site)</span>}, <span>{full ? "at least until" : "last"}</span> <Moment at={at} />
            </li>
          ))}
        </ul>
      </Row>
    </dl>
  );
}

/** Clears the tab, and leaves the site if it knows where to. */
function Clear({ closed }: { readonly closed: boolean }): ReactElement {
  const hydrated = useHydrated();
  const hasExit = useSite().facts.exit.startsWith("https://");
  return (
    <div className={css.clear}>
      {hasExit ? (
        <ExitPage className={css.exit} {...(hydrated && { label: "Clear it and leave", onLeave: clearTab })} />
      ) : (
        <div className={hydrated ? css.exit : css.waiting}>
          <Button
            quiet
            onClick={() => {
              clearTab();
              // A new document also forgets what is in memory.
              if (window.location.pathname === RECEIPT_PATH) window.location.reload();
              else window.location.replace(RECEIPT_PATH);
            }}
          >
            Clear it
          </Button>
          <small>“Clear it” stays on this site, and loads the page that shows what is left.</small>
        </div>
      )}
      {closed && (
        <p>
          One thing stays: the word “closed.” An age under 18 was stated in this tab, so sign-up stays closed here. The
          word holds no age, and goes when you close the tab.
        </p>
      )}
    </div>
  );
}

interface ReceiptProps {
  /** Level of the headings. */
  readonly heading: "h2" | "h3";
}

/**
 * What this tab keeps, what left it, when and to whom; and a way to clear it. On the server and without JavaScript it is that of
 * an empty tab, hidden, so that nothing moves.
 */
export function Receipt({ heading: Heading }: ReceiptProps): ReactElement {
  const hydrated = useHydrated();
  const { origin } = useSite();
  const [contents, setContents] = useState(() => contentsOfUnused(origin));
  // Before the browser paints, so that a dialog never shows the empty one.
  useLayoutEffect(() => {
    const read = (): void => {
      setContents(readContents());
    };
    read();
    return subscribe(read);
  }, []);
  return (
    <div className={css.receipt}>
      <div className={hydrated ? css.live : css.waiting}>
        <section>
          <Heading>This tab keeps</Heading>
          <Kept {...contents} />
        </section>
        <section>
          <Heading>This tab sent</Heading>
          <Left {...contents} />
        </section>
      </div>
      <Clear closed={contents.closed} />
    </div>
  );
}
