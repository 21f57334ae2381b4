import type { ReactElement } from "react";

import { ART } from "../../art";
import css from "./AdPhotos.module.css";

/** The two pictures of a featured ad. Not lazy, because they are in the first row. */
export function AdPhotos({ names }: { readonly names: readonly [string, string] }): ReactElement {
  return (
    <div className={css.photos}>
      {names.map((name) => (
        <img key={name} src={ART[name]} width={320} height={400} alt="Abstract placeholder, not a photo" />
      ))}
    </div>
  );
}
