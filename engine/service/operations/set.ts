/** Makes a value the only current one of an entity's predicate. */

import { findingLists, judgedLists } from '../findings.js';
import { Type } from '../schema.js';
import { actorField, entityField, predicateField, timestampField, valueField, valueSchema } from './fields.js';
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
    ...findingLists,
  }),
  async handler({ store, control }, { entity, predicate, value, timestamp, actor }) {
    const result = await store.set(entity, predicate, value as string, {
      signal: control.signal,
      wait: control.wait,
      authenticated: control.authenticated,
      timestamp,
      actor,
    });
    const { tx, retracted, asserted } = result;
    const body = { tx_id: tx, retracted, asserted, entity, predicate, ...judgedLists(result) };
    return { kind: 'body', body, notes: { written: asserted + retracted } };
  },
  projections: {
    http: [{ method: 'POST', path: '/set', request: 'body' }],
    mcp: {
      tool: 'set',
      description: [
        "Make a value the only current one of an entity's predicate, in the ROOT graph: other values end, and stay in the history.",
        'The entity must exist (load new ones by svc_knot). To add a value beside others, use svc_knot.',
        'Answers {"tx_id", "retracted", "asserted", "entity", "predicate"}; all 0 when the value was the only one already.',
        'value is text, or an object with one form: {"iri": "..."} for a reference, {"int": 31}, {"float": 1.5}, {"bool": true},',
        '{"value": "chat", "lang": "fr"}, {"value": "2026-01-01", "datatype": "<IRI>"}. Bare text is refused where the stored values are IRIs.',
      ],
      example: { entity: 'http://example.org/ann', predicate: 'http://example.org/age', value: { int: 31 } },
      parameters: { entity: {}, predicate: {}, value: { schema: valueSchema }, timestamp: {}, actor: {} },
      destructive: true,
      idempotent: true,
    },
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
