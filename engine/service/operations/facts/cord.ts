/** Entities with their current facts, in the order of their IRIs. */

import { withSnapshot } from '../../../storage/seam/rows.js';
import { isPlainName } from '../../episodes/names.js';
import { termToJson } from '../../requests/json.js';
import { iri, Type } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';
import { clampLimit, pageFields, predicateField } from '../definition/fields.js';
import { defineOperation, inWords } from '../definition/operation.js';
import { moreText, valueText } from '../definition/text.js';

/** A plain name is a class or a predicate that episodes write. */
function minted(name: string | undefined, store: Store): string | undefined {
  return name !== undefined && isPlainName(name) ? store.baseNamespace + name : name;
}

export const cord = defineOperation({
  name: 'cord',
  summary: 'List entities with their facts',
  access: 'read',
  request: Type.Object({
    type: Type.Optional(
      iri({ minLength: 1, description: 'only instances of this class: its IRI, or the name that episodes give it' }),
    ),
    predicate: Type.Optional({
      ...predicateField,
      description: 'only entities with this predicate: its IRI, or the name that episodes give it',
    }),
    ...pageFields,
  }),
  response: Type.Object({
    entities: Type.Array(
      Type.Object({
        iri: Type.String(),
        facts: Type.Array(Type.Object({ predicate: Type.String(), value: Type.Unknown() })),
        facts_truncated: Type.Optional(Type.Boolean('true: the entity has more facts')),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler({ store, control }, { type, predicate, limit, offset }) {
    const { listEntities } = await import('../../facts/cord.js');
    return withSnapshot(store.snapshot(), async (snapshot) => {
      const page = { type: minted(type, store), predicate: minted(predicate, store), limit: clampLimit(limit), offset };
      const { entities, truncated } = await listEntities(snapshot.storage, { ...control, ...page });
      const shown = entities.map(({ entity, facts, cut }) => ({
        iri: termToJson(entity) as string,
        facts: facts.map((fact) => ({ predicate: fact.predicate.value, value: termToJson(fact.value) })),
        ...(cut ? { facts_truncated: true } : {}),
      }));
      return { kind: 'body', body: { entities: shown, count: shown.length, truncated } };
    });
  },
  projections: {
    http: [{ method: 'POST', path: '/cord', request: 'body' }],
    mcp: {
      tool: 'cord',
      description: [
        'List entities of ROOT with their current facts: to look around, or at all instances of a class, without SPARQL. To find by a text use svc_unified_search.',
        'facts_truncated: read the rest of that entity by svc_query.',
      ],
      example: { type: 'http://ex.org/Person', limit: 20 },
      parameters: {
        ...inWords({ type: 'IRI of a class, or its name in episodes', predicate: 'only entities that have it' }),
        limit: { default: 100 },
        offset: { default: 0 },
      },
    },
    cli: {
      command: 'cord',
      notes: ['ROOT only. With --type and --predicate: entities that have both.'],
      examples: ['svc cord --type http://example.org/Person', 'svc cord --limit 10 --json'],
      options: { type: 'iri', predicate: 'iri', limit: 'n', offset: 'n' },
      text: (body) => {
        const blocks = body.entities.map(({ iri, facts, facts_truncated }) => {
          const lines = facts.map(({ predicate, value }) => `  ${predicate} -> ${valueText(value)}\n`);
          return `${iri}\n${lines.join('')}${facts_truncated ? '  (more facts)\n' : ''}\n`;
        });
        return `${blocks.join('')}${body.count} entities\n${moreText(body.truncated)}`;
      },
    },
  },
});
