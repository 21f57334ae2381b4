import { defineSection } from "@colonnade/kit";

/** The section's pages. Keep this module small: every page of the section loads it. Pages load on demand. */
export default defineSection({
  name: "section-name",
  contract: 1,
  pages: {
    "/section-path": () => import("./pages/home"),
    "/section-path/:topic": () => import("./pages/topic"),
  },
});
