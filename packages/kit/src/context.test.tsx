import { cleanup, renderHook } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";

import { PageContext, ShellContext, useDialog, useParams, useSite } from "./context.js";
import type { DialogParams } from "./dialog.js";
import { TEST_SITE } from "./testing/index.js";

afterEach(cleanup);

describe("outside a shell", () => {
  test.each([
    ["useSite", useSite],
    ["useDialog", () => useDialog("news/newsletter")],
  ])("%s throws an error that names renderPage", (name, hook: () => unknown) => {
    // React logs a render error before it rethrows it.
    vi.spyOn(console, "error").mockReturnValue();
    expect(() => renderHook(() => hook())).toThrow(
      `${name}() was called outside the shell; in tests, render with renderPage() from @colonnade/kit/testing`,
    );
    vi.restoreAllMocks();
  });

  test("useParams returns no params", () => {
    expect(renderHook(() => useParams()).result.current).toEqual({});
  });
});

describe("in a shell", () => {
  const openDialog = vi.fn<(dialog: string, params: DialogParams, page?: string) => void>();

  function Shell({ children }: { readonly children: ReactNode }): ReactElement {
    return (
      <ShellContext value={{ site: TEST_SITE, configs: {}, openDialog, ExtensionPlace: () => null }}>
        <PageContext value={{ params: { state: "New York" } }}>{children}</PageContext>
      </ShellContext>
    );
  }

  test("useSite returns the site's facts", () => {
    expect(renderHook(() => useSite(), { wrapper: Shell }).result.current).toBe(TEST_SITE);
  });

  test("useParams returns the page's params", () => {
    expect(renderHook(() => useParams(), { wrapper: Shell }).result.current).toEqual({ state: "New York" });
  });

  test("useDialog opens the dialog with the given params or none, or else its page", () => {
    const { current: open } = renderHook(() => useDialog("news/newsletter", "/newsletter"), { wrapper: Shell }).result;
    open();
    open({ from: "offer" });
    expect(openDialog.mock.calls).toEqual([
      ["news/newsletter", {}, "/newsletter"],
      ["news/newsletter", { from: "offer" }, "/newsletter"],
    ]);
  });
});
