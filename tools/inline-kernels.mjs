/**
 * A step of the kernels' compiler: a function below a line `// @inline` is compiled into its callers. The compiler's own
 * mark for it, a decorator of a function, is no TypeScript, and neither formatter nor linter could read the file.
 */
import { Node, NodeKind } from 'assemblyscript';
import { Transform } from 'assemblyscript/transform';

const MARK = /\n\/\/ @inline\n(export )?$/;

export default class InlineKernels extends Transform {
  afterParse(parser) {
    for (const source of parser.sources) {
      for (const statement of source.statements) {
        if (statement.kind !== NodeKind.FunctionDeclaration) continue;
        const { range } = statement;
        if (!MARK.test(source.text.slice(Math.max(0, range.start - 24), range.start))) continue;
        const name = Node.createIdentifierExpression('inline', range);
        statement.decorators = [Node.createDecorator(name, null, range)];
      }
    }
  }
}
