/** Every assertion and retraction of an entity's facts. */

import { termToJson } from '../../requests/json.js';
import { oneOf, Type } from '../../requests/schema.js';
import { timeFields, toTimes } from '../definition/facts.js';
import { clampLimit, entityField, graphField, pageFields } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { intervalText, moreText, valueText } from '../definition/text.js';

export const entityHistory = defineOperation({
  name: 'entity_history',
  summary: 'Tell what became of an entity: every assertion and retraction',
  access: 'read',
  request: Type.Object({ iri: entityField, graph: Type.Optional(graphField), ...pageFields }),
  response: Type.Object({
    iri: Type.String(),
    count: Type.Integer(),
    truncated: Type.Boolean(),
    history: Type.Array(
      Type.Object({
        op: oneOf(['assert', 'retract']),
        predicate: Type.String(),
        value: Type.Unknown(),
        ...timeFields,
      }),
    ),
  }),
  async handler({ store, control }, request) {
    const { iri, history, truncated } = await store.history(request.iri, {
      graph: request.graph,
      limit: clampLimit(request.limit),
      offset: request.offset,
      signal: control.signal,
      flag: control.flag,
    });
    const shown = history.map((entry) => {
      const { op, predicate, value } = entry;
      return { op, predicate: predicate.value, value: termToJson(value), ...toTimes(entry) };
    });
    return { kind: 'body', body: { iri, count: shown.length, truncated, history: shown } };
  },
  projections: {
    http: [{ method: 'POST', path: '/entity_history', request: 'body' }],
    mcp: {
      tool: 'entity_history',
      description: [
        'Tell what became of an entity: every assertion and retraction of its facts, oldest first.',
        'Answers {"iri", "history": [{"op": "assert"|"retract", "predicate", "value", "valid_from", "valid_to", "tx"}], "count", "truncated"}.',
      ],
      example: { iri: 'http://ex.org/ann', limit: 50 },
      parameters: { iri: {}, graph: {}, limit: { default: 100 }, offset: { default: 0 } },
      extra: true,
    },
    cli: {
      command: 'history',
      positional: [{ field: 'iri', name: 'iri', summary: 'the entity, or _:label of a stored blank node' }],
      examples: [
        'svc history http://example.org/ann',
        'svc history http://example.org/ann --graph http://example.org/g --json',
      ],
      options: { graph: 'iri', limit: 'n', offset: 'n' },
      text: (body) => {
        const lines = body.history.map((entry) => {
          const interval = entry.op === 'retract' ? '' : `  ${intervalText(entry.valid_from, entry.valid_to)}`;
          return `tx ${entry.tx}  ${entry.op}  ${entry.predicate}  ${valueText(entry.value)}${interval}\n`;
        });
        return `${lines.join('')}\n${body.count} entries\n${moreText(body.truncated)}`;
      },
    },
  },
});
