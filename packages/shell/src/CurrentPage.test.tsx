import { usePageView } from "@colonnade/kit/analytics";
import { defineChannel } from "@colonnade/kit/extensions";
import { ShellContext } from "@colonnade/kit/shell";
import { inShell, TEST_SITE } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { startTransition, Suspense, useContext, useState, type ComponentProps, type ReactElement } from "react";
import { Router, type Navigator } from "react-router-dom";
import { afterEach, expect, test, vi } from "vitest";

import { CurrentPage } from "./CurrentPage.js";
import { ViewExtensions } from "./extensions/viewExtensions.js";
import { PARTS } from "./fixtures.js";
import type { View } from "./loading/view.js";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Shows a page that failed to load. Returns what a retry calls. */
function showFailed(): { readonly invalidate: () => void; readonly unmount: () => void } {
  const failed = { kind: "failed" } as const;
  const invalidate = vi.fn();
  const views = { load: () => Promise.resolve(failed), serverView: () => failed, setCurrent: vi.fn(), invalidate };
  const transitions = { isCurrent: () => true, complete: vi.fn(), isPending: false };
  const props = { parts: PARTS, views, transitions, scroll: { setEntry: vi.fn() }, announce: vi.fn() };
  const { unmount } = render(inShell(<CurrentPage {...(props as unknown as ComponentProps<typeof CurrentPage>)} />));
  return { invalidate, unmount };
}

test.each([
  ["offline", 1],
  ["online", 0],
])("a page that failed while the browser was %s is retried %i times when it is online again", (state, times) => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(state === "online");
  const { invalidate, unmount } = showFailed();
  expect(screen.getByText("Try again")).toBeTruthy();
  fireEvent(window, new Event("online"));
  expect(invalidate).toHaveBeenCalledTimes(times);
  unmount();
  fireEvent(window, new Event("online"));
  expect(invalidate).toHaveBeenCalledTimes(times);
});

const place = defineChannel<string>("pages/place");

function Content({ data: name }: { readonly data: string }): ReactElement {
  const { extensions } = useContext(ViewExtensions);
  const onClick = (): void => {
    place.publish(name);
  };
  return (
    <button onClick={onClick}>{`${name}: ${place.useLast() ?? "none"}, ${Object.keys(extensions).join(" ")}`}</button>
  );
}

function viewOf(name: string): View {
  const section = { name, version: "1.0.0", container: name, entry: "", integrity: "", assets: [] };
  const head = { title: name, description: name, canonical: "/" };
  const page = { section, pattern: `/${name}`, assets: [], layout: {}, head, params: {}, Component: Content };
  return { kind: "page", ...page, props: { data: name as never }, extensions: { [`${name}/aside@1`]: [] } };
}

const reported = vi.fn<(pattern: string | null) => void>();

function Frame(props: ComponentProps<typeof PARTS.Frame>): ReactElement {
  usePageView(({ pattern }) => {
    reported(pattern);
  });
  return <PARTS.Frame {...props} />;
}

test("the channels, extensions and views of a page are its own, also while the next one loads", async () => {
  let show: (view: View) => void = () => undefined;
  const next = new Promise<View>((resolve) => (show = resolve));
  const first = viewOf("first");
  const loaded = new Map([
    ["/first", Promise.resolve(first)],
    ["/next", next],
  ]);
  const views = {
    load: (path: string) => loaded.get(path),
    serverView: (path: string) => (path === "/first" ? first : undefined),
    setCurrent: vi.fn(),
  };
  const transitions = {
    isCurrent: () => true,
    prepare: (_: string, path: string) => loaded.get(path),
    complete: vi.fn(),
    isPending: false,
  };
  const scroll = { setEntry: vi.fn(), restore: () => true, restoreAfterHydration: vi.fn() };
  const parts = { ...PARTS, Frame };
  const props = { parts, views, transitions, scroll, announce: vi.fn(), extensions: { "shell/search@1": [] } };
  let navigate: (path: string) => void = () => undefined;
  const Site = () => {
    const [path, setPath] = useState("/first");
    navigate = (next) => {
      history.replaceState(null, "", next);
      startTransition(() => {
        setPath(next);
      });
    };
    return (
      <Router location={path} navigator={{} as Navigator}>
        <Suspense>
          <CurrentPage {...(props as unknown as ComponentProps<typeof CurrentPage>)} />
        </Suspense>
      </Router>
    );
  };
  const services = { site: TEST_SITE, configs: {}, openDialog: vi.fn(), ExtensionPlace: () => null };
  render(
    <ShellContext value={services}>
      <Site />
    </ShellContext>,
  );
  const shown = (): string | null => screen.getByRole("button").textContent;
  const settled = (change: () => void): Promise<void> =>
    act(async () => {
      change();
      await next;
    });
  const publish = (): void => {
    fireEvent.click(screen.getByRole("button"));
  };
  expect(shown()).toBe("first: none, shell/search@1 first/aside@1");
  publish();
  await act(async () => {
    navigate("/next");
    await Promise.resolve();
  });
  expect(shown()).toBe("first: first, shell/search@1 first/aside@1");
  await act(async () => {
    publish();
    await Promise.resolve();
  });
  await settled(() => {
    show(viewOf("next"));
  });
  expect(shown()).toBe("next: none, shell/search@1 next/aside@1");
  await settled(() => {
    navigate("/first");
  });
  expect(shown()).toBe("first: none, shell/search@1 first/aside@1");
  expect(reported.mock.calls.flat()).toEqual(["/first", "/next", "/first"]);
});
