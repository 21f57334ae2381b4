import { definePage, Link, notFound, pathTo, useSite } from "@colonnade/kit";
import { useState, type ReactElement } from "react";

import css from "./greeting.module.css";

const GREETINGS: ReadonlyMap<string, string> = new Map([
  ["Dutch", "Hallo"],
  ["Welsh", "Shwmae"],
]);

function pathOf(language: string): string {
  return pathTo("/vite/:language", { language });
}

function Counter({ language }: { readonly language: string }): ReactElement {
  const [times, setTimes] = useState(1);
  const { brand } = useSite();
  return (
    <>
      <p className={css.counter}>{`${brand} said it in ${language} ${String(times)} times.`}</p>
      <button
        type="button"
        onClick={() => {
          setTimes(times + 1);
        }}
      >
        Say it again
      </button>
    </>
  );
}

/** One language's greeting. */
export const page = definePage({
  data: ({ params: { language = "" } }) => {
    const words = GREETINGS.get(language);
    return words === undefined ? notFound("Language not found") : { language, words };
  },
  paths: () => [...GREETINGS.keys()].map(pathOf),
  head: ({ data, site }) => ({
    title: `Hello in ${data.language} - ${site.brand}`,
    description: `How people say hello in ${data.language}.`,
    canonical: pathOf(data.language),
    robots: "noindex",
  }),
  Component: ({ data: { language, words } }) => (
    <div>
      <h1>{words}</h1>
      <Counter language={language} />
      {[...GREETINGS.keys()]
        .filter((other) => other !== language)
        .map((other) => (
          <Link key={other} to={pathOf(other)}>
            {other}
          </Link>
        ))}
    </div>
  ),
});
