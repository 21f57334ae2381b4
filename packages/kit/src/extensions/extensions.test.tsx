import { defineExtension, defineExtensionPoint, ExtensionPoint } from "@colonnade/kit/extensions";
import { inShell } from "@colonnade/kit/testing";
import { render } from "@testing-library/react";
import { expect, expectTypeOf, test } from "vitest";

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
});
