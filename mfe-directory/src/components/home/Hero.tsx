import { useSite } from "@colonnade/kit";
import { fillFacts } from "@colonnade/kit/text";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import { Arcade } from "./Arcade";
import css from "./Hero.module.css";

/** The home page's opening: what this is, in a few words. */
export function Hero(): ReactElement {
  const site = useSite();
  const { heading, tagline, text } = home.hero;
  return (
    <header className={css.hero}>
      <div className={css.words}>
        <h1>{fillFacts(heading, site)}</h1>
        <p className={css.tagline}>{fillFacts(tagline, site)}</p>
        <p className={css.text}>{fillFacts(text, site)}</p>
        <a className="button quiet" href="#states">
          Choose a state
        </a>
      </div>
      <Arcade className={css.arcade} />
    </header>
  );
}
