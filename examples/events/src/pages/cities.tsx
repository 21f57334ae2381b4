import { Card, definePage, Grid, Link, query } from "@colonnade/kit";

import { SECTION_NAME, trailTo } from "../breadcrumbs";
import { DataAge } from "../components/DataAge";
import { PageFrame } from "../components/PageFrame";
import { SampleNotice } from "../components/SampleNotice";
import { Unavailable } from "../components/Unavailable";
import { CITIES_PATH, citiesQuery, listPath } from "../paths";
import { citiesSchema } from "../schemas";

/** All cities. */
export const page = definePage({
  queries: ({ site }) => ({ cities: query(citiesQuery(site.today), citiesSchema) }),
  data: ({ results: { cities } }) => (cities.ok ? cities.value : null),
  paths: () => [CITIES_PATH],
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
          <SampleNotice />
          <Grid>
            {data.cities.map(({ slug, name, state, events }) => (
              <li key={slug}>
                <Card linked>
                  <h2>
                    <Link to={listPath({ city: slug })}>{name}</Link>
                  </h2>
                  <p>{state}</p>
                  <p>{events === 0 ? "No events" : `${String(events)} events`}</p>
                </Card>
              </li>
            ))}
          </Grid>
          <DataAge asOf={data.asOf} path={CITIES_PATH} />
        </>
      ) : (
        <Unavailable what="The cities are unavailable" path={CITIES_PATH} />
      )}
    </PageFrame>
  ),
});
