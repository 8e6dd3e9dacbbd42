/** Traqula's expressions to ours; what is not evaluated yet is refused by name. */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import { type Expression, OPERATORS, type Operator } from '../algebra/expression.js';
import type { TraqulaAlgebra } from './traqula.js';
import { unsupported } from './unsupported.js';

const KNOWN: ReadonlySet<string> = new Set(OPERATORS);

/** Other spellings of one operator. */
const SYNONYMS: Readonly<Record<string, Operator>> = { isuri: 'isiri' };

export function translateExpression(expression: TraqulaAlgebra.Expression): Expression {
  switch (expression.subType) {
    case 'term':
      return translateTermExpression((expression as TraqulaAlgebra.TermExpression).term as Term);
    case 'operator':
      return translateOperator(expression as TraqulaAlgebra.OperatorExpression);
    case 'named':
      throw unsupported(`the function <${(expression as TraqulaAlgebra.NamedExpression).name.value}>`);
    case 'existence':
      throw unsupported((expression as TraqulaAlgebra.ExistenceExpression).not ? 'NOT EXISTS' : 'EXISTS');
    case 'aggregate':
      throw new SvcError('parse_error', 'an aggregate stands where none is allowed');
    default:
      throw new SvcError('internal', `the parser gave an expression of kind ${expression.subType}`);
  }
}

function translateTermExpression(term: Term): Expression {
  if (term.termType === 'Variable') return { kind: 'variable', name: term.value };
  if (term.termType === 'Quad' && hasVariable(term)) throw unsupported('a triple term with variables');
  return { kind: 'term', term };
}

export function hasVariable(term: Term): boolean {
  if (term.termType !== 'Quad') return term.termType === 'Variable' || term.termType === 'BlankNode';
  return hasVariable(term.subject) || hasVariable(term.predicate) || hasVariable(term.object);
}

function translateOperator(expression: TraqulaAlgebra.OperatorExpression): Expression {
  const name = expression.operator.toLowerCase();
  const operator = SYNONYMS[name] ?? name;
  if (!KNOWN.has(operator)) throw unsupported(`the function ${expression.operator.toUpperCase()}`);
  return { kind: 'call', operator: operator as Operator, args: expression.args.map(translateExpression) };
}
