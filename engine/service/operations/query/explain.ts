/** Explains how a query is answered, or what the patterns of an update cost. */

import type { EngineQuery } from '../../reads/query.js';
import { nullable, oneOf, Type } from '../../requests/schema.js';
import { queryFields } from '../definition/fields.js';
import { defineOperation, type OperationContext } from '../definition/operation.js';
import type { JoinRequest } from './joined.js';
import { queryOf } from './query-options.js';
import { checkScope, VIEW_OPTIONS, viewFields } from './query-scope.js';

const times = Type.Object({
  parseMs: Type.Number(),
  rewriteMs: Type.Number(),
  planMs: Type.Number(),
  runMs: nullable(Type.Number()),
  totalMs: Type.Number(),
});

const memory = Type.Object({ peakBytes: Type.Integer(), limitBytes: Type.Integer(), spilledBytes: Type.Integer() });

/** Of a federated join, the query with the members that it is over. */
async function askedOf(context: OperationContext, request: JoinRequest): Promise<EngineQuery> {
  if (request.federated === undefined) return queryOf(context, request);
  checkScope(request, context.configuration);
  const { Join } = await import('./joined.js');
  return new Join(context, request).query(context, request);
}

export const explain = defineOperation({
  name: 'explain',
  summary: 'Explain how a query is answered: its plan and, after a run, what happened',
  access: 'read',
  // Estimates and work are those of all graphs.
  forSomeGraphs: 'refused',
  request: Type.Object({
    query: Type.String({ minLength: 1, description: 'SPARQL text: a query or an update' }),
    analyze: Type.Optional(
      Type.Boolean('run it, and tell what happened; of an update only the patterns, and nothing is written'),
    ),
    profile: Type.Optional(Type.Boolean('the same as analyze')),
    ...queryFields,
    ...viewFields,
    federated: Type.Optional(
      oneOf(['join'], 'join: explain one query over the facts of this store and of every store of federation.remotes'),
    ),
    disabled: Type.Optional(Type.Array(Type.String(), 'rewrites and planner choices to switch off, by name')),
  }),
  response: Type.Object({
    query: Type.String(),
    form: Type.String('select, ask, construct, describe or update'),
    rewrites: Type.Array(Type.String(), 'names of the rewrites that changed the query'),
    disabled: Type.Array(Type.String(), 'names of what was switched off'),
    plan: Type.Unknown('the tree of operators'),
    rows: nullable(Type.Integer()),
    blocksRead: nullable(Type.Integer()),
    times,
    memory: nullable(memory),
    notes: Type.Array(Type.String()),
    text: Type.String('all of it for a person'),
  }),
  async handler(context, request) {
    const {
      prefixes: _,
      inference: __,
      ...body
    } = await context.store.explainQuery(request.query, {
      ...(await askedOf(context, request)),
      analyze: request.analyze === true || request.profile === true,
      disabledRewrites: request.disabled,
    });
    return { kind: 'body', body };
  },
  projections: {
    cli: {
      command: 'explain',
      argument: { field: 'query', name: 'sparql', summary: 'the query or update; - is standard input' },
      errorLabel: 'query error',
      notes: [
        'Without --analyze nothing runs. Rows marked with ! were estimated wrong by ten times or more.',
        '--json is the whole plan for tools; docs/explain.md describes its keys.',
      ],
      examples: [
        'svc explain "SELECT ?s ?name WHERE { ?s <http://example.org/name> ?name } LIMIT 10"',
        'svc explain --analyze --file question.rq',
        'svc explain --profile --json --file question.rq > plan.json',
      ],
      options: { analyze: '', profile: '', valid_at: 't', tx: 'n', ...VIEW_OPTIONS, timeout_ms: 'n', federated: 'how' },
      text: ({ text }) => text,
    },
    // What the web UI draws. `/explain` tells why a fact stands.
    http: [{ method: 'POST', path: '/query/explain', request: 'body' }],
  },
});
