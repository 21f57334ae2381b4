import section from "@colonnade/cli/eslint";
import tseslint from "typescript-eslint";

// Code that the content security policy blocks at run time.
const forbiddenMarkup = [
  {
    selector: "JSXAttribute[name.name='style']",
    message: "The content security policy blocks style attributes. Use a CSS module.",
  },
  {
    selector: "JSXOpeningElement[name.name='style']",
    message: "The content security policy blocks <style> elements. Use a CSS module.",
  },
  {
    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
    message: "Do not use dangerouslySetInnerHTML. For formatted text use Markdown, which compiles to React elements.",
  },
  {
    selector: "AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]",
    message: "Do not create HTML from strings. Render React elements.",
  },
  {
    selector: "CallExpression[callee.property.name=/^(insertAdjacentHTML|setHTMLUnsafe)$/]",
    message: "Do not create HTML from strings: the content security policy blocks it. Render React elements.",
  },
  {
    selector: "JSXOpeningElement[name.name='script']",
    message: "Do not render <script>: React creates it from a string, which the content security policy blocks.",
  },
];
const platform = ["{console,shell,examples/minimal-shell,packages/*}/src/**/*.{ts,tsx}"];
const sections = ["mfe-*/src/**/*.{ts,tsx}", "examples/*/src/**/*.{ts,tsx}"];

// What Oxlint does not have; .oxlintrc.json has all other rules.
export default tseslint.config(
  { ignores: ["**/*.{js,mjs}", "**/*.test.*", "**/testing/**", "**/dist/", "**/release/", "**/release.building/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  { files: [...platform, ...sections], languageOptions: { parser: tseslint.parser } },
  { files: platform, rules: { "no-restricted-syntax": ["error", ...forbiddenMarkup] } },
  ...section.map(({ rules, ...config }) => {
    const siblings = {
      group: ["../../../mfe-*", "../../mfe-*", "../../shell/*", "../../../shell/*"],
      message: "A section must not import the shell or another section. Use @colonnade/kit.",
    };
    return {
      ...config,
      files: sections,
      ignores: ["examples/minimal-shell/**"],
      rules: { ...rules, "no-restricted-imports": ["error", { patterns: [siblings] }] },
    };
  }),
);
