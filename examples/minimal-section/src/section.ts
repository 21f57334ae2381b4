import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "books",
  contract: 1,
  pages: {
    "/": () => import("./pages/home"),
    "/buecher/:book": () => import("./pages/book"),
    "/besuch": () => import("./pages/visit"),
  },
  navigation: [
    { to: "shell/menu", label: "Bücher", path: "/" },
    { to: "shell/menu", label: "Besuch", path: "/besuch" },
    { to: "shell/footer", label: "Öffnungszeiten", path: "/besuch" },
  ],
  extensions: { "shell/hours@1": () => import("./extensions/hours") },
});
