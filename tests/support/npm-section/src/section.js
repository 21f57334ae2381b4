import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "packages",
  contract: 1,
  pages: {
    "/packages": () => import("./page"),
    "/packages/one": () => import("./one"),
    "/packages/two": () => import("./two"),
    "/packages/three": () => import("./three"),
  },
});
