import { act, cleanup, render, renderHook, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { renderToString } from "react-dom/server";
import type { ReactElement } from "react";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest";

import { useQuery, type QueryState } from "./useQuery.js";

const fetched = vi.fn<(path: string, init: RequestInit & { signal: AbortSignal }) => Promise<Response>>();

beforeEach(() => {
  fetched.mockReset().mockImplementation(() => Promise.resolve(Response.json({ name: "Ada" })));
  vi.stubGlobal("fetch", fetched);
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const UNSERVED = () =>
  Response.json({}, { status: 404, headers: { "proxy-status": "colonnade; error=destination_not_found" } });

function Visitor({ path }: { readonly path: string | null }): ReactElement {
  const state = useQuery(path);
  if (state.status === "loading") return <p>Loading</p>;
  if (state.status === "success") return <p>{(state.value as { readonly name: string }).name}</p>;
  return <button onClick={state.retry}>{`Retry ${String(state.httpStatus)}`}</button>;
}

/** Aborts as the browser does. */
function pending(_path: string, { signal }: { readonly signal: AbortSignal }): Promise<Response> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(new DOMException("aborted", "AbortError"));
    });
  });
}

describe("useQuery", () => {
  test("requests JSON with the site's cookies past the browser's cache, and returns it", async () => {
    render(<Visitor path="/api/me" />);
    expect(screen.getByText("Loading")).toBeTruthy();
    expect(await screen.findByText("Ada")).toBeTruthy();
    expect(fetched).toHaveBeenCalledExactlyOnceWith(
      "/api/me",
      expect.objectContaining({
        cache: "no-store",
        credentials: "same-origin",
        headers: { accept: "application/json" },
      }),
    );
  });

  test("sends no request on the server, and hydrates as loading", async () => {
    const html = renderToString(<Visitor path="/api/me" />);
    expect(html).toBe("<p>Loading</p>");
    expect(fetched).not.toHaveBeenCalled();
    const container = document.body.appendChild(document.createElement("div"));
    container.innerHTML = html;
    const onRecoverableError = vi.fn();
    render(<Visitor path="/api/me" />, { container, hydrate: true, onRecoverableError });
    expect(await screen.findByText("Ada")).toBeTruthy();
    expect(onRecoverableError).not.toHaveBeenCalled();
  });

  test("sends no request for null", () => {
    render(<Visitor path={null} />);
    expect(screen.getByText("Loading")).toBeTruthy();
    expect(fetched).not.toHaveBeenCalled();
  });

  test.each([
    ["a status", () => Promise.resolve(Response.json({ error: "gone" }, { status: 410 })), 410],
    ["a path that no upstream serves", () => Promise.resolve(UNSERVED()), 503],
    ["HTML", () => Promise.resolve(new Response("<!doctype html>")), 502],
    ["invalid UTF-8", () => Promise.resolve(new Response(new Uint8Array([0x22, 0xff, 0x22]))), 502],
    ["no connection", () => Promise.reject(new TypeError("Failed to fetch")), 0],
  ])("is an error for %s, and retry sends the request again", async (_, respond, status) => {
    fetched.mockImplementationOnce(respond);
    render(<Visitor path="/api/me" />);
    await userEvent.click(await screen.findByText(`Retry ${String(status)}`));
    expect(await screen.findByText("Ada")).toBeTruthy();
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  test("gives up after eight seconds", async () => {
    vi.useFakeTimers();
    fetched.mockImplementation(pending);
    render(<Visitor path="/api/me" />);
    await act(() => vi.advanceTimersByTimeAsync(7_999));
    expect(screen.getByText("Loading")).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(screen.getByText("Retry 504")).toBeTruthy();
  });

  test("aborts the request if the path changes, and shows only the new result", async () => {
    fetched.mockImplementationOnce(pending);
    const { rerender } = render(<Visitor path="/api/me" />);
    rerender(<Visitor path="/api/you" />);
    expect(fetched.mock.calls[0]?.[1].signal.aborted).toBe(true);
    expect(await screen.findByText("Ada")).toBeTruthy();
    fetched.mockImplementationOnce(pending);
    rerender(<Visitor path="/api/them" />);
    expect(screen.getByText("Loading")).toBeTruthy();
  });

  test("aborts the request if the component unmounts", () => {
    fetched.mockImplementationOnce(pending);
    render(<Visitor path="/api/me" />).unmount();
    expect(fetched.mock.calls[0]?.[1].signal.aborted).toBe(true);
  });

  test("validates with a schema, which may be new in each render", async () => {
    const useVisitor = (): QueryState<{ name: string }> =>
      useQuery("/api/me", { schema: v.object({ name: v.pipe(v.string(), v.toUpperCase()) }) });
    expectTypeOf(useVisitor).toEqualTypeOf<() => QueryState<{ name: string }>>();
    const { result } = renderHook(useVisitor);
    await vi.waitFor(() => {
      expect(result.current).toEqual({ status: "success", value: { name: "ADA" } });
    });
    expect(fetched).toHaveBeenCalledOnce();
    fetched.mockResolvedValueOnce(Response.json({ name: 5 }));
    const { result: invalid } = renderHook(useVisitor);
    await vi.waitFor(() => {
      expect(invalid.current).toMatchObject({ status: "error", httpStatus: 502 });
    });
  });
});
