import { useSite } from "@colonnade/kit";
import { defineExtension } from "@colonnade/kit/extensions";
import type { ReactElement } from "react";

import css from "../books.module.css";
import "../settings";

function Today(): ReactElement {
  const { facts, today } = useSite();
  const day = (new Date(today).getUTCDay() + 6) % 7;
  return <p className={css.today}>Heute: {facts.openingHours[day]}</p>;
}

export const extension = defineExtension({ data: () => ({}), Component: Today });
