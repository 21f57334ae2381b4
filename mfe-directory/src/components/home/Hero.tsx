import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import { fill } from "../../text/fill";
import { Arcade } from "./Arcade";
import css from "./Hero.module.css";

/** The home page's opening: what this is, in a few words. */
export function Hero(): ReactElement {
  const { brand } = useSite();
  const { heading, tagline, text } = home.hero;
  return (
    <header className={css.hero}>
      <div className={css.words}>
        <h1>{fill(heading, { brand })}</h1>
        <p className={css.tagline}>{fill(tagline, { brand })}</p>
        <p className={css.text}>{fill(text, { brand })}</p>
        <a className="button quiet" href="#states">
          Choose a state
        </a>
      </div>
      <Arcade className={css.arcade} />
    </header>
  );
}
