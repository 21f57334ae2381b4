import { defineSection } from "@colonnade/kit";

/** Greetings in a few languages. */
export default defineSection({
  name: "vite",
  contract: 1,
  pages: { "/vite/:language": () => import("./pages/greeting") },
  extensions: { "directory/state-aside@1": () => import("./extensions/greeting") },
});
