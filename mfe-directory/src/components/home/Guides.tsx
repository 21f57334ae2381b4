import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import css from "./Guides.module.css";

/** Links to the guides that matter most, and to all guides. */
export function Guides(): ReactElement {
  const { heading, links, all } = home.guides;
  return (
    <section className={css.section} aria-labelledby="guides">
      <h2 id="guides">{heading}</h2>
      <ul>
        {links.map(({ path, title, text }) => (
          <li key={path}>
            <Link to={path}>{title}</Link>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <Link to={all.path} className={css.all}>
        {all.title}
      </Link>
    </section>
  );
}
