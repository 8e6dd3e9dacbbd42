/** Expressions over one solution (SPARQL 1.1, 17); null = an error. */

import type { TraqulaAlgebra } from '../../../engine/query/parse/traqula.js';
import type { Term } from '../../../engine/rdf/terms.js';
import { compareTerms, effectiveBoolean } from '../../../engine/rdf/values/index.js';
import { castTerm, roundTerm } from './casts.js';
import { booleanTerm, compute, concat, FUNCTIONS } from './functions.js';
import type { Solution } from './solutions.js';

type Result = Term | null;
type Truth = boolean | null;
type Expression = TraqulaAlgebra.Expression;

/** Whether a pattern has a solution for this row. */
export type Exists = (pattern: TraqulaAlgebra.Operation, row: Solution) => boolean;

export function evaluateExpression(expression: Expression, row: Solution, exists: Exists): Result {
  switch (expression.subType) {
    case 'term': {
      const term = (expression as TraqulaAlgebra.TermExpression).term as Term;
      return term.termType === 'Variable' ? (row.get(term.value) ?? null) : term;
    }
    case 'operator': {
      const { operator, args } = expression as TraqulaAlgebra.OperatorExpression;
      return evaluateOperator(operator.toLowerCase(), args, (arg) => evaluateExpression(arg, row, exists));
    }
    case 'named': {
      const { name, args } = expression as TraqulaAlgebra.NamedExpression;
      const arg = args[0] && evaluateExpression(args[0], row, exists);
      return arg ? castTerm(name.value, arg) : null;
    }
    case 'existence': {
      const { not, input } = expression as TraqulaAlgebra.ExistenceExpression;
      return booleanTerm(exists(input, row) !== not);
    }
    default:
      throw new Error(`no expression of kind ${expression.subType}`);
  }
}

export function truth(term: Result): Truth {
  return term === null ? null : effectiveBoolean(term);
}

function evaluateOperator(operator: string, args: readonly Expression[], value: (arg: Expression) => Result): Result {
  const at = (index: number): Result => value(args[index] as Expression);
  switch (operator) {
    case '&&':
      return booleanTerm(both(truth(at(0)), truth(at(1))));
    case '||':
      return booleanTerm(either(truth(at(0)), truth(at(1))));
    case '!':
      return booleanTerm(negated(truth(at(0))));
    case 'bound':
      return booleanTerm(at(0) !== null);
    case 'if': {
      const condition = truth(at(0));
      return condition === null ? null : condition ? at(1) : at(2);
    }
    case 'coalesce':
      return args.map(value).find((term) => term !== null) ?? null;
    case 'in':
    case 'notin': {
      const [wanted, ...list] = args.map(value);
      if (wanted === null) return null;
      const found = list.map((item) => equal(wanted as Result, item)).reduce<Truth>(either, false);
      return booleanTerm(operator === 'in' ? found : negated(found));
    }
    default:
      return evaluateStrict(operator, args.map(value));
  }
}

/** Operators for which an error of an argument is an error. */
function evaluateStrict(operator: string, args: readonly Result[]): Result {
  const known = args.filter((arg): arg is Term => arg !== null);
  if (known.length !== args.length) return null;
  const [a, b, c, d] = known;
  switch (operator) {
    case '=':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return booleanTerm(compareTerms(operator, a as Term, b as Term));
    case '+':
    case '-':
    case '*':
    case '/':
      return compute(operator, a as Term, b as Term);
    case 'concat':
      return concat(known);
    case 'round':
    case 'ceil':
    case 'floor':
      return roundTerm(a as Term, operator);
    default: {
      const implementation = FUNCTIONS[operator];
      if (implementation === undefined) throw new Error(`no function ${operator}`);
      return implementation(a as Term, b, c, d);
    }
  }
}

function both(a: Truth, b: Truth): Truth {
  return a === false || b === false ? false : a === null || b === null ? null : true;
}

function either(a: Truth, b: Truth): Truth {
  return a === true || b === true ? true : a === null || b === null ? null : false;
}

function negated(a: Truth): Truth {
  return a === null ? null : !a;
}

function equal(a: Result, b: Result): Truth {
  return a === null || b === null ? null : compareTerms('=', a, b);
}
