/** Retracts current facts of an entity: all, those of a predicate, those with a value, or one. */

import type { ValueInput } from '../../facts/values.js';
import { findingLists, judgedLists } from '../../gates/findings.js';
import { Type } from '../../requests/schema.js';
import {
  entityField,
  predicateField,
  valueField,
  valueSchema,
  writtenBy,
  writtenFields,
} from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

export const retract = defineOperation({
  name: 'retract',
  summary: 'Retract current facts of an entity',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    entity: entityField,
    predicate: Type.Optional(predicateField),
    value: Type.Optional(valueField),
    allow_orphan: Type.Optional(Type.Boolean('take the last rdf:type of an entity that keeps other facts')),
    ...writtenFields,
  }),
  response: Type.Object({
    tx_id: Type.Integer(),
    retracted: Type.Integer(),
    entity: Type.String(),
    ...findingLists,
  }),
  async handler({ store, control }, { entity, predicate, value, allow_orphan: allowOrphan, timestamp, actor }) {
    const result = await store.retract(entity, {
      ...writtenBy(control, { timestamp, actor }),
      predicate,
      value: value as ValueInput | undefined,
      allowOrphan,
    });
    const { tx, retracted } = result;
    const body = { tx_id: tx, retracted, entity, ...judgedLists(result) };
    return { kind: 'body', body, notes: { written: retracted } };
  },
  projections: {
    http: [{ method: 'POST', path: '/retract', request: 'body' }],
    mcp: {
      tool: 'retract',
      description: [
        'End current facts of an entity in ROOT: those with a value, those of a predicate, or, with the entity alone, all. They stay in the history.',
        'To replace a value use svc_set, to take back all of a load svc_retract_source. retracted: 0: nothing matched.',
      ],
      example: {
        entity: 'http://ex.org/ann',
        predicate: 'http://ex.org/knows',
        value: { iri: 'http://ex.org/bob' },
      },
      parameters: { entity: {}, predicate: {}, value: { schema: valueSchema }, timestamp: {}, actor: {} },
      destructive: true,
      idempotent: true,
    },
    cli: {
      command: 'retract',
      positional: [{ field: 'entity', name: 'entity', summary: 'IRI of the entity, or _:label' }],
      json: ['value'],
      notes: ['ROOT only. What is retracted stays in the history.'],
      examples: [
        'svc retract http://example.org/ann',
        'svc retract http://example.org/ann --predicate http://example.org/age',
        'svc retract http://example.org/ann --predicate http://example.org/boss --value \'{"iri": "http://example.org/bob"}\'',
      ],
      options: { predicate: 'iri', value: 'json', allow_orphan: '', timestamp: 't', actor: 'name' },
      text: (body) =>
        body.retracted === 0
          ? `no facts found for ${body.entity}\n`
          : `retracted ${body.retracted} fact(s) from ${body.entity} (tx ${body.tx_id})\n`,
    },
  },
});
