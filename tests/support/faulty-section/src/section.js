import { defineSection } from "@colonnade/kit";

/** A section whose pages throw, each at another point, until the fault is cleared. */
export default defineSection({
  name: "faulty",
  contract: 1,
  pages: {
    "/faulty/data": () => import("./pages/data.js"),
    "/faulty/head": () => import("./pages/head.js"),
    "/faulty/render": () => import("./pages/render.js"),
    "/faulty/effect": () => import("./pages/effect.js"),
    "/faulty/hydration": () => import("./pages/hydration.js"),
  },
});
