/** The check of each kind of constraint, made once for a validation. */

import type { Constraint } from '../shapes/shapes.js';
import { classJudge, inJudge } from '../value-tests/members.js';
import { datatypeJudge, nodeKindJudge, rangeJudge } from '../value-tests/terms.js';
import { languageJudge, lengthJudge, patternJudge } from '../value-tests/texts.js';
import type { Check, Evaluation } from './check.js';
import { ClosedCheck } from './closed.js';
import { CountCheck, HasValueCheck, QualifiedCheck } from './counts.js';
import { UniqueLangCheck } from './languages.js';
import { DisjointCheck, EqualsCheck, LessThanCheck } from './pairs.js';
import { PropertyCheck } from './properties.js';
import { SparqlCheck } from './sparql.js';
import { LOGIC, LogicCheck, ValueCheck } from './values.js';

export function checkOf(constraint: Constraint, evaluation: Evaluation): Check {
  const { view, classes } = evaluation;
  switch (constraint.kind) {
    case 'class':
      return new ValueCheck(classJudge(constraint, view, classes));
    case 'datatype':
      return new ValueCheck(datatypeJudge(constraint, view));
    case 'nodeKind':
      return new ValueCheck(nodeKindJudge(constraint, view));
    case 'range':
      return new ValueCheck(rangeJudge(constraint, view));
    case 'minLength':
    case 'maxLength':
      return new ValueCheck(lengthJudge(constraint, view));
    case 'pattern':
      return new ValueCheck(patternJudge(constraint, view));
    case 'languageIn':
      return new ValueCheck(languageJudge(constraint, view));
    case 'in':
      return new ValueCheck(inJudge(constraint, view));
    case 'node':
      return new ValueCheck(evaluation.judgeOf(constraint.shape));
    case 'minCount':
    case 'maxCount':
      return new CountCheck(constraint);
    case 'hasValue':
      return new HasValueCheck(view.idOf(constraint.value));
    case 'uniqueLang':
      return new UniqueLangCheck(view);
    case 'equals':
      return new EqualsCheck(view.idOf(constraint.predicate), view);
    case 'disjoint':
      return new DisjointCheck(view.idOf(constraint.predicate), view);
    case 'lessThan':
    case 'lessThanOrEquals':
      return new LessThanCheck(
        view.idOf(constraint.predicate),
        constraint.kind === 'lessThanOrEquals',
        view,
        evaluation.pace,
      );
    case 'closed':
      return new ClosedCheck(constraint, view);
    case 'not':
      return new LogicCheck([evaluation.judgeOf(constraint.shape)], LOGIC.not);
    case 'and':
    case 'or':
    case 'xone':
      return new LogicCheck(
        constraint.shapes.map((shape) => evaluation.judgeOf(shape)),
        LOGIC[constraint.kind],
      );
    case 'qualifiedMinCount':
    case 'qualifiedMaxCount':
      return new QualifiedCheck(
        constraint,
        evaluation.judgeOf(constraint.shape),
        constraint.siblings.map((shape) => evaluation.judgeOf(shape)),
      );
    case 'sparql':
      return new SparqlCheck(constraint.sparql, evaluation);
    case 'property':
      return new PropertyCheck(constraint.shape, evaluation);
  }
}
