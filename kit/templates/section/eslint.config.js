import section from "@colonnade/kit/eslint";
import tseslint from "typescript-eslint";

export default [{ files: ["src/**/*.{ts,tsx}"], languageOptions: { parser: tseslint.parser } }, ...section];
