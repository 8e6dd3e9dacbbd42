/** `SERVICE <urn:svc:...>`: a call of a function of the store, its arguments and results named by triples of one node. */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { Algebra, PatternTerm } from '../algebra/algebra.js';
import { argumentPrefix } from '../functions/table-function.js';
import { patternTerm } from './translate-triples.js';
import type { GraphScope, Translation } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';

export function translateTableFunction(
  { name, input }: TraqulaAlgebra.Service,
  graph: GraphScope,
  translation: Translation,
): Algebra {
  const iri = name.value;
  if (input.type !== 'bgp') throw refused(iri, 'its group holds more than triples', EXPECTED);
  const prefix = argumentPrefix(iri);
  const [first] = input.patterns;
  const args = input.patterns.map(({ subject, predicate, object }) => {
    if (!(subject as Term).equals(first?.subject as Term)) {
      throw refused(iri, 'its triples have different subjects', EXPECTED);
    }
    if (predicate.termType !== 'NamedNode' || !predicate.value.startsWith(prefix)) {
      throw refused(iri, `'${predicate.value}' names no argument of it`, EXPECTED);
    }
    const value: PatternTerm = patternTerm(object as Term, translation);
    return { name: predicate.value.slice(prefix.length), value };
  });
  if (first !== undefined && !isBlank(first.subject as Term, translation)) {
    throw refused(iri, 'the subject of its triples is no blank node', EXPECTED);
  }
  return { kind: 'tableFunction', iri, args, g: graph };
}

/** The parser makes variables of blank nodes. What stands for a call is no entity, so a variable would have no value. */
function isBlank(subject: Term, { written }: Translation): boolean {
  return subject.termType === 'BlankNode' || (subject.termType === 'Variable' && !written.has(subject.value));
}

const EXPECTED =
  'write SERVICE <urn:svc:algo:NAME> { [] <urn:svc:algo:ARGUMENT> value ; <urn:svc:algo:RESULT> ?variable }';

function refused(iri: string, why: string, hint: string): SvcError {
  return new SvcError('invalid_request', `SERVICE <${iri}>: ${why}`, { hint });
}
