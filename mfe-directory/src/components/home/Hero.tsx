import { useSite } from "@colonnade/kit";
import { TempleArt } from "@colonnade/design/art";
import { fillFacts } from "@colonnade/design/text";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import { STATES } from "../../data/states";
import { formatCount } from "../../text/formatCount";
import { PlaceSearch } from "../search/PlaceSearch";
import css from "./Hero.module.css";

const CITIES = formatCount(STATES.reduce((sum, { cityCount }) => sum + cityCount, 0));

/** The home page's header, with the place search and a link to the states. */
export function Hero(): ReactElement {
  const site = useSite();
  const { heading, tagline, text } = home.hero;
  return (
    <header className={css.hero}>
      <div className={css.words}>
        <h1>{fillFacts(heading, site)}</h1>
        <p>{fillFacts(tagline, site)}</p>
        <PlaceSearch />
        <div className={css.actions}>
          <a className="button quiet" href="#states">
            Choose a state
          </a>
          <p>{`${String(STATES.length)} states, ${CITIES} cities`}</p>
        </div>
        <p>{fillFacts(text, site)}</p>
      </div>
      <TempleArt className={css.temple} />
    </header>
  );
}
