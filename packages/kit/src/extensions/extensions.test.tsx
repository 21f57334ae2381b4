import { definePage, defineSection, type Section } from "@colonnade/kit";
import { defineExtension, defineExtensionPoint, ExtensionPoint, type PropsOf } from "@colonnade/kit/extensions";
import { inShell, renderPage } from "@colonnade/kit/testing";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";

afterEach(cleanup);

const aside = defineExtensionPoint<{ readonly city: string }>({
  id: "directory/city-aside",
  version: 2,
  max: 4,
  examples: [{ city: "Austin" }],
});

test("a point has its version in its reference", () => {
  expect(aside.reference).toBe("directory/city-aside@2");
});

test("an extension's component has the point's props and the extension's data", () => {
  const extension = defineExtension({
    queries: ({ props }: { props: { city: string } }) => ({ events: `/api/events?city=${props.city}` }),
    data: ({ results }) => (results.events.ok ? [results.events.value] : null),
    Component: ({ props, data }) => <p>{`${props.city} ${String(data.length)}`}</p>,
  });
  expectTypeOf(extension.Component).parameter(0).toHaveProperty("data").toEqualTypeOf<unknown[]>();
});

test("a point shows what it has in place of extensions, and only its place without", () => {
  const { container } = render(
    inShell(<ExtensionPoint point={aside} props={{ city: "Nome" }} empty={<p>Nothing</p>} />),
  );
  expect(container.innerHTML).toBe(
    '<div data-extension-point="directory/city-aside@2"></div><div data-extension-empty=""><p>Nothing</p></div>',
  );
  const { container: bare } = render(inShell(<ExtensionPoint point={aside} props={{ city: "Nome" }} />));
  expect(bare.innerHTML).toBe('<div data-extension-point="directory/city-aside@2"></div>');
});

test("other props than the point's do not compile", () => {
  // @ts-expect-error `city` is a string.
  expect(<ExtensionPoint point={aside} props={{ city: 7 }} />).toBeTruthy();
  // @ts-expect-error `city` is missing.
  expect(<ExtensionPoint point={aside} props={{}} />).toBeTruthy();
  // @ts-expect-error An extension gets no `state`.
  const data = ({ props }: { props: PropsOf<typeof aside> }) => ({ state: props.state as string });
  expect(defineExtension({ data, Component: () => null })).toHaveProperty("data", data);
});

describe("a page with an extension point", () => {
  const cityOf = (extensionPoints: readonly (typeof aside)[]): Section =>
    defineSection({
      name: "directory",
      contract: 1,
      pages: {
        "/:city": () =>
          Promise.resolve({
            page: definePage({
              extensionPoints,
              data: ({ params }) => ({ city: params.city ?? "" }),
              head: ({ data }) => ({ title: data.city, description: "", canonical: "/" }),
              Component: ({ data }) => <ExtensionPoint point={aside} props={data} empty={<p>Nothing</p>} />,
            }),
          }),
      },
    });
  const city = cityOf([aside]);

  test("shows an extension in its place, and otherwise what is shown without extensions", async () => {
    await renderPage(city, "/Austin", { extensions: { [aside.reference]: <p>Events</p> } });
    expect(screen.getByText("Events")).toBeTruthy();
    expect(screen.queryByText("Nothing")).toBeNull();
    cleanup();
    await renderPage(city, "/Austin");
    expect(screen.getByText("Nothing")).toBeTruthy();
  });

  test("rejects an extension of another point, and a point that it does not list", async () => {
    const extensions = { "directory/aside@1": <p>Events</p> };
    await expect(renderPage(city, "/Austin", { extensions })).rejects.toThrow(
      'the page has no extension point "directory/aside@1"; its points are directory/city-aside@2',
    );
    await expect(renderPage(cityOf([]), "/Austin")).rejects.toThrow(
      'the extension point "directory/city-aside@2" is not among the extensionPoints of its page',
    );
  });
});
