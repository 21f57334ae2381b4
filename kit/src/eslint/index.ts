// An ESLint configuration with the rules of `section check` that need no run of the section. It needs no plugin.
import { anchorOf, kindOf, type ProblemCode } from "../check/codes.js";

const GUIDE = "node_modules/@colonnade/kit/dist/check/errors.md";

/** A configuration of ESLint's flat format. */
export interface LintConfig {
  readonly name: string;
  readonly files: string[];
  readonly ignores: string[];
  readonly languageOptions: { readonly parserOptions: { readonly ecmaFeatures: { readonly jsx: boolean } } };
  readonly rules: Readonly<Record<string, ["error", ...object[]]>>;
}

// Code that always runs on the server: outside of functions, in these members of a page, and directly in a component.
// Functions inside of a component may be effects or event handlers.
const MEMBER =
  "CallExpression[callee.name='definePage'] > ObjectExpression > Property[key.name=/^(data|head|layout|paths)$/]";
const COMPONENT =
  ":matches(FunctionDeclaration[id.name=/^[A-Z]/], VariableDeclarator[id.name=/^[A-Z]/] > ArrowFunctionExpression, " +
  "Property[key.name='Component'] > :function)";
const ON_SERVER = `:matches(:not(:function *), ${MEMBER} *, ${COMPONENT} *:not(${COMPONENT} :function *))`;
// Only the check can tell whether a condition, such as `typeof window`, excludes the server.
const UNCONDITIONAL = ":not(:matches(IfStatement, ConditionalExpression, LogicalExpression) *)";
const DOCUMENT = "/^(body|cookie|createElement|documentElement|getElementById|querySelector|querySelectorAll|title)$/";

const IMPURE: readonly (readonly [ProblemCode, string])[] = [
  ["COL101", "CallExpression[callee.object.name='Date'][callee.property.name='now']"],
  ["COL101", "NewExpression[callee.name='Date'][arguments.length=0]"],
  ["COL101", "CallExpression[callee.object.name='performance'][callee.property.name='now']"],
  ["COL102", "CallExpression[callee.object.name='Math'][callee.property.name='random']"],
  ["COL102", "CallExpression[callee.object.name='crypto'][callee.property.name=/^(randomUUID|getRandomValues)$/]"],
  ["COL103", "MemberExpression[object.name='Intl']"],
  ["COL103", "CallExpression[callee.property.name=/^(toLocale\\w*String|toLocale(Lower|Upper)Case|localeCompare)$/]"],
  ["COL104", "CallExpression[callee.name=/^(fetch|setTimeout|setInterval|requestAnimationFrame)$/]"],
  ["COL105", `MemberExpression[object.name=/^(window|localStorage|sessionStorage)$/]${UNCONDITIONAL}`],
  ["COL105", `MemberExpression[object.name='document'][property.name=${DOCUMENT}]${UNCONDITIONAL}`],
];

const ANYWHERE: readonly (readonly [ProblemCode, string])[] = [
  ["COL120", "JSXOpeningElement[name.name=/^[a-z]/] > JSXAttribute[name.name='style']"],
  ["COL121", "JSXAttribute[name.name='dangerouslySetInnerHTML']"],
  ["COL121", "AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]"],
  ["COL121", "CallExpression[callee.property.name=/^(insertAdjacentHTML|setHTMLUnsafe)$/]"],
  ["COL121", "CallExpression[callee.name='eval']"],
  ["COL122", "JSXOpeningElement[name.name='script']"],
  ["COL123", "JSXOpeningElement[name.name='style']"],
  [
    "COL130",
    "MemberExpression[object.name='process'][property.name='env']:not(MemberExpression[property.name='NODE_ENV'] > *)",
  ],
];

const SELECTORS = [...IMPURE.map(([code, selector]) => [code, selector + ON_SERVER] as const), ...ANYWHERE];

// The same modules as in ../check/sources.ts.
const FORBIDDEN_MODULES = [
  "react-router",
  "react-router-dom",
  "react-dom/server*",
  "react-dom/client",
  "react-dom/static*",
  "@module-federation/*",
  "@colonnade/shell",
  "@colonnade/mfe-*",
  "@colonnade/kit/shell",
  "@colonnade/kit/server",
  "@colonnade/kit/build",
  "@colonnade/kit/testing",
  "@colonnade/kit/vitest",
];

function messageOf(code: ProblemCode): string {
  const { title, help } = kindOf(code);
  return `${code} ${title}: ${help} ${GUIDE}${anchorOf(code)}`;
}

/** Reports problems of `section check` that are certain without running the section. */
const config: LintConfig[] = [
  {
    name: "@colonnade/kit",
    files: ["src/**/*.{js,jsx,ts,tsx}"],
    ignores: ["**/*.test.*"],
    languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } },
    rules: {
      "no-restricted-syntax": [
        "error",
        ...SELECTORS.map(([code, selector]) => ({ selector, message: messageOf(code) })),
      ],
      "no-restricted-imports": ["error", { patterns: [{ group: FORBIDDEN_MODULES, message: messageOf("COL131") }] }],
    },
  },
];
export default config;
