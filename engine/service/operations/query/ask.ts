/** Asks a query by its name: one of the five built-in ones, or a stored one; without a name, the catalog. */

import { SvcError } from '../../../base/errors.js';
import type { ParameterSpec } from '../../../graphs/queries/parameters.js';
import type { QueryAnswer } from '../../reads/query.js';
import { termToJson } from '../../requests/json.js';
import { Type } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';
import { answerLabels, graphField, pageFields, pageOf } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { builtInEntry, queryEntry, storedEntry } from './queries.js';
import { queryOf } from './query-options.js';

const USAGE =
  'ask {"name": ..., "params": {...}} to run a query; values are checked and escaped by type. POST /queries stores more.';

interface AskedQuery {
  readonly template: string;
  readonly params: readonly ParameterSpec[];
  readonly dataset: string | null;
}

type Row = Record<string, unknown>;

interface Rows {
  readonly columns: string[];
  readonly rows: Row[];
  readonly truncated: boolean;
}

/** Loaded when needed: a command line only describes what it does not run. */
async function builtIn() {
  return (await import('../../../graphs/queries/built-in.js')).BUILT_IN_QUERIES;
}

async function find(store: Store, name: string): Promise<AskedQuery> {
  const known = (await builtIn()).find((query) => query.name === name);
  if (known !== undefined) return { ...known, dataset: null };
  const stored = await store.storedQuery(name);
  if (stored !== null) return stored;
  throw new SvcError('not_found_in_store', `unknown query: ${name}`, { hint: 'ask for "list" to see those there are' });
}

/** Solutions as they are; the answer of ASK as `result`; a graph as its triples. */
async function rowsOf(answer: QueryAnswer, rowsMax: number): Promise<Rows> {
  if (answer.kind === 'ask') return { columns: ['result'], rows: [{ result: answer.value }], truncated: false };
  const rows: Row[] = [];
  const columns = answer.kind === 'select' ? [...answer.variables] : ['subject', 'predicate', 'object'];
  const entries = answer.kind === 'select' ? answer.rows() : answer.quads();
  for await (const entry of entries) {
    if (rows.length === rowsMax) return { columns, rows, truncated: true };
    const terms = 'predicate' in entry ? [entry.subject, entry.predicate, entry.object] : entry;
    const row: Row = {};
    for (const [at, column] of columns.entries()) {
      const term = terms[at];
      if (term) row[column] = termToJson(term);
    }
    rows.push(row);
  }
  return { columns, rows, truncated: false };
}

export const askResponse = Type.Object({
  queries: Type.Optional(Type.Array(queryEntry)),
  usage: Type.Optional(Type.String()),
  query: Type.Optional(Type.String()),
  sparql: Type.Optional(Type.String()),
  columns: Type.Optional(Type.Array(Type.String())),
  rows: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  count: Type.Integer(),
  labels: Type.Optional(answerLabels),
  truncated: Type.Optional(Type.Boolean()),
  ignored_params: Type.Optional(Type.Array(Type.String())),
});

export const ask = defineOperation({
  name: 'ask',
  summary: 'Ask a built-in or stored query by its name',
  access: 'read',
  request: Type.Object({
    name: Type.Optional(Type.String('name of the query; absent or list: the catalog')),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), 'values of its parameters')),
    graph: Type.Optional(graphField),
    ...pageFields,
  }),
  response: askResponse,
  async handler(context, { name = 'list', params = {}, graph, ...page }) {
    const { store, configuration, expandIri } = context;
    if (name === '' || name === 'list') {
      const all = [...(await builtIn()).map(builtInEntry), ...(await store.storedQueries()).map(storedEntry)];
      const { entries, truncated } = pageOf(all, page);
      return { kind: 'body', body: { queries: entries, usage: USAGE, count: entries.length, truncated } };
    }
    const query = await find(store, name);
    const { resolveQuery } = await import('../../../graphs/queries/resolve-query.js');
    const { sparql, ignored } = resolveQuery(query, params, expandIri);
    const answer = await store.answerQuery(sparql, queryOf(context, { graph: graph ?? query.dataset ?? undefined }));
    const { columns, rows, truncated } = await rowsOf(answer, configuration.search.max_sparql_rows);
    const cut = truncated ? { truncated } : {};
    const left = ignored.length === 0 ? {} : { ignored_params: ignored };
    return {
      kind: 'body',
      body: { query: name, sparql, columns, rows, count: rows.length, labels: answer.labels, ...cut, ...left },
    };
  },
  projections: {
    http: [{ method: 'POST', path: '/ask', request: 'body' }],
    mcp: {
      tool: 'ask',
      description: [
        'Answer a question that is stored under a name, without SPARQL. Without arguments: the catalog, with what each query answers and its params. For anything else use svc_query.',
      ],
      example: { name: 'entity_facts', params: { entity: 'http://ex.org/ann' } },
      parameters: {
        name: { description: 'of the query', default: 'list' },
        params: {
          description: 'their values by name, as the catalog describes them',
          schema: { type: 'object' },
        },
        limit: { description: 'of the catalog', default: 100 },
        offset: { description: 'of the catalog', default: 0 },
      },
    },
  },
});
