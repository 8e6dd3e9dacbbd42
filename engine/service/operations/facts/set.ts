/** Makes a value the only current one of an entity's predicate. */

import { formatInstant } from '../../../base/instant.js';
import { findingLists, judgedLists } from '../../gates/findings.js';
import { Type } from '../../requests/schema.js';
import type { TransactionResult } from '../../writes/transact.js';
import {
  entityField,
  predicateField,
  validFromField,
  valueField,
  valueSchema,
  writtenBy,
  writtenFields,
} from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';

/** What a caller who names an instant may not expect; nothing where there is nothing of the kind. */
function noteOn({ tx, asserted, validFrom }: TransactionResult, clock: Date): string | undefined {
  if (tx === 0) return 'nothing was written: the value was the only one already, and its validity stays as it was';
  if (asserted === 0)
    return `the value was current already and keeps its own beginning; the others end at ${validFrom}`;
  if (validFrom <= formatInstant(Math.floor(clock.getTime() / 1000))) return undefined;
  return `valid_from lies in the future: reads without a time show the new value at once; what holds now is read with valid_at, and the new value from ${validFrom} on`;
}

/** What the answer says of the instant that the request names. */
function validityOf(result: TransactionResult, named: boolean) {
  if (!named) return {};
  const note = noteOn(result, new Date());
  return {
    ...(result.tx === 0 ? {} : { valid_from: result.validFrom }),
    ...(note === undefined ? {} : { note }),
  };
}

export const set = defineOperation({
  name: 'set',
  summary: "Make a value the only one of an entity's predicate",
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    entity: entityField,
    predicate: predicateField,
    value: valueField,
    valid_from: Type.Optional({
      ...validFromField,
      description: 'when the new value begins and the others end (RFC 3339 with a time); default the timestamp',
    }),
    ...writtenFields,
  }),
  response: Type.Object({
    tx_id: Type.Integer(),
    retracted: Type.Integer(),
    asserted: Type.Integer(),
    entity: Type.String(),
    predicate: Type.String(),
    valid_from: Type.Optional(Type.String('the instant that the request names, in UTC')),
    note: Type.Optional(Type.String('what is easily taken for something else')),
    ...findingLists,
  }),
  async handler({ store, control }, { entity, predicate, value, valid_from: validFrom, timestamp, actor }) {
    const result = await store.set(entity, predicate, value as string, {
      ...writtenBy(control, { timestamp, actor }),
      validFrom,
    });
    const { tx, retracted, asserted } = result;
    const validity = validityOf(result, validFrom !== undefined);
    const body = { tx_id: tx, retracted, asserted, entity, predicate, ...validity, ...judgedLists(result) };
    return { kind: 'body', body, notes: { written: asserted + retracted } };
  },
  projections: {
    http: [{ method: 'POST', path: '/set', request: 'body' }],
    mcp: {
      tool: 'set',
      description: [
        "Make a value the only current one of an entity's predicate in ROOT: the others end, and stay in the history. The entity must exist. To add a value beside others, or a new entity, use svc_knot.",
      ],
      example: { entity: 'http://ex.org/ann', predicate: 'http://ex.org/age', value: { int: 31 } },
      parameters: {
        ...inWords({ valid_from: 'since when it holds (RFC 3339); default the timestamp' }),
        ...asTheyAre('entity', 'predicate'),
        value: { schema: valueSchema },
        ...asTheyAre('timestamp', 'actor'),
      },
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
        'svc set http://example.org/ann http://example.org/age \'{"int": 32}\' --valid-from 2026-03-01T00:00:00Z',
      ],
      options: { valid_from: 't', timestamp: 't', actor: 'name' },
      text: (body) => `set ${body.predicate} on ${body.entity} (retracted ${body.retracted}, tx ${body.tx_id})\n`,
      notice: ({ note }) => (note === undefined ? '' : `note: ${note}\n`),
    },
  },
});
