import { Link } from "@colonnade/kit";

import "./box.css";

/** A box with links to all pages that have one. Their stylesheets set its color with equal specificity. */
export function Box() {
  return (
    <p className="box">
      {["one", "two", "three"].map((name) => (
        <Link key={name} to={`/packages/${name}`}>
          {name}
        </Link>
      ))}
    </p>
  );
}
