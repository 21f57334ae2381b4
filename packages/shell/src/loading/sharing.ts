import { loadPackage } from "./loadPackage.js";
import { addPackage } from "./shareScope.js";

/** Shares a package that only some pages load. `load` imports it. */
export function share(name: string, load: () => Promise<object>): void {
  addPackage(name, () => loadPackage(load));
}
