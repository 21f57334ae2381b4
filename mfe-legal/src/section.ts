import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "legal",
  contract: 1,
  pages: {
    "/terms": () => import("./pages/terms"),
    "/privacy": () => import("./pages/privacy"),
    "/privacy/receipt": () => import("./pages/receipt"),
  },
  navigation: [
    { to: "shell/footer", label: "Terms", path: "/terms" },
    { to: "shell/footer", label: "Privacy", path: "/privacy" },
  ],
});
