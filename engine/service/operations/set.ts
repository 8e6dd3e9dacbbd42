/** Makes a value the only current one of an entity's predicate. */

import { Type } from '../schema.js';
import { actorField, entityField, predicateField, timestampField, valueField } from './fields.js';
import { defineOperation } from './operation.js';

export const set = defineOperation({
  name: 'set',
  summary: "Make a value the only one of an entity's predicate",
  access: 'write',
  request: Type.Object({
    entity: entityField,
    predicate: predicateField,
    value: valueField,
    timestamp: Type.Optional(timestampField),
    actor: Type.Optional(actorField),
  }),
  response: Type.Object({
    tx_id: Type.Integer(),
    retracted: Type.Integer(),
    asserted: Type.Integer(),
    entity: Type.String(),
    predicate: Type.String(),
  }),
  async handler({ store, control }, { entity, predicate, value, timestamp, actor }) {
    const { tx, retracted, asserted } = await store.set(entity, predicate, value as string, {
      signal: control.signal,
      timestamp,
      actor,
    });
    return { kind: 'body', body: { tx_id: tx, retracted, asserted, entity, predicate } };
  },
  projections: {
    http: [{ method: 'POST', path: '/set', request: 'body' }],
    cli: {
      command: 'set',
      positional: [
        { field: 'entity', name: 'entity', summary: 'IRI of the entity, or _:label' },
        { field: 'predicate', name: 'predicate', summary: 'IRI of the predicate' },
        {
          field: 'value',
          name: 'value',
          summary: 'the value as JSON: \'"text"\', \'{"iri": "..."}\', \'{"int": 42}\'',
        },
      ],
      json: ['value'],
      examples: [
        'svc set http://example.org/ann http://example.org/age \'{"int": 31}\'',
        'svc set http://example.org/ann http://example.org/boss \'{"iri": "http://example.org/bob"}\'',
      ],
      options: { timestamp: 't', actor: 'name' },
      text: (body) => `set ${body.predicate} on ${body.entity} (retracted ${body.retracted}, tx ${body.tx_id})\n`,
    },
  },
});
