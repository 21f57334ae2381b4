/**
 * Creates the section. Browsers and the gateway run the text of this function, so it uses only its arguments: the shared
 * packages `react` and `@colonnade/kit`.
 *
 * @param {{ createElement: Function, useState: Function }} react
 * @param {{ Link: Function, notFound: Function, pathTo: Function }} kit
 */
export function createSection({ createElement, useState }, { Link, notFound, pathTo }) {
  const PATTERN = "/plain/:language";
  const GREETINGS = new Map([
    ["Dutch", "Hallo"],
    ["Welsh", "Shwmae"],
  ]);
  const pathOf = (language) => pathTo(PATTERN, { language });

  function Greeting({ data: { language, words } }) {
    const [times, setTimes] = useState(1);
    const others = [...GREETINGS.keys()].filter((other) => other !== language);
    return createElement(
      "div",
      { className: "page" },
      createElement("h1", null, words),
      createElement("p", null, `${language}, said ${times} times.`),
      createElement("button", { className: "button", onClick: () => setTimes(times + 1) }, "Say it again"),
      others.map((other) => createElement(Link, { key: other, to: pathOf(other) }, other)),
    );
  }

  const page = {
    data({ params: { language } }) {
      const words = GREETINGS.get(language);
      return words === undefined ? notFound("Language not found") : { language, words };
    },
    head: ({ data, site }) => ({
      title: `Hello in ${data.language} - ${site.brand}`,
      description: `How people say hello in ${data.language}.`,
      canonical: pathOf(data.language),
      robots: "noindex",
    }),
    Component: Greeting,
  };

  const extension = {
    data: ({ props: { state } }) => ({ state, languages: [...GREETINGS.keys()] }),
    Component: ({ data: { state, languages } }) =>
      createElement(
        "p",
        null,
        `Say hello to ${state} in `,
        languages.map((language, index) => [
          index > 0 && " or ",
          createElement(Link, { key: language, to: pathOf(language) }, language),
        ]),
        ".",
      ),
  };

  return {
    name: "plain",
    contract: 1,
    pages: { [PATTERN]: () => Promise.resolve({ page }) },
    extensions: { "directory/state-aside@1": () => Promise.resolve({ extension }) },
  };
}
