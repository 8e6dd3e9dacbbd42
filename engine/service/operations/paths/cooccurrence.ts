/** Work items that touch the same code as another. */

import { iri, Type } from '../../requests/schema.js';
import { clampLimit, pageFields, txField, validAtField } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { moreText } from '../definition/text.js';

export const cooccurrence = defineOperation({
  name: 'cooccurrence',
  summary: 'List the work items whose commits touch what those of a work item touch',
  access: 'read',
  request: Type.Object({
    work_item: iri({ minLength: 1, description: 'IRI of the work item' }),
    valid_at: Type.Optional(validAtField),
    tx: Type.Optional(txField),
    ...pageFields,
  }),
  response: Type.Object({
    work_item: Type.String(),
    cooccurring: Type.Array(
      Type.Object({ work_item: Type.String(), shared_entities: Type.Integer() }),
      'most shared entities first, then by IRI',
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler({ store, control, read }, { work_item: item, valid_at: validAt, tx, limit, offset }) {
    const { signal, flag } = control;
    const { deadline, budget } = read;
    const stops = { signal, flag, deadline, memoryBytes: budget.memoryBytes };
    const found = await store.cooccurrence(item, { validAt, tx, limit: clampLimit(limit), offset, ...stops });
    const cooccurring = found.cooccurring.map(({ workItem, sharedEntities }) => {
      return { work_item: workItem, shared_entities: sharedEntities };
    });
    const { workItem: work_item, truncated } = found;
    return { kind: 'body', body: { work_item, cooccurring, count: cooccurring.length, truncated } };
  },
  projections: {
    http: [{ method: 'POST', path: '/cooccurrence', request: 'body' }],
    mcp: {
      tool: 'cooccurrence',
      description: [
        'List the work items whose commits touch what the commits of this one touch, most shared_entities first: to find related work. It needs facts base:implements (commit to item) and base:modifies (commit to entity).',
      ],
      example: { work_item: 'http://ex.org/item-12' },
      parameters: {
        ...inWords({ work_item: 'its IRI' }),
        ...asTheyAre('valid_at', 'tx'),
        limit: { default: 100 },
        offset: { default: 0 },
      },
    },
    cli: {
      command: 'cooccurrence',
      positional: [{ field: 'work_item', name: 'iri', summary: 'the work item' }],
      examples: ['svc cooccurrence http://example.org/item-12', 'svc cooccurrence http://example.org/item-12 --tx 42'],
      options: { valid_at: 't', tx: 'n', limit: 'n', offset: 'n' },
      text: ({ cooccurring, count, truncated }) => {
        const lines = cooccurring.map(({ work_item: item, shared_entities: shared }) => `  ${shared}  ${item}\n`);
        return `${lines.join('')}${count} work item(s)\n${moreText(truncated)}`;
      },
    },
  },
});
