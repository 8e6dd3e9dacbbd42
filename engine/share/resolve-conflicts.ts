/** Puts what was decided of conflicts on the stage of a merge, in place of the values that the merge would have left. */

import { SvcError } from '../base/errors.js';
import { type Quad, type Term, terms } from '../rdf/terms.js';
import type { Stage } from '../storage/seam/engine.js';
import { CanonicalReader } from './canonical-reader.js';
import { chosenValues, type Resolutions } from './decisions.js';
import { type FoundConflict, textOf } from './find-conflicts.js';
import { objectOf } from './line-terms.js';
import { inGraph } from './stage-merge.js';

export function resolveConflicts(
  stage: Stage,
  graph: string | null,
  conflicts: readonly FoundConflict[],
  resolutions: Resolutions,
): void {
  const found = new Map(conflicts.map((conflict) => [conflict.id, conflict]));
  for (const { conflict, values } of chosenValues(conflicts, resolutions)) {
    const { place, merged, terms: known } = found.get(conflict.id) as FoundConflict;
    const chosen = new Set(values);
    const quad = (value: Term): Quad => terms.quad(place.subject, place.predicate, value as Quad['object']);
    const removed = merged.filter((value) => !chosen.has(textOf(value)));
    const wanted = values.map((text) => known.get(text) ?? parseValue(text, conflict.id));
    stage.retract(inGraph(removed.map(quad), graph));
    stage.assert(inGraph(wanted.map(quad), graph));
  }
}

/** A value that stands on neither side. */
function parseValue(text: string, id: string): Term {
  if (text.startsWith('_:')) {
    throw refusal(id, `the blank node ${text} is no value of base, ours or theirs there`);
  }
  let value: Term | null = null;
  const reader = new CanonicalReader((line) => {
    value = objectOf(line, String);
  });
  try {
    reader.push(Buffer.from(`<urn:x> <urn:x> ${text} .\n`));
    reader.end();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw refusal(
      id,
      `${JSON.stringify(text)} is not a canonical N-Triples term: ${error.message.replace(/^.*?: /, '')}`,
    );
  }
  if (value === null || reader.lines !== 1) throw refusal(id, `${JSON.stringify(text)} is not one N-Triples term`);
  return value;
}

function refusal(id: string, what: string): SvcError {
  return new SvcError('usage', `the decisions can't be taken: in the resolution of ${id}, ${what}`, {
    hint: 'write values as they stand in the file: <iri>, "text", "text"@en, "1"^^<datatype>',
  });
}
