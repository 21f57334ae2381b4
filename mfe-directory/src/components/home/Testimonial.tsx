import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import { fill } from "../../text/fill";
import css from "./Testimonial.module.css";

/** What a testimonial would look like. It is labelled as a sample, and nobody's name stands below it. */
export function Testimonial(): ReactElement {
  const { brand } = useSite();
  const { label, note, quote } = home.testimonial;
  return (
    <section className={css.testimonial} aria-labelledby="testimonial">
      <h2 id="testimonial" className="badge sample">
        {label}
      </h2>
      <blockquote>
        <p>{fill(quote, { brand })}</p>
      </blockquote>
      <p className={css.note}>{fill(note, { brand })}</p>
    </section>
  );
}
