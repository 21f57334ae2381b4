import { defineSection } from "@colonnade/kit";

/** The pages of this section. It stays small: every visit to one of them loads it, and then the page alone. */
export default defineSection({
  name: "section-name",
  contract: 1,
  pages: {
    "/section-path": () => import("./pages/home"),
  },
});
