import { definePage, defineSection } from "@colonnade/kit";
import { inShell, renderPage } from "@colonnade/kit/testing";
import { act, cleanup, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, expect, expectTypeOf, test, vi } from "vitest";

import { Remote, useLoadRemote, type RemoteModule, type RemoteProps } from "./Remote.js";

interface PriceTagProps {
  readonly product: string;
}

declare module "./Remote.js" {
  interface RemoteModules {
    "catalog/PriceTag": { readonly default: (props: PriceTagProps) => ReactElement };
  }
}

afterEach(cleanup);

function PriceTag({ product }: PriceTagProps): ReactElement {
  return <b>{`Price of ${product}`}</b>;
}

const remotes = { "catalog/PriceTag": { default: PriceTag }, "catalog/prices": { tea: 3 } };
const offer = (
  <p>
    <Remote from="catalog" module="PriceTag" product="tea" fallback={<i>Ask us</i>} />
  </p>
);

test("the server renders the fallback, from which the page hydrates before the component replaces it", async () => {
  const page = inShell(offer, { remotes });
  const html = renderToString(page);
  expect(html).toBe("<p><i>Ask us</i></p>");
  const container = document.body.appendChild(document.createElement("div"));
  container.innerHTML = html;
  const onRecoverableError = vi.fn();
  await act(() => Promise.resolve(render(page, { container, hydrate: true, onRecoverableError })));
  expect(container.innerHTML).toBe("<p><b>Price of tea</b></p>");
  expect(onRecoverableError).not.toHaveBeenCalled();
});

test("without the module, a remote shows its fallback, or nothing", async () => {
  const page = inShell(
    <>
      {offer}
      <Remote from="catalog" module="PriceTag" product="tea" />
    </>,
  );
  const { container } = await act(() => Promise.resolve(render(page)));
  expect(container.innerHTML).toBe("<p><i>Ask us</i></p>");
});

test("useLoadRemote loads the modules that a test of a page supplies", async () => {
  function Page(): ReactElement {
    const loadRemote = useLoadRemote();
    const show = async (id: string): Promise<void> => {
      outcomes.push(await loadRemote(id).catch(String));
    };
    return (
      <>
        <button onClick={() => void show("catalog/prices")}>Prices</button>
        <button onClick={() => void show("catalog/stock")}>Stock</button>
      </>
    );
  }
  const outcomes: unknown[] = [];
  const page = definePage({
    data: () => undefined,
    head: () => ({ title: "Shop", description: "Tea", canonical: "/shop" }),
    Component: Page,
  });
  const pages = { "/shop": () => Promise.resolve({ page }) };
  await renderPage(defineSection({ name: "shop", contract: 1, pages }), "/shop", { remotes });
  for (const name of ["Prices", "Stock"]) screen.getByRole("button", { name }).click();
  await vi.waitFor(() => {
    expect(outcomes).toEqual([{ tea: 3 }, 'Error: the test has no remote "catalog/stock"']);
  });
});

test("a declared module has the props of its component, and any other module has any props", () => {
  expectTypeOf<RemoteProps<"catalog", "PriceTag">["product"]>().toEqualTypeOf<string>();
  expectTypeOf<RemoteModule<"catalog/Other">>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
  // @ts-expect-error `product` is missing.
  expect(<Remote from="catalog" module="PriceTag" />).toBeTruthy();
  // @ts-expect-error `product` has the wrong type.
  expect(<Remote from="catalog" module="PriceTag" product={3} />).toBeTruthy();
  expect(<Remote from="catalog" module="Other" product={3} />).toBeTruthy();
});
