import { TextLink } from "@colonnade/design/text";
import type { ReactElement } from "react";

import css from "./Attribution.module.css";

/** The attribution that the license of the city names requires. */
export function Attribution(): ReactElement {
  return (
    <p className={css.attribution}>
      City names derived from <TextLink href="https://www.geonames.org/">GeoNames</TextLink>{" "}
      (https://www.geonames.org/), <TextLink href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</TextLink>;
      filtered and edited.
    </p>
  );
}
