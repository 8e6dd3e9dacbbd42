/** Deep freeze: the rows of a graph move into a pack, a file of its own, and back. */

import { formatInstant } from '../../../base/instant.js';
import { iri, type Static, Type, textOrNull } from '../../requests/schema.js';
import type { ArchiveOutcome } from '../../writes/archives.js';
import { actorField, timestampField, writtenBy } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords, type OperationContext } from '../definition/operation.js';

const graph = iri({ minLength: 1, description: 'IRI of the graph' });
const written = { timestamp: timestampField, actor: Type.Optional(actorField) };

const response = Type.Object({
  graph: Type.String(),
  lifecycle: textOrNull,
  archive: Type.String('the file'),
  sha256: Type.String('of the contents'),
  facts: Type.Integer('lines of facts of the content hash: a retracted fact has two'),
  transactions: Type.Integer('that the file carries'),
  tx_id: Type.Integer(),
});

function answer({ graph: name, lifecycle, archive, sha256, facts, transactions, tx }: ArchiveOutcome) {
  const body: Static<typeof response> = { graph: name, lifecycle, archive, sha256, facts, transactions, tx_id: tx };
  return { kind: 'body', body, notes: { tx } } as const;
}

/** Of a command line that names none: the time at which it is run. */
const now = {
  get timestamp(): string {
    return formatInstant(Math.floor(Date.now() / 1000));
  },
};

/** Over HTTP and by tools packs stay in one folder. */
async function checkFolder({ store, onCommandLine }: OperationContext, outDir: string | undefined): Promise<void> {
  const { archiveFolder } = store;
  if (outDir === undefined || onCommandLine || archiveFolder === null) return;
  const { checkWithin } = await import('../../archives/pack-place.js');
  checkWithin(outDir, archiveFolder);
}

export const graphFreeze = defineOperation({
  name: 'graph_freeze',
  summary: 'Move all rows of a graph into a file of its own, which stays readable by the name of the graph',
  access: 'write',
  request: Type.Object({
    graph,
    ...written,
    out_dir: Type.Optional(
      Type.String({ minLength: 1, description: 'the folder of the file, in archives.dir; default archives.dir' }),
    ),
  }),
  response,
  async handler(context, { graph: name, out_dir: outDir, timestamp, actor }) {
    await checkFolder(context, outDir);
    const { store, control } = context;
    const options = { ...writtenBy(control, { timestamp, actor }), ...control, outDir };
    return answer(await store.freezeGraph(name, options));
  },
  projections: {
    http: [{ method: 'POST', path: '/graph/freeze', request: 'body' }],
    mcp: {
      tool: 'graph_freeze',
      description: [
        'Move a graph that is no longer written, with its history, out of the store into a verified file. It is still read by its name, by include_kinds ["archive"] or in a dataset; nothing writes it until svc_graph_thaw. Meanwhile queries with tx are refused.',
      ],
      example: { graph: 'http://ex.org/g/2020', timestamp: '2026-01-01T00:00:00Z' },
      parameters: {
        ...inWords({
          graph: 'IRI of the graph',
          timestamp: 'time of the write (RFC 3339)',
          out_dir: 'folder of the file, in archives.dir',
        }),
        ...asTheyAre('actor'),
      },
      destructive: false,
      idempotent: false,
    },
    cli: {
      command: 'graph freeze',
      positional: [{ field: 'graph', name: 'iri', summary: 'the graph' }],
      notes: [
        'The file gets the name of the graph and the beginning of its hash: <name>-<hash>.qpack.db. Rows leave the',
        'store only when the file is written, flushed, read again and found to hold the same. Terms stay in the',
        'dictionary of the store; svc compact gives the room of the rows back to the disk.',
      ],
      examples: [
        'svc graph freeze http://example.org/g/2020',
        'svc graph freeze http://example.org/g/2020 --out-dir /archives',
      ],
      defaults: now,
      options: { out_dir: 'folder', timestamp: 't', actor: 'name' },
      text: ({ graph: name, facts, archive, sha256 }) =>
        `froze ${name}: ${facts} facts -> ${archive} (sha256 ${sha256})\n`,
    },
  },
});

export const graphThaw = defineOperation({
  name: 'graph_thaw',
  summary: 'Put the rows of a frozen graph back into the store',
  access: 'write',
  request: Type.Object({ graph, ...written }),
  response,
  async handler({ store, control }, { graph: name, timestamp, actor }) {
    return answer(await store.thawGraph(name, { ...writtenBy(control, { timestamp, actor }), ...control }));
  },
  projections: {
    http: [{ method: 'POST', path: '/graph/thaw', request: 'body' }],
    mcp: {
      tool: 'graph_thaw',
      description: [
        'Put a frozen graph back, with its history, so that it can be written; to be read it need not be thawed. The file is checked first, and kept; if it is missing or altered, the graph stays frozen.',
      ],
      example: { graph: 'http://ex.org/g/2020', timestamp: '2026-01-02T00:00:00Z' },
      parameters: {
        ...inWords({ graph: 'IRI of the graph', timestamp: 'time of the write (RFC 3339)' }),
        ...asTheyAre('actor'),
      },
      destructive: false,
      idempotent: false,
    },
    cli: {
      command: 'graph thaw',
      positional: [{ field: 'graph', name: 'iri', summary: 'the graph' }],
      notes: ['The file is checked first and stays where it is.'],
      examples: ['svc graph thaw http://example.org/g/2020'],
      defaults: now,
      options: { timestamp: 't', actor: 'name' },
      text: ({ graph: name, facts }) => `thawed ${name}: ${facts} facts\n`,
    },
  },
});
