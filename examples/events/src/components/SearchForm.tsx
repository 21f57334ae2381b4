import { Button, Field, useNavigate } from "@colonnade/kit";
import type { ReactElement } from "react";

import { SEARCH_ACTION, typedSearchPath } from "../paths";
import type { City } from "../schemas";
import css from "./SearchForm.module.css";

interface Props {
  readonly city: City;
  /** The words that the page shows results for, or "". */
  readonly search: string;
}

/**
 * Searches the events of a city. With JavaScript, it navigates to the page with the results. Without, the API redirects there,
 * because documents do not depend on the query string that a form appends.
 */
export function SearchForm({ city, search }: Props): ReactElement {
  const navigate = useNavigate();
  return (
    <form
      role="search"
      method="get"
      action={SEARCH_ACTION}
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        const text = new FormData(event.currentTarget).get("search");
        void navigate(typedSearchPath(city.slug, typeof text === "string" ? text : ""));
      }}
    >
      <input type="hidden" name="city" value={city.slug} />
      {/* The key resets the field after a navigation to other results. */}
      <Field
        key={search}
        label={`Search ${city.name}`}
        type="search"
        name="search"
        defaultValue={search}
        maxLength={60}
      >
        <Button type="submit" quiet>
          Search
        </Button>
      </Field>
    </form>
  );
}
