import { defineSection } from "@colonnade/kit";

/** The climates of two cities side by side. */
export default defineSection({
  name: "compare-cities",
  contract: 1,
  pages: {
    "/compare-cities": () => import("./pages/choose"),
    "/compare-cities/:one/:other": () => import("./pages/comparison"),
  },
});
