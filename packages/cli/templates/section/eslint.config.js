import section from "@colonnade/cli/eslint";
import tseslint from "typescript-eslint";

import config from "./section.config.js";

const files = ["src/**/*.{js,jsx,ts,tsx}"];
const { policy } = config;

export default [
  { files, languageOptions: { parser: tseslint.parser } },
  ...section,
  { files, ignores: ["**/*.test.*"], rules: { "@colonnade/section": ["error", { policy }] } },
];
