import { classes } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { statePath } from "../../data/links";
import { shadeOf, SHADES, TILES } from "../../data/tiles";
import css from "./StateMap.module.css";

const SHADE_CLASSES = [css.shade1, css.shade2, css.shade3, css.shade4, css.shade5];
// Only a tile after a gap needs a column: the grid places the others after one another.
const COLUMN_CLASSES: Readonly<Partial<Record<number, string | undefined>>> = {
  0: css.column1,
  1: css.column2,
  3: css.column4,
  5: css.column6,
  8: css.column9,
  9: css.column10,
  10: css.column11,
};

function shadeText(index: number): string {
  const [least = 0, limit] = [SHADES[index], SHADES[index + 1]];
  if (limit === undefined) return `${String(least)}+ cities`;
  return index === 0 ? `under ${String(limit)}` : `${String(least)}–${String(limit - 1)}`;
}

/**
 * A tile map of the states, shaded by number of cities. The tiles are HTML, not SVG: the shell handles the links, and
 * the list is its own text equivalent.
 */
export function StateMap(): ReactElement {
  return (
    <section className={css.section} aria-labelledby="map">
      <div className={css.words}>
        <h2 id="map">Find your state on the map</h2>
        <p>Each tile is a state. The stronger its color, the more cities we list there.</p>
        <ul className={css.legend} aria-label="Cities per state">
          {SHADES.map((least, index) => (
            <li key={least}>
              <span className={classes(css.swatch, SHADE_CLASSES[index])} />
              {shadeText(index)}
            </li>
          ))}
        </ul>
      </div>
      <nav className={css.map} aria-label="Map of the states">
        <a className={classes("visually-hidden", css.skip)} href="#states">
          Skip the map
        </a>
        <ul className={classes("deferred-layout", css.tiles)}>
          {TILES.map(({ state, column, row }, index) => {
            const previous = TILES[index - 1];
            const follows = previous?.row === row && previous.column === column - 1;
            return (
              <li key={state.code} className={follows ? undefined : COLUMN_CLASSES[column]}>
                <Link
                  to={statePath(state.name)}
                  className={SHADE_CLASSES[shadeOf(state)]}
                  // Contains the visible text, for visitors who say what they see.
                  aria-label={`${state.code} ${String(state.cityCount)} cities in ${state.name}`}
                >
                  {`${state.code} `}
                  <small>{state.cityCount}</small>
                </Link>
              </li>
            );
          })}
        </ul>
      </nav>
    </section>
  );
}
