/** Finds mentions of known entities in a text. */

import { Names } from '../../../search/names/names.js';
import { ANNOTATIONS_MAX, findMentions } from '../../../search/spotlight.js';
import { Type } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';
import { defineOperation } from '../definition/operation.js';

const CONFIDENCE = 0.5;

const namesByStore = new WeakMap<Store, Names>();

/** The names of a store, kept for the next text. */
function namesOf(store: Store): Names {
  let names = namesByStore.get(store);
  if (names === undefined) {
    names = new Names();
    namesByStore.set(store, names);
  }
  return names;
}

export const spotlight = defineOperation({
  name: 'spotlight',
  summary: 'Find mentions of known entities in a text',
  access: 'read',
  request: Type.Object({
    text: Type.String({ description: 'the text' }),
    confidence: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: `the least confidence, default ${CONFIDENCE}: labels have 0.95, last parts of IRIs 0.85`,
      }),
    ),
  }),
  response: Type.Object({
    text: Type.String(),
    annotations: Type.Array(
      Type.Object({
        surface: Type.String({ description: 'as the text has it' }),
        iri: Type.String(),
        type: Type.String({ description: 'last part of the IRI of a type, or Thing' }),
        confidence: Type.Number(),
        offset: Type.Integer({ description: 'in code points' }),
      }),
    ),
    truncated: Type.Boolean({ description: `there are more than ${ANNOTATIONS_MAX}` }),
  }),
  async handler({ store, control }, { text, confidence = CONFIDENCE }) {
    const snapshot = store.snapshot();
    try {
      const names = namesOf(store).tables(snapshot.storage, control);
      const { annotations, truncated } = await findMentions(snapshot.storage, names, text, confidence, control);
      return { kind: 'body', body: { text, annotations: [...annotations], truncated } };
    } finally {
      snapshot.close();
    }
  },
  projections: { http: [{ method: 'POST', path: '/spotlight', request: 'body' }] },
});
