import { createContext, useContext } from "react";

import type { SiteFacts } from "./site.js";
import type { JoinReason } from "./slot.js";

/** What the shell lends to the sections. */
export interface ShellServices {
  readonly site: SiteFacts;
  /** Opens the join dialog. */
  readonly openJoin: (reason: JoinReason) => void;
}

/** Lends the shell's services to the sections; the shell provides it. */
export const ShellContext = createContext<ShellServices | null>(null);
/** The params of the page that is shown; the shell provides them. */
export const ParamsContext = createContext<Readonly<Record<string, string>>>({});

function useShell(hook: string): ShellServices {
  const services = useContext(ShellContext);
  if (!services) {
    throw new Error(
      `${hook}() was called outside the shell; in a test, render with renderPage() of @colonnade/kit/testing`,
    );
  }
  return services;
}

/** The site's facts: brand, origin, contact, today's date and what else the operator configured. */
export function useSite(): SiteFacts {
  return useShell("useSite").site;
}

/** A function that opens the join dialog. For a button that opens it use `JoinButton`, which works without JavaScript. */
export function useJoin(): (reason?: JoinReason) => void {
  const { openJoin } = useShell("useJoin");
  return (reason = "general") => {
    openJoin(reason);
  };
}

/** Decoded values of the current page's `:param` segments. */
export function useParams(): Readonly<Record<string, string>> {
  return useContext(ParamsContext);
}
