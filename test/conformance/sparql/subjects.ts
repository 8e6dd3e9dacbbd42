/**
 * What is held to the SPARQL suites. `query` is the query engine over a store in memory, its answers
 * read as terms; `query-store` is a store file through the library, its answers read back from the
 * result format that the case expects, so that writers are under test too.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { executeQuery } from '../../../engine/query/query.js';
import type { Quad } from '../../../engine/rdf/terms.js';
import type { QueryAnswer, QueryOptions, ResultFormat } from '../../../engine/service/query.js';
import { openStore, type Store } from '../../../engine/service/store.js';
import { libraryReader } from '../readers.js';
import { type Answer, type Row, rowOf } from './answer.js';
import { formatOf } from './answers.js';
import type { DataFile } from './case.js';
import { parseCsv, parseJson, parseTsv, parseXml } from './result-formats.js';

export interface Question {
  readonly text: string;
  /** Where the expected answer stands; its extension names a result format. */
  readonly resultFile: string | null;
  readonly options: QueryOptions & { readonly baseIri: string };
}

export interface SparqlSubject {
  readonly name: string;
  /** A store with exactly this data. */
  fill(data: readonly DataFile[]): Promise<Store>;
  ask(store: Store, question: Question): Promise<Answer>;
  close(): Promise<void>;
}

async function loadInto(store: Store, data: readonly DataFile[]): Promise<void> {
  for (const [index, { file, iri, graph }] of data.entries()) {
    const source = {
      kind: 'bytes',
      bytes: readFileSync(file),
      name: file,
      format: formatOf(file),
      baseIri: iri,
    } as const;
    // A key of its own for each file, so that two of them never share a blank node.
    await store.load(source, { graph: graph ?? undefined, snapshotKey: `${index}` });
  }
}

export function memorySubject(): SparqlSubject {
  let store: Store | null = null;
  const close = async () => {
    await store?.close();
    store = null;
  };
  return {
    name: 'query',
    close,
    async fill(data) {
      await close();
      store = await openStore(':memory:');
      await loadInto(store, data);
      return store;
    },
    async ask(from, { text, options }) {
      const snapshot = from.snapshot();
      try {
        const { validAt: _, ...rest } = options;
        return await readResult(await executeQuery(snapshot.storage, text, rest));
      } finally {
        snapshot.close();
      }
    },
  };
}

type Result = Awaited<ReturnType<typeof executeQuery>>;

async function readResult(result: Result): Promise<Answer> {
  if (result.kind === 'ask') return { kind: 'boolean', value: result.value };
  const rows: Row[] = [];
  for await (const row of result.rows()) rows.push(rowOf(result.variables, row));
  return { kind: 'rows', variables: result.variables, rows };
}

const READERS: Partial<Record<ResultFormat, (text: string) => Answer>> = {
  json: parseJson,
  xml: parseXml,
  csv: parseCsv,
  tsv: parseTsv,
};

const FORMATS: Readonly<Record<string, ResultFormat>> = { '.srx': 'xml', '.srj': 'json', '.csv': 'csv', '.tsv': 'tsv' };

/** One store file for all cases; what one has left is retracted before the next. */
export function storeSubject(): SparqlSubject {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  let opened: Promise<Store> | null = null;
  return {
    name: 'query-store',
    async fill(data) {
      opened ??= openStore(join(folder, 'store.db'));
      const store = await opened;
      await store.transact({ retract: store.match() });
      await loadInto(store, data);
      return store;
    },
    async ask(store, { text, resultFile, options }) {
      const answer: QueryAnswer = await store.query(text, options);
      const wanted = FORMATS[extname(resultFile ?? '')] ?? 'json';
      const format = answer.kind === 'ask' && wanted !== 'xml' ? 'json' : wanted;
      let encoded = '';
      for await (const chunk of answer.encode(format)) encoded += chunk;
      return (READERS[format] as (text: string) => Answer)(encoded);
    },
    async close() {
      await (await opened)?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function contentsOf(store: Store): Promise<Quad[]> {
  const quads: Quad[] = [];
  for await (const quad of store.match()) quads.push(quad);
  return quads;
}

/** The quads that a store with this data holds. */
export async function expectedContents(data: readonly DataFile[], terms: QuadFactory): Promise<Quad[]> {
  const quads: Quad[] = [];
  for (const [index, { file, iri, graph }] of data.entries()) {
    const parsed = await libraryReader.parse(readFileSync(file), formatOf(file), iri);
    quads.push(...parsed.map((quad) => terms(quad, graph, index)));
  }
  return quads;
}

export type QuadFactory = (quad: Quad, graph: string | null, file: number) => Quad;
