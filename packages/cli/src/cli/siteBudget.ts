import { keepBudget, lastSeenBudget, parseBudget, type SiteBudget } from "../build/siteBudget.js";
import { adminAccess, callAdmin } from "./api.js";

/** Where the budget of a section is read. */
interface BudgetSource {
  /** Name of the section. */
  readonly name: string;
  /** Origin of a site. */
  readonly site?: string | undefined;
  /** Has the admin listener of a site without `site`, in `COLONNADE_ADMIN` and `COLONNADE_TOKEN`. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Reads the budget of a section from a site, and saves it in the section's folder. If no site responds, returns the saved budget;
 * undefined without one.
 */
export async function readSiteBudget(folder: string, source: BudgetSource): Promise<SiteBudget | undefined> {
  const budget = await request(source).catch(() => undefined);
  if (!budget) return lastSeenBudget(folder);
  await keepBudget(folder, budget);
  return budget;
}

async function request({ name, site, environment }: BudgetSource): Promise<SiteBudget | undefined> {
  if (site !== undefined) {
    const { get } = await import("../dev/live.js");
    const { status, chunks } = await get(new URL(`/_budget/${name}`, site));
    return status === 200 ? parseBudget(Buffer.concat(chunks).toString(), site) : undefined;
  }
  if (!environment.COLONNADE_ADMIN || !environment.COLONNADE_TOKEN) return undefined;
  const access = adminAccess(environment);
  const { body } = await callAdmin(access, "GET", `/api/v1/sections/${name}/budget`);
  return parseBudget(JSON.stringify(body), access.url);
}
