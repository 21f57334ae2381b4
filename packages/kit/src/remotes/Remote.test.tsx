import { definePage, defineSection } from "@colonnade/kit";
import { ShellContext, type RemoteViewProps } from "@colonnade/kit/shell";
import { inShell, renderPage, TEST_SITE } from "@colonnade/kit/testing";
import { act, cleanup, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, expect, expectTypeOf, test, vi } from "vitest";

import { Remote, useLoadRemote, type RemoteId, type RemoteProps } from "./Remote.js";

interface PriceTagProps {
  readonly product: string;
}

declare module "./Remote.js" {
  interface RemoteModules {
    "catalog/PriceTag": { readonly default: (props: PriceTagProps) => ReactElement };
    "catalog/prices": { readonly tea: number };
    "catalog/format": { readonly default: (price: string) => string };
    "catalog/stock": Readonly<Record<string, unknown>>;
    "shop/parts/Cart": Readonly<Record<string, unknown>>;
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

function View({ props }: RemoteViewProps): ReactElement {
  return <PriceTag {...(props as unknown as PriceTagProps)} />;
}

test("the server renders the fallback, from which the page hydrates before the component replaces it", async () => {
  const html = renderToString(inShell(offer, { remotes }));
  expect(html).toBe("<p><!--$--><i>Ask us</i><!--/$--></p>");
  const container = document.body.appendChild(document.createElement("div"));
  container.innerHTML = html;
  const onRecoverableError = vi.fn();
  const fallback = container.querySelector("i");
  let show: (view: typeof View) => void = () => undefined;
  const loading = new Promise<typeof View>((resolve) => (show = resolve));
  const loaded = {
    load: () => Promise.reject(new Error("not called")),
    view: () => loading,
  };
  const services = {
    ...{ site: TEST_SITE, configs: {}, openDialog: () => undefined, ExtensionPlace: () => null },
    remotes: { loaded, start: () => Promise.resolve(loaded) },
  };
  const page = <ShellContext value={services}>{offer}</ShellContext>;
  await act(() => Promise.resolve(render(page, { container, hydrate: true, onRecoverableError })));
  // The same element: it may have the focus.
  expect(container.querySelector("i")).toBe(fallback);
  await act(() => {
    show(View);
    return Promise.resolve();
  });
  expect(container.textContent).toBe("Price of tea");
  expect(onRecoverableError).not.toHaveBeenCalled();
});

test("a runtime that does not start leaves the fallback's elements, with one warning", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const start = vi.fn(() => Promise.reject(new Error("offline")));
  const services = {
    site: TEST_SITE,
    configs: {},
    openDialog: () => undefined,
    ExtensionPlace: () => null,
    remotes: { start },
  };
  const container = document.body.appendChild(document.createElement("div"));
  container.innerHTML = renderToString(inShell(offer));
  const fallback = container.querySelector("i");
  const page = <ShellContext value={services}>{offer}</ShellContext>;
  await act(() => Promise.resolve(render(page, { container, hydrate: true })));
  expect(container.querySelector("i")).toBe(fallback);
  expect(start).toHaveBeenCalledOnce();
  expect(warn).toHaveBeenCalledOnce();
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
    const show = async (id: RemoteId): Promise<void> => {
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

test("a declared module has the props of its component, or any props without types", () => {
  expectTypeOf<RemoteProps<"catalog", "PriceTag">["product"]>().toEqualTypeOf<string>();
  // @ts-expect-error `product` is missing.
  expect(<Remote from="catalog" module="PriceTag" />).toBeTruthy();
  // @ts-expect-error `product` has the wrong type.
  expect(<Remote from="catalog" module="PriceTag" product={3} />).toBeTruthy();
  expect(<Remote from="catalog" module="stock" product={3} />).toBeTruthy();
  expect(<Remote from="shop" module="parts/Cart" product={3} />).toBeTruthy();
});

test("a declared module without a component is none to show", () => {
  // @ts-expect-error Its only export is a number.
  expect(<Remote from="catalog" module="prices" />).toBeTruthy();
  // @ts-expect-error The default export is a function of a string.
  expect(<Remote from="catalog" module="format" price={3} />).toBeTruthy();
});

test("once a module is declared, no other one can be named", () => {
  // @ts-expect-error No section has this name.
  expect(<Remote from="catalogue" module="PriceTag" product="tea" />).toBeTruthy();
  // @ts-expect-error The section exposes no such module.
  expect(<Remote from="catalog" module="PriceTags" product="tea" />).toBeTruthy();
  // @ts-expect-error Another section exposes this module.
  expect(<Remote from="shop" module="PriceTag" product="tea" />).toBeTruthy();
  type Load = ReturnType<typeof useLoadRemote>;
  expectTypeOf<Load>().toBeCallableWith("catalog/prices");
  // @ts-expect-error The section exposes no such module.
  expectTypeOf<Load>().toBeCallableWith("catalog/price");
});
