import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import vm from "node:vm";

import { createElement, Suspense } from "react";
import { expect, test } from "vitest";

import { addErrorHandler, reactServerFile } from "./reactServer.js";

const require = createRequire(import.meta.url);
const FILE = reactServerFile(import.meta.dirname);

interface Renderer {
  readonly renderToString: (element: unknown, options?: { readonly onError: (error: unknown) => void }) => string;
}

async function loadRenderer(): Promise<Renderer> {
  const source = addErrorHandler(await readFile(FILE, "utf8"));
  const exports = {};
  (vm.runInThisContext(`(function (require, exports) {${source}})`) as (...args: unknown[]) => void)(require, exports);
  return exports as Renderer;
}

test("renderer reports an error inside a Suspense boundary", async () => {
  const { renderToString } = await loadRenderer();
  const thrown = new Error("broken");
  const Broken = (): never => {
    throw thrown;
  };
  const errors: unknown[] = [];
  const page = createElement(Suspense, { fallback: "Loading" }, createElement(Broken));
  const html = renderToString(page, { onError: (error) => errors.push(error) });
  expect(errors).toEqual([thrown]);
  expect(html).toContain("Loading");
  expect(renderToString(page)).toBe(html);
});

test("unknown renderer source is rejected", () => {
  expect(() => addErrorHandler("exports.renderToString = null;")).toThrow("this version of react-dom is not supported");
});
