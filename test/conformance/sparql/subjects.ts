/**
 * What is held to the SPARQL suites. `query` is the query engine over a store in memory, its answers
 * read as terms; `query-store` is a store file through the library, its answers read back from the
 * result format that the case expects, so that writers are under test too.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { executeQuery } from '../../../engine/query/query.js';
import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import { openStore } from '../../../engine/service/host/open-store.js';
import type { QueryOptions, ResultFormat } from '../../../engine/service/reads/query.js';
import type { Store } from '../../../engine/service/store/store.js';
import { libraryReader } from '../readers.js';
import { type Answer, type Row, rowOf } from './answer.js';
import { formatOf, readQuads } from './answers.js';
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
  /** Holds exactly this data from now on; `ontology`: with all that it says as an ontology, too, and what follows of it. */
  fill(data: readonly DataFile[], ontology?: boolean): Promise<void>;
  ask(question: Question): Promise<Answer>;
  update(text: string, baseIri: string): Promise<void>;
  contents(): Promise<Quad[]>;
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

async function loadOntologies(store: Store, data: readonly DataFile[]): Promise<void> {
  for (const [index, { file }] of data.entries()) await store.loadOntology(`${index}`, readFileSync(file, 'utf8'));
}

export function memorySubject(): SparqlSubject {
  let store: Store | null = null;
  const close = async () => {
    await store?.close();
    store = null;
  };
  const filled = () => store as Store;
  return {
    name: 'query',
    close,
    async fill(data, ontology = false) {
      await close();
      store = await openStore(':memory:', { features: ontology ? ['owl'] : [] });
      await loadInto(store, data);
      if (ontology) await loadOntologies(store, data);
    },
    async ask({ text, resultFile, options }) {
      if (options.inferred === true) return readWritten(await filled().query(text, options), resultFile);
      const snapshot = filled().snapshot();
      try {
        const { validAt: _, ...rest } = options;
        return await readResult(await executeQuery(snapshot.storage, text, rest));
      } finally {
        snapshot.close();
      }
    },
    update: async (text, baseIri) => void (await filled().update(text, { baseIri })),
    contents: () => contentsOf(filled()),
  };
}

type Result = Awaited<ReturnType<typeof executeQuery>>;

async function readResult(result: Result): Promise<Answer> {
  if (result.kind === 'ask') return { kind: 'boolean', value: result.value };
  if (result.kind === 'graph') {
    const quads: Quad[] = [];
    for await (const quad of result.quads()) quads.push(quad);
    return { kind: 'graph', quads };
  }
  const rows: Row[] = [];
  for await (const row of result.rows()) rows.push(rowOf(result.variables, row));
  return { kind: 'rows', variables: result.variables, rows };
}

interface WrittenFormat {
  readonly format: ResultFormat;
  readonly read: (text: string) => Answer;
}

const JSON_RESULTS: WrittenFormat = { format: 'json', read: parseJson };
const XML_RESULTS: WrittenFormat = { format: 'xml', read: parseXml };

const ROW_FORMATS: Readonly<Record<string, WrittenFormat>> = {
  '.srx': XML_RESULTS,
  '.csv': { format: 'csv', read: parseCsv },
  '.tsv': { format: 'tsv', read: parseTsv },
};

interface EncodableAnswer {
  readonly kind: string;
  encode(format: ResultFormat): AsyncIterable<string | Uint8Array>;
}

async function readWritten(answer: EncodableAnswer, resultFile: string | null): Promise<Answer> {
  const extension = extname(resultFile ?? '');
  if (answer.kind !== 'select' && answer.kind !== 'ask') {
    const format = formatOf(resultFile ?? '');
    const bytes = new TextEncoder().encode(await textOf(answer.encode(format)));
    return { kind: 'graph', quads: await libraryReader.parse(bytes, format, 'urn:answer') };
  }
  const table = ROW_FORMATS[extension] ?? JSON_RESULTS;
  const { format, read } = answer.kind === 'ask' && extension !== '.srx' ? JSON_RESULTS : table;
  return read(await textOf(answer.encode(format)));
}

async function textOf(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return text;
}

/** One store file for all cases: each replaces what the one before has left, in one transaction. */
export function storeSubject(): SparqlSubject {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  let [opened, drawn]: (Store | null)[] = [null, null];
  const open = async () => {
    opened ??= await openStore(join(folder, 'store.db'));
    return drawn ?? opened;
  };
  const leave = async () => {
    await drawn?.close();
    drawn = null;
  };
  let ontologies = 0;
  return {
    name: 'query-store',
    async fill(data, ontology = false) {
      await leave();
      // A file of its own: an ontology and what followed of it leave names behind.
      if (ontology) drawn = await openStore(join(folder, `ontology-${ontologies++}.db`), { features: ['owl'] });
      const store = await open();
      // Not by retracting: a graph that is emptied stays registered.
      await store.update('DROP ALL');
      await store.transact({ assert: await quadsOf(data) });
      if (ontology) await loadOntologies(store, data);
    },
    ask: async ({ text, resultFile, options }) => readWritten(await (await open()).query(text, options), resultFile),
    update: async (text, baseIri) => void (await (await open()).update(text, { baseIri })),
    contents: async () => contentsOf(await open()),
    async close() {
      await leave();
      await opened?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function contentsOf(store: Store): Promise<Quad[]> {
  const quads: Quad[] = [];
  for await (const quad of store.match()) quads.push(quad);
  return quads;
}

/** The quads of some files; blank nodes of two of them are never the same. */
export async function quadsOf(data: readonly DataFile[]): Promise<Quad[]> {
  const quads: Quad[] = [];
  for (const [index, file] of data.entries()) {
    const own = <T extends Term>(term: T): T => scoped(term, index) as T;
    const graph = file.graph === null ? null : terms.namedNode(file.graph);
    for (const quad of await readQuads(file)) {
      quads.push(terms.quad(own(quad.subject), quad.predicate, own(quad.object), graph ?? own(quad.graph)));
    }
  }
  return quads;
}

function scoped(term: Term, file: number): Term {
  if (term.termType === 'BlankNode') return terms.blankNode(`f${file}x${term.value}`);
  if (term.termType !== 'Quad') return term;
  const { subject, predicate, object } = term;
  return terms.quad(scoped(subject, file) as never, predicate as never, scoped(object, file) as never);
}
