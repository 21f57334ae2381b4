import type { ReactElement } from "react";

import { ART } from "../../art";
import css from "./AdPhotos.module.css";

/** The two pictures of a featured ad. They stand in the first row of a list, so they are not lazy. */
export function AdPhotos({ names }: { readonly names: readonly [string, string] }): ReactElement {
  return (
    <div className={css.photos}>
      {names.map((name) => (
        <img key={name} src={ART[name]} width={320} height={400} alt="Abstract placeholder, not a photo" />
      ))}
    </div>
  );
}
