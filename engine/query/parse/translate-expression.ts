/** Traqula's expressions to ours. */

import { SvcError } from '../../base/errors.js';
import { type Term, terms } from '../../rdf/terms.js';
import { type Expression, OPERATORS, type Operator } from '../algebra/expression.js';
import type { GraphScope, Translation } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';
import { unsupported } from './unsupported.js';

const KNOWN: ReadonlySet<string> = new Set(OPERATORS);

/** Other spellings of one operator. */
const SYNONYMS: Readonly<Record<string, Operator>> = { isuri: 'isiri', uri: 'iri' };

export function translateExpression(
  expression: TraqulaAlgebra.Expression,
  graph: GraphScope,
  translation: Translation,
): Expression {
  const translate = (part: TraqulaAlgebra.Expression): Expression => translateExpression(part, graph, translation);
  switch (expression.subType) {
    case 'term':
      return translateTermExpression((expression as TraqulaAlgebra.TermExpression).term as Term);
    case 'operator': {
      const { operator, args } = expression as TraqulaAlgebra.OperatorExpression;
      return translateCall(operatorOf(operator), args.map(translate), translation.baseIri);
    }
    case 'named': {
      const { name, args } = expression as TraqulaAlgebra.NamedExpression;
      return { kind: 'function', iri: name.value, args: args.map(translate) };
    }
    case 'existence': {
      const { not, input } = expression as TraqulaAlgebra.ExistenceExpression;
      return { kind: 'exists', negated: not, pattern: translation.pattern(input, graph) };
    }
    case 'aggregate':
      throw new SvcError('parse_error', 'an aggregate stands where none is allowed');
    default:
      throw new SvcError('internal', `the parser gave an expression of kind ${expression.subType}`);
  }
}

/** IRI() carries the base along, so that its value depends on its arguments alone. */
function translateCall(operator: Operator, args: readonly Expression[], baseIri: string | null): Expression {
  if (operator !== 'iri' || baseIri === null) return { kind: 'call', operator, args };
  return { kind: 'call', operator, args: [...args, { kind: 'term', term: terms.literal(baseIri) }] };
}

function translateTermExpression(term: Term): Expression {
  if (term.termType === 'Variable') return { kind: 'variable', name: term.value };
  if (term.termType !== 'Quad' || !hasVariable(term)) return { kind: 'term', term };
  const parts = [term.subject, term.predicate, term.object].map((part) => translateTermExpression(part));
  return { kind: 'call', operator: 'triple', args: parts };
}

export function hasVariable(term: Term): boolean {
  if (term.termType !== 'Quad') return term.termType === 'Variable' || term.termType === 'BlankNode';
  return hasVariable(term.subject) || hasVariable(term.predicate) || hasVariable(term.object);
}

function operatorOf(written: string): Operator {
  const name = written.toLowerCase();
  const operator = SYNONYMS[name] ?? name;
  if (!KNOWN.has(operator)) throw unsupported(`the function ${written.toUpperCase()}`);
  return operator as Operator;
}
