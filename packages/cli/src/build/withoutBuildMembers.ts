import webpack, { type Compiler, type javascript } from "webpack";

import { keyOf, nameOf, nodeAt, nodesAt, walk, type SyntaxNode } from "../check/syntax.js";

const { ConstDependency } = webpack.dependencies;
const DEFINE = /\bdefine(Page|Extension)\b/;
const TYPES = ["javascript/auto", "javascript/esm"];

type ProgramNode = SyntaxNode & { readonly range: [number, number] };

/** The members of pages and extensions that only a build calls. */
const MEMBERS: ReadonlySet<string> = new Set(["examples", "paths"]);

/** Removes the members of pages and extensions that only a build calls, and the modules that only they use. */
export class WithoutBuildMembers {
  apply(compiler: Compiler): void {
    compiler.hooks.normalModuleFactory.tap("WithoutBuildMembers", (factory) => {
      for (const type of TYPES)
        factory.hooks.parser.for(type).tap("WithoutBuildMembers", (any) => {
          const parser = any as unknown as javascript.JavascriptParser;
          parser.hooks.program.tap("WithoutBuildMembers", (program) => {
            removeFrom(program as unknown as SyntaxNode, parser);
          });
        });
    });
  }
}

function removeFrom(program: SyntaxNode, parser: javascript.JavascriptParser): void {
  const { module, source } = parser.state;
  if (!DEFINE.test(String(source))) return;
  for (const { node } of walk(program)) {
    if (node.type !== "CallExpression" || !DEFINE.test(nameOf(nodeAt(node, "callee")))) continue;
    const properties = nodesAt(node, "arguments")[0]?.properties as ProgramNode[] | undefined;
    const all = [...(properties ?? [])];
    for (const [index, property] of all.entries()) {
      if (!MEMBERS.has(keyOf(property))) continue;
      // With the comma after it.
      const end = all[index + 1]?.range[0] ?? property.range[1];
      module.addPresentationalDependency(new ConstDependency("", [property.range[0], end]));
      // Webpack would read it next, and keep what it imports.
      properties?.splice(properties.indexOf(property), 1);
    }
  }
}
