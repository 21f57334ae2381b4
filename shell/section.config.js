import { defineConfig } from "@colonnade/cli";

export default defineConfig({
  name: "shell",
  kind: "shell",
  entry: "./src/shell.tsx",
  icon: "./src/favicon.svg",
  // Rendered by art/draw.mjs.
  icons: [
    { file: "./art/drawn/touch-180.png", purpose: "touch" },
    { file: "./art/drawn/icon-32.png", purpose: "any" },
    { file: "./art/drawn/icon-192.png", purpose: "any" },
    { file: "./art/drawn/icon-512.png", purpose: "maskable" },
  ],
  socialImage: { file: "./art/drawn/social.png", alt: "A temple with six columns at dusk. Sample directory, 18+" },
  // The header's background: the design token --color-surface.
  themeColor: { light: "#ffffff", dark: "#201c1f" },
  // The rating is for filters of adult content.
  meta: { "color-scheme": "light dark", rating: "adult" },
});
