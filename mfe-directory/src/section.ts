import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "directory",
  contract: 1,
  pages: {
    "/": () => import("./pages/home"),
    "/state/:state": () => import("./pages/state"),
    "/city/:state/:city": () => import("./pages/city"),
    "/city/:state/:city/ad": () => import("./pages/adWithoutId"),
    "/city/:state/:city/ad/:ad": () => import("./pages/ad"),
  },
  navigation: [{ to: "shell/menu", label: "Home", path: "/" }],
  extensions: {
    "shell/search@1": () => import("./extensions/search"),
  },
});
