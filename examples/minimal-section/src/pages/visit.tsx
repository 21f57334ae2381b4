import { definePage, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import css from "../books.module.css";
import { DAYS } from "../settings";

function Visit(): ReactElement {
  const { address, openingHours } = useSite().facts;
  return (
    <>
      <h1>Besuchen Sie uns</h1>
      <p>{address}</p>
      <h2>Öffnungszeiten</h2>
      <dl className={css.hours}>
        {DAYS.map((day, index) => (
          <div key={day}>
            <dt>{day}</dt>
            <dd>{openingHours[index]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => ["/besuch"],
  head: ({ site }) => ({ title: `Besuch - ${site.brand}`, description: "Adresse und Zeiten.", canonical: "/besuch" }),
  Component: Visit,
});
