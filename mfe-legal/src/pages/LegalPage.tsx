import { useSite } from "@colonnade/kit";
import { fillFacts, formatDate } from "@colonnade/design/text";
import type { ReactElement, ReactNode } from "react";

import type { LegalText } from "../legalText";
import css from "./legal.module.css";

function DateText({ date }: { readonly date: string }): ReactElement {
  return <time dateTime={date}>{formatDate(date)}</time>;
}

function Contents({ sections }: Pick<LegalText, "sections">): ReactElement {
  return (
    <nav className={css.contents} aria-labelledby="contents">
      <h2 id="contents">Contents</h2>
      <ol>
        {sections.map(({ id, heading }) => (
          <li key={id}>
            <a href={`#${id}`}>{heading}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** A legal text with dates and numbered sections. `children` appear between the dates and the text. */
export function LegalPage({
  text,
  children,
}: {
  readonly text: LegalText;
  readonly children?: ReactNode;
}): ReactElement {
  const site = useSite();
  return (
    <div className="page">
      <header className={css.header}>
        <h1>{fillFacts(text.title, site)}</h1>
        <p>
          <span>
            Last updated <DateText date={site.today} />
          </span>
          <span>
            Text in force since <DateText date={text.inForce} />
          </span>
        </p>
      </header>
      <div className={css.columns}>
        <Contents sections={text.sections} />
        <div className={css.text}>
          {children}
          <div className={`prose ${css.preamble ?? ""}`}>{text.preamble}</div>
          {text.sections.map(({ id, heading, body }, index) => (
            <section key={id} id={id} className={`prose ${css.section ?? ""}`}>
              <h2>
                <span>{index + 1}.</span> {heading}
              </h2>
              {body}
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}
