import type { JoinReason } from "@colonnade/kit";
import type { Boot } from "@colonnade/kit/shell";

import { forget, readEntry, remember } from "../navigation/entry";
import { createReport, type Report } from "../reports";
import { holdsTypedText, loadAnew } from "./document";
import { askStanding, type Standing } from "./lookup";

/** How a page is to be loaded anew. */
export interface Renewal {
  /** The page that is shown is being left anyway, and with it what was typed there. */
  readonly leaving?: boolean;
  /** Why the join dialog, which opens by itself then, was asked for. */
  readonly join?: JoinReason;
}

/** A tab and the deployment it was opened with. */
export interface Tab {
  /** What has become of the deployment. */
  standing(path?: string): Promise<Standing>;
  /**
   * Loads the page anew by itself because the deployment is gone; undefined where that must not be. What fails in the
   * new document, too, is shown to the visitor: no deployment is given up twice in one entry of the tab's history,
   * whatever a cache or the gateway answers.
   */
  renew(how?: Renewal): Promise<never> | undefined;
  /** Tells the gateway of a failure. */
  readonly report: Report;
}

function renewedFor(): readonly unknown[] {
  const { renewed } = readEntry();
  return Array.isArray(renewed) ? renewed : [];
}

/** Makes a document's tab. */
export function createTab(boot: Boot): Tab {
  const { deployment } = boot;
  let renewing: Promise<never> | undefined;
  return {
    standing(path = location.pathname) {
      return askStanding(deployment, path);
    },
    renew({ leaving = false, join } = {}) {
      if (renewing) return renewing;
      const before = renewedFor();
      if (before.includes(deployment) || (!leaving && holdsTypedText())) return undefined;
      // Unremembered, nothing would end a loop.
      if (!remember({ renewed: [...before, deployment], ...(join && { join }) })) return undefined;
      renewing = loadAnew();
      return renewing;
    },
    report: createReport(boot),
  };
}

/** Why the join dialog was asked for just before the page was loaded anew, if it was. Told once. */
export function takeJoin(): JoinReason | null {
  const { join } = readEntry();
  return (join === "general" || join === "sample") && forget("join") ? join : null;
}
