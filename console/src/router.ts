// The address of the console: its pages have paths, so that each can be linked to.
import { useEffect, useSyncExternalStore } from "react";

/** The path of the console's first page. */
const ROOT = "/console";

const NAVIGATED = "navigated";

/** The address of a page, such as `/console/sections/legal`. */
export function hrefOf(page: string, ...names: readonly string[]): string {
  return [ROOT, page, ...names.map((name) => encodeURIComponent(name))].filter((part) => part !== "").join("/");
}

/** The address of a section. */
export const sectionHref = (name: string): string => hrefOf("sections", name);

/** The address of the list of deployments that starts with this one. */
export const deploymentHref = (number: number): string => `${hrefOf("deployments")}?before=${String(number + 1)}`;

/** Shows another page of the console. */
export function navigate(href: string): void {
  history.pushState(null, "", href);
  window.dispatchEvent(new Event(NAVIGATED));
}

/** Replaces the query of the address, without another entry in the browser's history. */
export function replaceQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", `${location.pathname}${text === "" ? "" : `?${text}`}`);
  window.dispatchEvent(new Event(NAVIGATED));
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("popstate", onChange);
  window.addEventListener(NAVIGATED, onChange);
  return () => {
    window.removeEventListener("popstate", onChange);
    window.removeEventListener(NAVIGATED, onChange);
  };
}

/** A page of the console: its name, and what the rest of the path names. */
export interface Place {
  readonly path: string;
  readonly page: string;
  readonly name: string | undefined;
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The page that a path names. */
export function placeOf(path: string): Place {
  const [page = "", name] = path.slice(ROOT.length + 1).split("/");
  return { path, page, name: decoded(name) };
}

/** The page that the address names. */
export function usePlace(): Place {
  return placeOf(useSyncExternalStore(subscribe, () => location.pathname));
}

/** A parameter of the address's query; empty without it. */
export function useQueryParameter(name: string): string {
  return useSyncExternalStore(subscribe, () => new URLSearchParams(location.search).get(name) ?? "");
}

/** Shows pages of the console without loading its document again when their links are followed. */
export function useLinks(): void {
  useEffect(() => {
    const onClick = (event: MouseEvent): void => {
      if (event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (link?.target !== "" || link.origin !== location.origin) return;
      if (link.pathname !== ROOT && !link.pathname.startsWith(`${ROOT}/`)) return;
      event.preventDefault();
      navigate(`${link.pathname}${link.search}`);
    };
    document.addEventListener("click", onClick);
    return () => {
      document.removeEventListener("click", onClick);
    };
  }, []);
}
