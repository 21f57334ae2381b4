import { act, cleanup, render, screen } from "@testing-library/react";
import { lazy, type ReactElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";

import { definePage, type PageProps } from "./page.js";

afterEach(() => {
  cleanup();
  document.body.replaceChildren();
});

interface City {
  readonly city: string;
}

const members = {
  data: (): City => ({ city: "Austin" }),
  head: () => ({ title: "Map", description: "A map", canonical: "/map" }),
  fallback: ({ data }: PageProps<City>) => <h1>Map of {data.city}</h1>,
};

const page = definePage({
  ...members,
  browserOnly: true,
  Component: ({ data }) => <h1>{`${data.city}, ${String(window.innerWidth)} pixels`}</h1>,
});

const DATA = { city: "Austin" };
const SHOWN = `Austin, ${String(window.innerWidth)} pixels`;

interface Hydrated {
  readonly root: Element;
  /** The heading of the server's HTML. */
  readonly before: Element | null;
  readonly errors: readonly unknown[];
}

function hydrate(page: ReactElement, html: string): Hydrated {
  const errors: unknown[] = [];
  const root = document.createElement("div");
  root.innerHTML = html;
  document.body.append(root);
  const before = root.querySelector("h1");
  act(() => {
    hydrateRoot(root, page, { onRecoverableError: (error) => errors.push(error) });
  });
  return { root, before, errors };
}

test("the server renders the fallback of a page that is browserOnly", () => {
  vi.stubGlobal("window", undefined);
  const html = renderToString(<page.Component data={DATA} />);
  vi.unstubAllGlobals();
  expect(html.replaceAll(/<!--.*?-->/g, "")).toBe("<h1>Map of Austin</h1>");
});

test("it hydrates exactly, and then shows its component", () => {
  const element = <page.Component data={DATA} />;
  const { root, errors } = hydrate(element, renderToString(element));
  expect(root.textContent).toBe(SHOWN);
  expect(errors).toEqual([]);
});

test("its fallback keeps its elements until the component is loaded", async () => {
  let resolve: (module: { default: () => ReactElement }) => void = () => undefined;
  const promise = new Promise<{ default: () => ReactElement }>((resolved) => {
    resolve = resolved;
  });
  const { Component } = definePage({ ...members, browserOnly: true, Component: lazy(() => promise) });
  const element = <Component data={DATA} />;
  const { root, before, errors } = hydrate(element, renderToString(element));
  expect(root.textContent).toBe("Map of Austin");
  expect(root.querySelector("h1")).toBe(before);
  await act(async () => {
    resolve({ default: () => <p>Loaded</p> });
    await promise;
  });
  expect(root.textContent).toBe("Loaded");
  expect(errors).toEqual([]);
});

test("a page that the browser renders shows its component at once", () => {
  const fallback = vi.fn<typeof members.fallback>();
  const { Component } = definePage({ ...members, browserOnly: true, fallback, Component: () => <p>At once</p> });
  render(<Component data={DATA} />);
  expect(screen.getByText("At once")).toBeDefined();
  expect(fallback).not.toHaveBeenCalled();
});

test("a page needs its fallback if and only if it is browserOnly", () => {
  const { fallback, ...others } = members;
  const Component = (): null => null;
  // @ts-expect-error A page that is browserOnly needs a fallback.
  definePage({ ...others, browserOnly: true, Component });
  // @ts-expect-error Only a page that is browserOnly has a fallback.
  definePage({ ...others, fallback, Component });
  expect(definePage({ ...others, Component }).Component).toBe(Component);
});
