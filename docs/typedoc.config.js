import { Converter } from "typedoc";

/**
 * Names the parameter of components `props`, because TypeDoc has no name for a destructured parameter.
 *
 * @param {import("typedoc").Application} app
 */
function nameProps({ converter }) {
  converter.on(Converter.EVENT_CREATE_PARAMETER, (_context, parameter) => {
    if (parameter.name === "__namedParameters") parameter.name = "props";
  });
}

/**
 * What a section or a shell imports, by the name of the module.
 *
 * @type {Readonly<Record<string, string>>}
 */
const IMPORTS = {
  kit: "@colonnade/kit",
  analytics: "@colonnade/kit/analytics",
  basename: "@colonnade/kit/basename",
  data: "@colonnade/kit/data",
  extensions: "@colonnade/kit/extensions",
  html: "@colonnade/kit/html",
  remotes: "@colonnade/kit/remotes",
  testing: "@colonnade/kit/testing",
  shell: "@colonnade/shell",
  plain: "@colonnade/shell/plain",
  build: "@colonnade/cli",
};

/** @type {Partial<import("typedoc").TypeDocOptions & import("typedoc-plugin-markdown").PluginOptions>} */
export default {
  entryPoints: [
    "../packages/kit/src/index.ts",
    "../packages/kit/src/analytics/index.ts",
    "../packages/kit/src/basename/index.ts",
    "../packages/kit/src/data/index.ts",
    "../packages/kit/src/extensions/index.ts",
    "../packages/kit/src/html/index.ts",
    "../packages/kit/src/remotes/index.ts",
    "../packages/kit/src/testing/index.tsx",
    "../packages/shell/src/index.ts",
    "../packages/shell/src/plain.tsx",
    "../packages/cli/src/build/index.ts",
  ],
  tsconfig: "tsconfig.api.json",
  plugin: ["typedoc-plugin-markdown", nameProps],
  out: "api",
  router: "module",
  entryFileName: "index",
  readme: "none",
  name: "API reference",
  disableSources: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  excludeExternals: true,
  skipErrorChecking: true,
  treatWarningsAsErrors: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  enumMembersFormat: "table",
  propertyMembersFormat: "table",
  useCodeBlocks: true,
  tableColumnSettings: {
    hideModifiers: true,
  },
  groupOrder: ["Functions", "Variables", "Interfaces", "Type Aliases", "Classes"],
  // Fragments from headings would be ambiguous: an interface and a function may differ only in case.
  useHTMLAnchors: true,
  // A module's name is its path in the site, where a page cannot also be a folder.
  pageTitleTemplates: {
    module: ({ name }) => IMPORTS[name] ?? name,
  },
};
