import { defineExtension } from "@colonnade/kit/extensions";

import { Safety } from "./Safety";

/** The same on pages of states and cities. */
export const extension = defineExtension({ order: 10, data: () => ({}), Component: Safety });
