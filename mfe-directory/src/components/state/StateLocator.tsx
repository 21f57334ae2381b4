import { classes } from "@colonnade/design";
import type { ReactElement, SVGProps } from "react";

import type { LabelSide } from "../../data/geography";
import type { Label, StateLocation } from "../../data/maps";
import { POPULATION_CLASSES } from "../../map/sizes";
import { formatCount } from "../../text/formatCount";
import { Chips } from "../map/Chips";
import { OutlineMap } from "../map/OutlineMap";
import { PointedMap } from "./PointedMap";
import css from "./StateLocator.module.css";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  readonly location: StateLocation;
}

/** What a map leaves out, and whose populations overlap. */
const NOTES: Readonly<Partial<Record<string, string>>> = {
  Alaska: "The map leaves out the western Aleutian Islands.",
  Hawaii: "The map leaves out the northwestern islands.",
  "New York": "Brooklyn, Queens, Manhattan, the Bronx, and Staten Island are part of New York City and its total.",
};

const DOTS = [css.small, css.medium, css.large];

/** Size of the letters on a wide screen, in units of the map. */
const LETTERS = 13;

/** Attributes of a name by the side of its dot. */
const LABEL_PLACES: Readonly<Record<LabelSide, (label: Label, size: number) => SVGProps<SVGTextElement>>> = {
  right: ({ x, y }, size) => ({ x: x + 8, y: y + Math.round(size / 3) }),
  left: ({ x, y }, size) => ({ x: x - 8, y: y + Math.round(size / 3), textAnchor: "end" }),
  top: ({ x, y }) => ({ x, y: y - 9, textAnchor: "middle" }),
  bottom: ({ x, y }) => ({ x, y: y + 8, textAnchor: "middle", dominantBaseline: "hanging" }),
};

interface LabelsProps {
  readonly className: string | undefined;
  readonly labels: readonly Label[];
  readonly size: number;
}

function Labels({ className, labels, size }: LabelsProps): ReactElement {
  return (
    <g className={className} fontSize={size}>
      {labels.map((label) => (
        <text key={label.city} {...LABEL_PLACES[label.side](label, size)}>
          {label.city}
        </text>
      ))}
    </g>
  );
}

const thousands = (count: number): string => `${String(count / 1000)}k`;

function classText(index: number): string {
  const [least = 0, limit] = [POPULATION_CLASSES[index], POPULATION_CLASSES[index + 1]];
  return least === 0 && limit !== undefined ? `under ${thousands(limit)} residents` : `${thousands(least)}+`;
}

/** A map of a state's cities, and its largest cities. */
export function StateLocator({ state, cities, location }: Props): ReactElement {
  const { outline, dots, labels, phone, largest } = location;
  const shown = dots.map((path, index) => ({ path, index })).filter(({ path }) => path !== "");
  const positions = labels.map(({ city, region }) => `${city} in the ${region}`).join(", ");
  return (
    <section className={css.locator} aria-labelledby="largest">
      <figure className={css.map}>
        <PointedMap state={state} cities={cities}>
          <OutlineMap
            outline={outline}
            label={`Map of ${state} with its ${cities.length === 1 ? "city" : `${String(cities.length)} cities`}: ${positions}.`}
          >
            {shown.map(({ path, index }) => (
              <path key={index} className={classes(css.dots, DOTS[index])} d={path} />
            ))}
            <Labels className={css.wide} labels={labels} size={LETTERS} />
            <Labels className={css.phone} labels={phone.labels} size={phone.size} />
          </OutlineMap>
        </PointedMap>
        <figcaption className={css.legend}>
          {shown.map(({ index }) => (
            <span key={index}>
              <svg viewBox="-6 -6 12 12" width={12} height={12} aria-hidden="true">
                <path className={classes(css.dots, DOTS[index])} d="M0 0h0" />
              </svg>
              {classText(index)}
            </span>
          ))}
        </figcaption>
      </figure>
      <div className={css.largest}>
        <h2 id="largest">Largest cities</h2>
        <Chips
          labelledBy="largest"
          chips={largest.map(({ city, population }) => ({
            place: { state, city },
            name: city,
            detail: formatCount(population),
          }))}
        />
        <p className={css.source}>Population: GeoNames (no year given). {NOTES[state]} Outline: U.S. Census Bureau.</p>
      </div>
    </section>
  );
}
