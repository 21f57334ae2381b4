import webpack, { type Compiler, type javascript } from "webpack";

import { keyOf, nameOf, nodeAt, nodesAt, walk, type SyntaxNode } from "../check/syntax.js";

const { ConstDependency } = webpack.dependencies;
const DEFINE = /\bdefine(Page|Extension)\b/;
const TYPES = ["javascript/auto", "javascript/esm"];

type ProgramNode = SyntaxNode & { readonly range: [number, number] };

/** Removes `examples` of pages and extensions, and the modules that only they use: no visitor needs them. */
export class WithoutExamples {
  apply(compiler: Compiler): void {
    compiler.hooks.normalModuleFactory.tap("WithoutExamples", (factory) => {
      for (const type of TYPES)
        factory.hooks.parser.for(type).tap("WithoutExamples", (any) => {
          const parser = any as unknown as javascript.JavascriptParser;
          parser.hooks.program.tap("WithoutExamples", (program) => {
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
    const index = properties?.findIndex((property) => keyOf(property) === "examples") ?? -1;
    const property = properties?.[index];
    if (!properties || !property) continue;
    // With the comma: that after it, or that before the last property.
    const start = properties[index + 1] ? property.range[0] : (properties[index - 1]?.range[1] ?? property.range[0]);
    const end = properties[index + 1]?.range[0] ?? property.range[1];
    module.addPresentationalDependency(new ConstDependency("", [start, end]));
    // Webpack would read it next, and keep what it imports.
    properties.splice(index, 1);
  }
}
