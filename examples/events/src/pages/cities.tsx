import { Card, Grid } from "@colonnade/design";
import { definePage, Link, query } from "@colonnade/kit";

import { SECTION_NAME, trailTo } from "../breadcrumbs";
import { DataAge } from "../components/DataAge";
import { PageFrame } from "../components/PageFrame";
import { SampleNotice } from "../components/SampleNotice";
import { Unavailable } from "../components/Unavailable";
import css from "./cities.module.css";
import { cities } from "../examples";
import { CITIES_PATH, citiesQuery, listPath } from "../paths";
import { citiesSchema } from "../schemas";

/** All cities. */
export const page = definePage({
  queries: ({ site }) => ({ cities: query(citiesQuery(site.today), citiesSchema) }),
  data: ({ results: { cities } }) => (cities.ok ? cities.value : null),
  paths: () => [CITIES_PATH],
  examples: () => [{ path: CITIES_PATH, results: { cities } }],
  head: ({ site }) => ({
    title: `${SECTION_NAME} - ${site.brand}`,
    description: "Sample events in a few cities.",
    canonical: CITIES_PATH,
    robots: "noindex",
    breadcrumbs: trailTo(),
  }),
  Component: ({ data }) => (
    <PageFrame trail={trailTo()} heading={SECTION_NAME}>
      {data ? (
        <>
          <DataAge asOf={data.asOf} path={CITIES_PATH} />
          <SampleNotice />
          <Grid>
            {data.cities.map(({ slug, name, state, events }) => (
              <li key={slug}>
                <Card linked>
                  <h2 className={css.city}>
                    <Link to={listPath({ city: slug })}>{name}</Link>
                  </h2>
                  <p>{state}</p>
                  <p className={css.count}>{events === 0 ? "No events" : `${String(events)} events`}</p>
                </Card>
              </li>
            ))}
          </Grid>
        </>
      ) : (
        <Unavailable what="The cities are unavailable" path={CITIES_PATH} />
      )}
    </PageFrame>
  ),
});
