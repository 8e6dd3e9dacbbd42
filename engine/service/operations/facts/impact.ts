/** What depends on an entity: what is reached from it, and what would be lost without it. */

import { iri, nullable, Type } from '../../requests/schema.js';
import { clampLimit, entityField, pageFields } from '../definition/fields.js';
import { asTheyAre, defineOperation } from '../definition/operation.js';
import { moreText } from '../definition/text.js';

/** A predicate in the table of the command is cut on the right to so many characters. */
const VIA_MAX = 38;

export const impact = defineOperation({
  name: 'impact',
  summary: 'Tell what is reached from an entity, and with --remove what would be lost without it',
  access: 'read',
  request: Type.Object({
    entity: entityField,
    remove: Type.Optional(
      Type.Boolean('as if all current facts about the entity were retracted, with what follows; nothing is written'),
    ),
    hops: Type.Optional(
      Type.Integer({ minimum: 0, description: 'facts between the entity and what is reached; default 5' }),
    ),
    predicates: Type.Optional(
      Type.Array(iri({ minLength: 1 }), 'only facts of these predicates are followed; absent or empty: all are'),
    ),
    rank_by_ppr: Type.Optional(Type.Boolean('order by personalised PageRank from the entity, and tell it as ppr')),
    timestamp: Type.Optional(Type.String('with remove: when the facts end (RFC 3339, or a date); default now')),
    ...pageFields,
  }),
  response: Type.Object({
    root: Type.String(),
    hops: Type.Integer(),
    edges: Type.Integer('facts between entities that were looked at'),
    reached_count: Type.Integer('of the whole walk, without the entity itself'),
    counterfactual: Type.Boolean(),
    ranked_by_ppr: Type.Boolean(),
    reached: Type.Array(
      Type.Object({
        iri: Type.String(),
        depth: Type.Integer(),
        via_predicate: nullable(Type.String()),
        via_subject: nullable(Type.String()),
        ppr: Type.Optional(Type.Number()),
      }),
      'the entity itself at depth 0, then what is reached, in the order in which it is; or by ppr',
    ),
    count: Type.Integer('entries of this page'),
    truncated: Type.Boolean(),
    lost: Type.Optional(Type.Array(Type.String(), 'with remove: what is reached as it is, and not without, by IRI')),
    lost_count: Type.Optional(Type.Integer()),
    lost_truncated: Type.Optional(Type.Boolean('true: lost shows the first of them')),
  }),
  async handler({ store, control, read }, request) {
    const found = await store.impact(request.entity, {
      hops: request.hops,
      predicates: request.predicates,
      remove: request.remove,
      rankByPpr: request.rank_by_ppr,
      timestamp: request.timestamp,
      limit: clampLimit(request.limit),
      offset: request.offset,
      signal: control.signal,
      flag: control.flag,
      deadline: read.deadline,
      memoryBytes: read.budget.memoryBytes,
    });
    const { lost, lostCount = 0 } = found;
    const reached = found.reached.map(({ iri, depth, viaPredicate, viaSubject, ppr }) => ({
      iri,
      depth,
      via_predicate: viaPredicate,
      via_subject: viaSubject,
      ...(ppr === undefined ? {} : { ppr }),
    }));
    const body = {
      root: found.root,
      hops: found.hops,
      edges: found.edges,
      reached_count: found.reachedCount,
      counterfactual: found.counterfactual,
      ranked_by_ppr: found.rankedByPpr,
      reached,
      count: reached.length,
      truncated: found.truncated,
      ...(lost === undefined ? {} : { lost: [...lost], lost_count: lostCount }),
      ...(lost !== undefined && lost.length < lostCount ? { lost_truncated: true } : {}),
    };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'POST', path: '/impact', request: 'body' }],
    mcp: {
      tool: 'impact',
      description: [
        'Tell what hangs on an entity, before you change or remove it: what is reached from it over facts of ROOT, from subject to value.',
        'With remove, lost lists what would no longer be reached or follow; nothing is written. For a path between two entities use svc_project.',
      ],
      example: { entity: 'http://ex.org/ann', hops: 3 },
      parameters: {
        ...asTheyAre('entity'),
        remove: { description: 'as if its facts were gone', default: false },
        hops: { description: 'most facts to follow', default: 5 },
        predicates: { description: 'follow only these' },
        rank_by_ppr: { description: 'order by PageRank from it', default: false },
        timestamp: { description: 'with remove: when the facts end' },
        limit: { default: 100 },
        offset: { default: 0 },
      },
    },
    cli: {
      command: 'impact',
      positional: [{ field: 'entity', name: 'iri', summary: 'the entity, or _:label of a stored blank node' }],
      repeated: { predicates: 'predicate' },
      notes: [
        'ROOT only, from subjects to values that are IRIs, types and provenance included; --predicate, which may be repeated,',
        'follows some facts only. --remove writes nothing: it tells what would be left, and what would be lost.',
      ],
      examples: [
        'svc impact http://example.org/traefik',
        'svc impact http://example.org/traefik --hops 2 --predicate http://example.org/dependsOn',
        'svc impact http://example.org/traefik --remove --json',
      ],
      options: {
        remove: '',
        hops: 'n',
        predicates: 'iri',
        rank_by_ppr: '',
        timestamp: 't',
        limit: 'n',
        offset: 'n',
      },
      text: (body) => {
        const { root, hops, edges, reached_count: count, lost = [], lost_count: lostCount = 0 } = body;
        const head = body.counterfactual ? `counterfactual: removing ${root}\n` : '';
        const figures = `${head}root: ${root}\nhops: ${hops}  reached: ${count}  edges: ${edges}\n\n`;
        const entries = body.reached.filter(({ depth }) => depth > 0);
        const rows = entries.map(({ depth, via_predicate: via, iri }) => {
          return `${String(depth).padStart(5)}  ${(via ?? '').slice(0, VIA_MAX).padEnd(VIA_MAX)}  ${iri}\n`;
        });
        const table = `depth  ${'via'.padEnd(VIA_MAX)}  entity\n${rows.join('')}`;
        const found = count === 0 ? `(no reachable entities within ${hops} hops)\n` : table;
        const gone = lost.map((iri) => `  ${iri}\n`).join('');
        const losses = body.counterfactual ? `\nlost: ${lostCount}\n${gone}${moreText(lost.length < lostCount)}` : '';
        return `${figures}${found}${moreText(body.truncated)}${losses}`;
      },
    },
  },
});
