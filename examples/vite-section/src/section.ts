import { defineSection } from "@colonnade/kit";

import { page } from "./pages/greeting";

/** Greetings in a few languages. */
export default defineSection({
  name: "vite",
  contract: 1,
  // Vite builds one chunk. The kit's build would need an `import()`.
  // eslint-disable-next-line @colonnade/section
  pages: { "/vite/:language": () => Promise.resolve({ page }) },
});
