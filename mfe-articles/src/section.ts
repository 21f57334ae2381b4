import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "articles",
  contract: 1,
  pages: {
    "/about-escort-babylon": () => import("./pages/hub"),
    // Each article is a separate page, so that its document preloads the script with its text.
    "/about-escort-babylon/what-is-escort-babylon": () => import("./pages/articles/what-is-escort-babylon"),
    "/about-escort-babylon/platform-comparison": () => import("./pages/articles/platform-comparison"),
    "/about-escort-babylon/safety-guide": () => import("./pages/articles/safety-guide"),
    "/about-escort-babylon/top-cities": () => import("./pages/articles/top-cities"),
    "/about-escort-babylon/profile-tips": () => import("./pages/articles/profile-tips"),
    "/about-escort-babylon/legal-guide": () => import("./pages/articles/legal-guide"),
    "/about-escort-babylon/platform-evolution": () => import("./pages/articles/platform-evolution"),
    "/about-escort-babylon/red-flags": () => import("./pages/articles/red-flags"),
    "/about-escort-babylon/escort-experiences": () => import("./pages/articles/escort-experiences"),
    "/about-escort-babylon/:article": () => import("./pages/notFound"),
  },
  navigation: [
    { to: "shell/menu", label: "About", path: "/about-escort-babylon", order: 10 },
    { to: "shell/footer", label: "About", path: "/about-escort-babylon", order: 10 },
    { to: "shell/footer", label: "Safety guide", path: "/about-escort-babylon/safety-guide", order: 10 },
    { to: "shell/footer", label: "Get help / Report", path: "/about-escort-babylon/safety-guide#get-help", order: 10 },
  ],
  extensions: {
    "directory/state-aside@1": () => import("./extensions/aside"),
    "directory/city-aside@1": () => import("./extensions/aside"),
    "directory/ad-aside@1": () => import("./extensions/aside"),
  },
});
