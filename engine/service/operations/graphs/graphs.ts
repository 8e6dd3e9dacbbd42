/** Lists the registered graphs, in the order of their IRIs. */

import { SvcError } from '../../../base/errors.js';
import type { GraphArchive } from '../../../graphs/archives.js';
import type { RegisteredGraph } from '../../../graphs/list-graphs.js';
import { oneOf, Type, textOrNull } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';
import { clampLimit, pageFields } from '../definition/fields.js';
import { defineOperation, inWords } from '../definition/operation.js';
import { moreText } from '../definition/text.js';
import { kindField, kindOf, labelsSchema, materializationSchema, partsOf } from './graph-parts.js';

const entry = Type.Object({
  graph: Type.String(),
  class: oneOf(['committed', 'overlay']),
  source: textOrNull,
  lifecycle: textOrNull,
  parent: textOrNull,
  facts: Type.Integer(),
  labels: labelsSchema,
  archive: Type.Optional(
    Type.Object(
      {
        path: Type.Optional(Type.String()),
        sha256: Type.Optional(Type.String()),
        frozen_at: Type.Optional(textOrNull),
        attached: Type.Boolean(),
        error: Type.Optional(Type.String()),
      },
      { description: 'of a frozen graph' },
    ),
  ),
  materialization: Type.Optional(materializationSchema),
});

function shownArchive({ path, sha256, frozenAt, error }: GraphArchive) {
  const told = { path, sha256, frozen_at: frozenAt };
  return error === null ? { ...told, attached: true } : { ...told, attached: false, error };
}

function shown(store: Store, graph: RegisteredGraph) {
  const { iri, class: graphClass, source, lifecycle, parent, facts, archive } = graph;
  const timestampOf = (tx: number): string | null => {
    const [transaction] = store.recordsOf({ since: tx - 1, limit: 1 });
    return transaction?.id === tx ? transaction.timestamp : null;
  };
  const row = { graph: iri, class: graphClass, source, lifecycle, parent, facts, ...partsOf(graph, timestampOf) };
  return archive === undefined ? row : { ...row, archive: shownArchive(archive) };
}

function checkWord(value: string | undefined, name: string, words: readonly string[]): void {
  if (value === undefined || words.includes(value)) return;
  throw new SvcError('invalid_request', `'${name}' is ${JSON.stringify(value)}; expected one of ${words.join(', ')}`);
}

const COLUMNS = ['graph', 'class', 'lifecycle', 'kind', 'facts'];

/** Aligned, with `-` for what there is none of. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => (row[at] as string).length)));
  return rows
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] as number)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

export const graphs = defineOperation({
  name: 'graphs',
  summary: 'List the registered graphs',
  access: 'read',
  request: Type.Object({
    kind: Type.Optional(kindField),
    lifecycle: Type.Optional(Type.String('frozen')),
    ...pageFields,
  }),
  response: Type.Object({ graphs: Type.Array(entry), count: Type.Integer(), truncated: Type.Boolean() }),
  async handler({ store, configuration, control }, { kind, lifecycle, limit, offset }) {
    const ofKind = kindOf(kind, configuration);
    checkWord(lifecycle, 'lifecycle', ['frozen']);
    const page = await store.graphs({
      limit: clampLimit(limit),
      offset,
      lifecycle: lifecycle === undefined ? undefined : 'frozen',
      signal: control.signal,
      flag: control.flag,
      kind: ofKind,
    });
    const listed = page.graphs.map((graph) => shown(store, graph));
    return { kind: 'body', body: { graphs: listed, count: listed.length, truncated: page.truncated } };
  },
  projections: {
    http: [{ method: 'GET', path: '/graphs', request: 'parameters' }],
    mcp: {
      tool: 'graph_list',
      description: [
        'List the registered graphs with class, lifecycle, parent, facts and labels: which graphs svc_query can read, and how far each can be trusted. What is not listed does not exist; urn:svc:graph:root is ROOT.',
      ],
      example: { limit: 100 },
      parameters: {
        ...inWords({
          kind: 'operational, archive, reference, derived ...',
        }),
        lifecycle: { description: 'only frozen graphs', schema: oneOf(['frozen']) },
        limit: { default: 100 },
        offset: { default: 0 },
      },
    },
    cli: {
      command: 'graph list',
      examples: ['svc graph list', 'svc graph list --lifecycle frozen --json'],
      options: { kind: 'kind', lifecycle: 'state', limit: 'n', offset: 'n' },
      text: ({ graphs: listed, truncated }) => {
        const rows = listed.map((one) =>
          [one.graph, one.class, one.lifecycle, one.labels.kind, String(one.facts)].map((cell) => cell ?? '-'),
        );
        return table([COLUMNS, ...rows]) + moreText(truncated);
      },
    },
  },
});
