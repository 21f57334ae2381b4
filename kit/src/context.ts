import { createContext, useContext } from "react";

import type { SiteFacts } from "./site.js";
import type { JoinReason } from "./slot.js";

/** Services that the shell provides to sections. */
export interface ShellServices {
  readonly site: SiteFacts;
  /** Opens the join dialog. */
  readonly openJoin: (reason: JoinReason) => void;
}

/** The shell's services. Null outside the shell. */
export const ShellContext = createContext<ShellServices | null>(null);
/** The current page's params, provided by the shell. */
export const ParamsContext = createContext<Readonly<Record<string, string>>>({});

/** The name of the section around a component, provided by the shell. Null outside the shell. */
export const SectionContext = createContext<string | null>(null);

/** The error of a hook that needs the shell. */
export function outsideShell(hook: string): Error {
  return new Error(
    `${hook}() was called outside the shell; in tests, render with renderPage() from @colonnade/kit/testing`,
  );
}

function useShell(hook: string): ShellServices {
  const services = useContext(ShellContext);
  if (!services) throw outsideShell(hook);
  return services;
}

/**
 * Returns the site's facts: brand, origin, contact, today's date and the rest of the operator's configuration.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { useSite } from "@colonnade/kit";
 *
 * export const Contact = () => <a href={`mailto:${useSite().contact}`}>Write to us</a>;
 * ```
 */
export function useSite(): SiteFacts {
  return useShell("useSite").site;
}

/**
 * Returns a function that opens the join dialog; its `reason` defaults to `"general"`. For a button, use
 * {@link JoinButton}, which also works without JavaScript.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { Button, useJoin } from "@colonnade/kit";
 *
 * export function Offer() {
 *   const join = useJoin();
 *   return <Button onClick={() => join("sample")}>Reply</Button>;
 * }
 * ```
 */
export function useJoin(): (reason?: JoinReason) => void {
  const { openJoin } = useShell("useJoin");
  return (reason = "general") => {
    openJoin(reason);
  };
}

/**
 * Returns the decoded values of the current page's `:param` segments, by name. Empty outside the shell.
 *
 * @example
 * ```tsx
 * import { useParams } from "@colonnade/kit";
 *
 * export const Id = () => <b>{useParams().id}</b>;
 * ```
 */
export function useParams(): Readonly<Record<string, string>> {
  return useContext(ParamsContext);
}
