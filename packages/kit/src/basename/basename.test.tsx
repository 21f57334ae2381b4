import { matchPath, type Params } from "@colonnade/kit";
import { PageContext } from "@colonnade/kit/shell";
import { act, cleanup, render, renderHook, screen } from "@testing-library/react";
import { Suspense, use, type ReactElement, type ReactNode } from "react";
import { MemoryRouter, useNavigate } from "react-router-dom";
import { afterEach, expect, test, vi } from "vitest";

import { useBasename } from "./index.js";

afterEach(cleanup);

let navigate: ReturnType<typeof useNavigate>;

function Navigate(): null {
  navigate = useNavigate();
  return null;
}

function inPage(path: string, params: Params, children: ReactNode): ReactElement {
  return (
    <MemoryRouter initialEntries={[path]}>
      <PageContext value={{ params }}>{children}</PageContext>
      <Navigate />
    </MemoryRouter>
  );
}

function renderAt(path: string, params: Params): { readonly current: string } {
  const wrapper = ({ children }: { readonly children: ReactNode }): ReactElement => inPage(path, params, children);
  history.replaceState(null, "", path);
  return renderHook(() => useBasename(), { wrapper }).result;
}

test.each([
  ["/shop/*", "/shop", "/shop"],
  ["/shop/*", "/shop/", "/shop"],
  ["/shop/*", "/shop/a%20b/c", "/shop"],
  ["/shops/:city/*", "/shops/New%20York/x", "/shops/New%20York"],
])("useBasename in a page %s at %s returns %s", (pattern, path, basename) => {
  // The shell matches without a trailing slash.
  expect(renderAt(path, matchPath(pattern, path.replace(/\/$/, "")) ?? {}).current).toBe(basename);
});

test("useBasename tells the app's router of navigations of the shell, once each", () => {
  const onPopState = vi.fn();
  addEventListener("popstate", onPopState);
  renderAt("/shop", { "*": "" });
  expect(onPopState).not.toHaveBeenCalled();
  act(() => void navigate("/shop"));
  expect(onPopState).toHaveBeenCalledOnce();
  removeEventListener("popstate", onPopState);
});

test.each([
  ["/shop", 1],
  ["/shop/a", 1],
  ["/shops", 0],
  ["/", 0],
])("useBasename: the app's router learns of Back to %s %i times", (path, times) => {
  renderAt("/shop/b", { "*": "b" });
  const onPopState = vi.fn();
  addEventListener("popstate", onPopState);
  history.replaceState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
  expect(onPopState).toHaveBeenCalledTimes(times);
  cleanup();
  dispatchEvent(new PopStateEvent("popstate"));
  expect(onPopState).toHaveBeenCalledTimes(times + 1);
  removeEventListener("popstate", onPopState);
});

test("useBasename: code that arrives after leaving waits for Back", async () => {
  let arrive = (): void => undefined;
  const code = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  function App(): ReactElement {
    useBasename();
    use(code);
    return <h1>Teas</h1>;
  }
  history.replaceState(null, "", "/teas");
  const page = inPage(
    "/teas",
    { "*": "" },
    <Suspense fallback={<p>Loading</p>}>
      <App />
    </Suspense>,
  );
  await act(async () => Promise.resolve(render(page)));
  history.replaceState(null, "", "/");
  await act(async () => {
    arrive();
    await code;
  });
  expect(screen.getByText("Loading")).toBeTruthy();
  history.replaceState(null, "", "/teas");
  await act(async () => Promise.resolve(dispatchEvent(new PopStateEvent("popstate"))));
  expect(screen.getByRole("heading").textContent).toBe("Teas");
});

test("useBasename in a page without a rest throws", () => {
  vi.spyOn(console, "error").mockReturnValue();
  expect(() => renderAt("/shop", {})).toThrow('useBasename() needs a page whose pattern ends with "/*"');
  vi.restoreAllMocks();
});
