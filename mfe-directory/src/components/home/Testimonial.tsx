import { Link, useSite } from "@colonnade/kit";
import { fillFacts } from "@colonnade/design/text";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import css from "./Testimonial.module.css";

/** A sample testimonial, labeled as a sample and without a name. */
export function Testimonial(): ReactElement {
  const site = useSite();
  const { label, link, note, quote } = home.testimonial;
  return (
    <section className={css.testimonial} aria-labelledby="testimonial">
      <h2 id="testimonial" className="badge sample">
        {label}
      </h2>
      <blockquote>
        <p>{fillFacts(quote, site)}</p>
      </blockquote>
      <p>
        {fillFacts(note, site)} <Link to={link.path}>{link.title}</Link>
      </p>
    </section>
  );
}
