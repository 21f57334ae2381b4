import { defineSection } from "@colonnade/kit";

import { page } from "./pages/greeting";

/** Greetings in a few languages. */
export default defineSection({
  name: "vite",
  contract: 1,
  pages: { "/vite/:language": () => Promise.resolve({ page }) },
});
