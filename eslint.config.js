import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

// What the content security policy forbids at run time is refused here first.
const forbiddenInSections = [
  {
    selector: "JSXAttribute[name.name='style']",
    message: "No style attribute: the content security policy refuses it. Use a CSS module.",
  },
  {
    selector: "JSXOpeningElement[name.name='style']",
    message: "No <style>: the content security policy refuses it. Use a CSS module.",
  },
  {
    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
    message: "No dangerouslySetInnerHTML: Markdown is compiled to React elements.",
  },
  {
    selector: "AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]",
    message: "No HTML from strings.",
  },
  {
    selector: "CallExpression[callee.property.name=/^(insertAdjacentHTML|setHTMLUnsafe)$/]",
    message: "No HTML from strings: the content security policy refuses it.",
  },
  {
    selector: "JSXOpeningElement[name.name='script']",
    message: "No <script>: React makes it from a string, which the content security policy refuses.",
  },
];
const sections = ["mfe-*/src/**/*.{ts,tsx}", "shell/src/**/*.{ts,tsx}", "kit/src/**/*.{ts,tsx}"];

export default tseslint.config(
  {
    ignores: [
      "kit/modules.d.ts",
      "**/dist/",
      "**/release/",
      "**/release.building/",
      "target/",
      "fuzz/",
      ".run/",
      "store/",
      "**/test-results/",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ["**/*.tsx", "shell/src/**/*.ts", "mfe-*/src/**/*.ts"],
    plugins: { "react-hooks": reactHooks },
    rules: reactHooks.configs.recommended.rules,
  },
  { files: sections, ignores: ["**/*.test.*"], rules: { "no-restricted-syntax": ["error", ...forbiddenInSections] } },
  {
    files: ["mfe-*/src/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: ["react-router", "react-router-dom", "@module-federation/*"],
              message: "Routing reaches a section through @colonnade/kit.",
            },
            {
              group: ["@colonnade/mfe-*", "@colonnade/shell", "@colonnade/kit/shell"],
              message: "A section knows the kit, not the shell nor another section.",
            },
            {
              group: ["../../../mfe-*", "../../mfe-*", "../../shell/*", "../../../shell/*"],
              message: "A section knows the kit, not the shell nor another section.",
            },
          ],
        },
      ],
    },
  },
  // Playwright reads a fixture's dependencies from its destructured parameter; one without any has an empty pattern.
  { files: ["tests/support/*.ts"], rules: { "no-empty-pattern": "off" } },
  { files: ["**/*.{js,mjs}"], languageOptions: { globals: globals.node } },
);
