import { definePage } from "@colonnade/kit";

/** A page with a component that other pages have, too. */
export const boxPage = (name, Component) =>
  definePage({
    data: () => null,
    paths: () => [`/packages/${name}`],
    head: () => ({ title: name, description: `Page ${name}.`, canonical: `/packages/${name}`, robots: "noindex" }),
    Component: () => (
      <>
        <h1>{name}</h1>
        <Component />
      </>
    ),
  });
