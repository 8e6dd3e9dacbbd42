/** The check of each kind of constraint, made once for a validation. */

import type { Constraint } from '../shapes/shapes.js';
import { classTest, inTest } from '../value-tests/members.js';
import { datatypeTest, nodeKindTest, rangeTest } from '../value-tests/terms.js';
import { languageTest, lengthTest, patternTest } from '../value-tests/texts.js';
import type { Check, Evaluation } from './check.js';
import { closedCheck } from './closed.js';
import { countCheck, hasValueCheck, qualifiedCheck } from './counts.js';
import { uniqueLangCheck } from './languages.js';
import { disjointCheck, equalsCheck, lessThanCheck } from './pairs.js';
import { propertyCheck } from './properties.js';
import { sparqlCheck } from './sparql.js';
import { LOGIC, logicCheck, valueCheck } from './values.js';

export function checkOf(constraint: Constraint, evaluation: Evaluation): Check {
  const { view, classes } = evaluation;
  switch (constraint.kind) {
    case 'class':
      return valueCheck(classTest(constraint, view, classes));
    case 'datatype':
      return valueCheck(datatypeTest(constraint, view));
    case 'nodeKind':
      return valueCheck(nodeKindTest(constraint, view));
    case 'range':
      return valueCheck(rangeTest(constraint, view));
    case 'minLength':
    case 'maxLength':
      return valueCheck(lengthTest(constraint, view));
    case 'pattern':
      return valueCheck(patternTest(constraint, view));
    case 'languageIn':
      return valueCheck(languageTest(constraint, view));
    case 'in':
      return valueCheck(inTest(constraint, view));
    case 'node':
      return valueCheck(evaluation.testOf(constraint.shape));
    case 'minCount':
    case 'maxCount':
      return countCheck(constraint);
    case 'hasValue':
      return hasValueCheck(view.idOf(constraint.value));
    case 'uniqueLang':
      return uniqueLangCheck(view);
    case 'equals':
      return equalsCheck(view.idOf(constraint.predicate), view);
    case 'disjoint':
      return disjointCheck(view.idOf(constraint.predicate), view);
    case 'lessThan':
    case 'lessThanOrEquals':
      return lessThanCheck(
        view.idOf(constraint.predicate),
        constraint.kind === 'lessThanOrEquals',
        view,
        evaluation.timer,
      );
    case 'closed':
      return closedCheck(constraint, view);
    case 'not':
      return logicCheck([evaluation.testOf(constraint.shape)], LOGIC.not);
    case 'and':
    case 'or':
    case 'xone':
      return logicCheck(
        constraint.shapes.map((shape) => evaluation.testOf(shape)),
        LOGIC[constraint.kind],
      );
    case 'qualifiedMinCount':
    case 'qualifiedMaxCount':
      return qualifiedCheck(
        constraint,
        [constraint.shape, ...constraint.siblings].map((shape) => evaluation.testOf(shape)),
      );
    case 'sparql':
      return sparqlCheck(constraint.sparql, evaluation);
    case 'property':
      return propertyCheck(constraint.shape, evaluation);
  }
}
