import { defineExtensionPoint } from "@colonnade/kit/extensions";

/** The search of the site, on the not-found page. */
export const search = defineExtensionPoint({ id: "shell/search", version: 1, max: 1, examples: [{}] });
