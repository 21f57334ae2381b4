import { defineSection } from "@colonnade/kit";

/** The section's pages. Keep this module small: every page of the section loads it. Pages load on demand. */
export default defineSection({
  name: "section-name",
  contract: 1,
  pages: {
    "/section-path": () => import("./pages/home"),
    "/section-path/:topic": () => import("./pages/topic"),
  },
  // Only one section of a site can fill a slot. Uncomment this line if this section provides the sign-up dialog.
  // slots: { join: () => import("./slots/join") },
});
