/** The naive evaluator as a subject of the W3C suites: an oracle has to be right itself. */

import type { Quad } from '../../../engine/rdf/terms.js';
import { quadsOf, type SparqlSubject } from '../../conformance/sparql/subjects.js';
import { naiveQuery } from './query.js';
import { naiveUpdate } from './update.js';

export function naiveSubject(): SparqlSubject {
  let quads: readonly Quad[] = [];
  return {
    name: 'naive',
    async fill(data) {
      quads = await quadsOf(data);
    },
    ask: async ({ text, options }) => naiveQuery(text, quads, options),
    async update(text, baseIri) {
      quads = naiveUpdate(text, quads, { baseIri });
    },
    contents: async () => [...quads],
    close: async () => {},
  };
}
