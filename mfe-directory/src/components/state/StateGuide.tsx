import { Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import guide from "../../../content/state.json";
import { fill } from "../../text/fill";
import css from "./StateGuide.module.css";
import { Venues } from "./Venues";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
}

/** The guide below a state's cities: how to use the list, and sample venues. */
export function StateGuide({ state, cities }: Props): ReactElement {
  const { brand } = useSite();
  const read = (text: string): string => fill(text, { brand, state, count: String(cities.length) });
  return (
    <section className={css.guide} aria-labelledby="guide">
      <header>
        <h2 id="guide">{read(guide.heading)}</h2>
        <p className={css.tagline}>{read(guide.tagline)}</p>
      </header>
      <div className="prose">
        {guide.paragraphs.map((parts, index) => (
          <p key={index}>
            {parts.map((part) =>
              typeof part === "string" ? (
                read(part)
              ) : (
                <Link key={part.path} to={part.path}>
                  {read(part.label)}
                </Link>
              ),
            )}
          </p>
        ))}
      </div>
      <Venues groups={guide.venueGroups} state={state} cities={cities} />
    </section>
  );
}
