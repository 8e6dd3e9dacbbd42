/** Whether a dialect can say all of a relational tree; asked before any text is written. */

import { SvcError } from '../../base/errors.js';
import { hasLoneSurrogate } from '../../rdf/formats/input/term-checks.js';
import type { Dialect, Lacking } from './dialects/dialect.js';
import { type Relation, scalarsOf, visitRelation } from './relations.js';
import { type Scalar, visitScalar } from './scalars.js';

export function refuseUnsaid(relation: Relation, dialect: Dialect): void {
  visitRelation(relation, (node) => {
    if (node.kind === 'shared' && node.part.step !== null && dialect.recursion !== 'yes')
      throw unsaid(dialect.recursion, dialect);
    for (const scalar of scalarsOf(node)) visitScalar(scalar, (part) => refuseScalar(part, dialect));
  });
}

function refuseScalar(part: Scalar, dialect: Dialect): void {
  if (part.kind === 'text' && hasLoneSurrogate(part.value)) {
    throw new SvcError('unsupported', 'a text with half a surrogate pair has no translation to SQL');
  }
  if (part.kind !== 'call' || part.name === 'refuse' || part.name === 'rowNumber' || part.name === 'rank') return;
  const writing = dialect.functions[part.name];
  if (typeof writing !== 'function') throw unsaid(writing, dialect);
}

function unsaid({ lacks, instead }: Lacking, { title }: Dialect): SvcError {
  return new SvcError('unsupported', `${title} does not have ${lacks} as SPARQL has it`, { hint: instead });
}
