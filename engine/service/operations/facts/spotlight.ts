/** Finds mentions of known entities in a text. */

import { getOrInsert } from '../../../base/maps.js';
import { Names } from '../../../search/names/names.js';
import { ANNOTATIONS_MAX, findMentions } from '../../../search/spotlight.js';
import { withSnapshot } from '../../../storage/seam/rows.js';
import { Type } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';
import { defineOperation } from '../definition/operation.js';

const CONFIDENCE = 0.5;

/** Kept for the next text. */
const namesByStore = new WeakMap<Store, Names>();

export const spotlight = defineOperation({
  name: 'spotlight',
  summary: 'Find mentions of known entities in a text',
  access: 'read',
  request: Type.Object({
    text: Type.String('the text'),
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
        surface: Type.String('as the text has it'),
        iri: Type.String(),
        type: Type.String('last part of the IRI of a type, or Thing'),
        confidence: Type.Number(),
        offset: Type.Integer('in code points'),
      }),
    ),
    truncated: Type.Boolean(`there are more than ${ANNOTATIONS_MAX}`),
  }),
  async handler({ store, configuration, control }, { text, confidence = CONFIDENCE }) {
    return withSnapshot(store.snapshot(), async (snapshot) => {
      const { label_predicates: predicates } = configuration.search;
      const names = getOrInsert(namesByStore, store, () => new Names(predicates));
      const { annotations, truncated } = await findMentions(snapshot.storage, names, text, confidence, control);
      return { kind: 'body', body: { text, annotations, truncated } };
    });
  },
  projections: { http: [{ method: 'POST', path: '/spotlight', request: 'body' }] },
});
