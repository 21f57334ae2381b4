import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "books",
  contract: 1,
  pages: {
    "/": () => import("./pages/home"),
    "/buecher/:book": () => import("./pages/book"),
    "/besuch": () => import("./pages/visit"),
  },
  extensions: { "shell/hours@1": () => import("./extensions/hours") },
});
