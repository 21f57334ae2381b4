import { defineExtension } from "@colonnade/kit/extensions";

import { Safety } from "./Safety";

/** The same on pages of states, cities and ads. */
export const extension = defineExtension({ order: 10, data: () => ({}), Component: Safety });
