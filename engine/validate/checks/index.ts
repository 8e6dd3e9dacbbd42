/** The check of each kind of constraint, made once for a validation. */

import type { ConstraintKind, ConstraintOf, RangeKind } from '../shapes/shapes.js';
import { classTest, inTest } from '../value-tests/members.js';
import { datatypeTest, nodeKindTest, rangeTest } from '../value-tests/terms.js';
import { languageTest, maxLengthTest, minLengthTest, textTest } from '../value-tests/texts.js';
import type { Check, Evaluation } from './check.js';
import { closedCheck } from './closed.js';
import { countCheck, hasValueCheck, qualifiedCheck } from './counts.js';
import { uniqueLangCheck } from './languages.js';
import { disjointCheck, equalsCheck, lessThanCheck } from './pairs.js';
import { propertyCheck } from './properties.js';
import { sparqlCheck } from './sparql.js';
import { logicCheck, valueCheck } from './values.js';

type Make<Kind extends ConstraintKind> = (constraint: ConstraintOf<Kind>, evaluation: Evaluation) => Check;

const CHECKS: { readonly [Kind in ConstraintKind]: Make<Kind> } = {
  class: ({ type }, { view, classes }) => valueCheck(classTest(type, view, classes)),
  datatype: ({ datatype }, { view }) => valueCheck(datatypeTest(datatype, view)),
  nodeKind: ({ kinds }, { view }) => valueCheck(nodeKindTest(kinds, view)),
  minExclusive: rangeCheck,
  minInclusive: rangeCheck,
  maxExclusive: rangeCheck,
  maxInclusive: rangeCheck,
  minLength: ({ length }, { view }) => valueCheck(minLengthTest(length, view)),
  maxLength: ({ length }, { view }) => valueCheck(maxLengthTest(length, view)),
  pattern: ({ pattern }, { view }) => valueCheck(textTest(view, (text) => pattern.test(text))),
  languageIn: ({ ranges }, { view }) => valueCheck(languageTest(ranges, view)),
  in: ({ members }, { view }) => valueCheck(inTest(members, view)),
  node: ({ shape }, evaluation) => valueCheck(evaluation.testOf(shape)),
  minCount: countCheck,
  maxCount: countCheck,
  hasValue: ({ value }, { view }) => hasValueCheck(view.idOf(value)),
  uniqueLang: (_, { view }) => uniqueLangCheck(view),
  equals: ({ predicate }, { view }) => equalsCheck(view.idOf(predicate), view),
  disjoint: ({ predicate }, { view }) => disjointCheck(view.idOf(predicate), view),
  lessThan: ({ predicate }, evaluation) => lessThanCheck(predicate, false, evaluation),
  lessThanOrEquals: ({ predicate }, evaluation) => lessThanCheck(predicate, true, evaluation),
  closed: ({ allowed }, { view }) => closedCheck(allowed, view),
  not: ({ shape }, evaluation) => logicCheck([shape], evaluation, (passed) => passed === 0),
  and: ({ shapes }, evaluation) => logicCheck(shapes, evaluation, (passed) => passed === shapes.length),
  or: ({ shapes }, evaluation) => logicCheck(shapes, evaluation, (passed) => passed > 0),
  xone: ({ shapes }, evaluation) => logicCheck(shapes, evaluation, (passed) => passed === 1),
  qualifiedMinCount: qualifiedCheck,
  qualifiedMaxCount: qualifiedCheck,
  sparql: ({ sparql }, evaluation) => sparqlCheck(sparql, evaluation),
  property: ({ shape }, evaluation) => propertyCheck(shape, evaluation),
};

export function checkOf<Kind extends ConstraintKind>(constraint: ConstraintOf<Kind>, evaluation: Evaluation): Check {
  return CHECKS[constraint.kind as Kind](constraint, evaluation);
}

function rangeCheck({ operator, bound }: ConstraintOf<RangeKind>, { view }: Evaluation): Check {
  return valueCheck(rangeTest(operator, bound, view));
}
