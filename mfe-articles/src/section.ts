import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "articles",
  contract: 1,
  pages: {
    "/about-escort-babylon": () => import("./pages/hub"),
    "/about-escort-babylon/:article": () => import("./pages/article"),
  },
});
