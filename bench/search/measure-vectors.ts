/** Vectors of a store: putting them, making segments, finding the nearest, by filters and at a past moment; usearch beside it where it is installed. */
import { rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { invariant } from '../../engine/base/errors.js';
import { RDFS, terms } from '../../engine/rdf/terms.js';
import { hashOfText } from '../../engine/storage/indexes/vectors/entity-text.js';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { loadedVectors } from '../../engine/storage/indexes/vectors/loaded-vectors.js';
import { putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import type { NearestRequest, VectorReader } from '../../engine/storage/indexes/vectors/vector-reader.js';
import { readHead } from '../../engine/storage/indexes/vectors/vector-records.js';
import { VECTORS } from '../../engine/storage/indexes/vectors/vectors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { columnOf } from '../../engine/storage/seam/rows.js';
import type { IndexView } from '../../engine/storage/seam/scan.js';
import { ClusteredVectors } from './clustered-vectors.js';

const DIMENSION = 384;
const LIMIT = 10;
const QUERIES = 60;
const PUT_VECTORS = 8192;

export interface VectorTask {
  readonly task: 'vectors';
  readonly store: string;
  readonly rows: number;
  readonly peers: boolean;
}

/** Of one kind of question; times of the processor. */
export interface QuestionFigures {
  readonly question: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Of the first ten, beside the exact answer; null = it is the exact answer. */
  readonly recall: number | null;
  /** Mean cosine of the first; null = not asked for. */
  readonly nearest: number | null;
}

export interface VectorFigures {
  readonly putPerSecond: number;
  readonly segmentsPerSecond: number;
  readonly bytesOnDisk: number;
  /** Of all that a thread that searches keeps: without filters, and once there were some and questions of the past. */
  readonly bytesInMemory: number;
  readonly bytesWithFilters: number;
  readonly questions: readonly QuestionFigures[];
  readonly peer: { readonly builtPerSecond: number; readonly questions: readonly QuestionFigures[] } | null;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const iri = (at: number): string => `http://example.org/${String(at).padStart(8, '0')}`;
const textOf = (at: number): string => `entity ${at}`;

export async function measureVectors({ store, rows, peers }: VectorTask): Promise<VectorFigures> {
  const data = new ClusteredVectors(DIMENSION);
  const engine = await openLmdbEngine(store);
  const lines = Array.from({ length: rows }, (_, at) => `<${iri(at)}> <${RDFS}label> "${textOf(at)}" .\n`);
  const source = { kind: 'bytes', bytes: Buffer.from(lines.join('')), name: 'labels', format: 'ntriples' } as const;
  const stage = await engine.stageLoad([source], {}, {});
  await stage.commit().durable;
  const before = statSync(store).size;
  const peer = peers ? openPeer() : null;
  let [putMs, peerMs] = [0, 0];
  for (let from = 0; from < rows; from += PUT_VECTORS) {
    const count = Math.min(PUT_VECTORS, rows - from);
    const vectors = Array.from({ length: count }, () => data.next());
    const kept = newVectors(engine, vectors, from);
    let begin = cpuMs();
    const { put } = await putVectors(engine, 'model', DIMENSION, kept);
    putMs += cpuMs() - begin;
    invariant(put === count, 'all vectors are put');
    begin = cpuMs();
    for (const [at, vector] of vectors.entries()) peer?.add(BigInt(from + at), vector);
    peerMs += cpuMs() - begin;
  }
  const bytesOnDisk = (statSync(store).size - before) / rows;
  const begin = cpuMs();
  await foldVectors(engine, {}, true);
  const foldMs = cpuMs() - begin;
  const queries = {
    'like the data': Array.from({ length: QUERIES }, () => data.next()),
    'far from the data': Array.from({ length: QUERIES }, () => data.far()),
  };
  const snapshot = engine.snapshot();
  const ids = Array.from({ length: rows }, (_, at) => snapshot.encode(terms.namedNode(iri(at))) as bigint);
  const reader = VECTORS.at(snapshot.indexView());
  const questions: QuestionFigures[] = [];
  const peerQuestions: QuestionFigures[] = [];
  let bytesInMemory = 0;
  for (const [name, some] of Object.entries(queries)) {
    const exact = await ask(reader, `exact, ${name}`, some, { backend: 'brute' });
    questions.push(exact.figures, (await ask(reader, `ann, ${name}`, some, { backend: 'ann' }, exact.found)).figures);
    if (bytesInMemory === 0) bytesInMemory = keptBytes(snapshot.indexView()) / rows;
    if (peer !== null) peerQuestions.push(askPeer(peer, `usearch, ${name}`, some, exact.found, ids));
    for (const [filter, candidates] of await filtersOf(reader, ids, some)) {
      const filtered = await ask(reader, `exact, ${filter}, ${name}`, some, { backend: 'brute', candidates });
      const nearly = await ask(reader, `ann, ${filter}, ${name}`, some, { backend: 'ann', candidates }, filtered.found);
      questions.push(filtered.figures, nearly.figures);
    }
    questions.push(
      (await ask(reader, `ann, as of a transaction, ${name}`, some, { backend: 'ann', asOf: 1 }, exact.found)).figures,
    );
  }
  const bytesWithFilters = keptBytes(snapshot.indexView()) / rows;
  snapshot.close();
  await engine.close();
  rmSync(store, { force: true });
  return {
    putPerSecond: (1000 * rows) / putMs,
    segmentsPerSecond: (1000 * rows) / foldMs,
    bytesOnDisk,
    bytesInMemory,
    bytesWithFilters,
    questions,
    peer: peer === null ? null : { builtPerSecond: (1000 * rows) / peerMs, questions: peerQuestions },
  };
}

function keptBytes({ store, transaction }: IndexView): number {
  return loadedVectors({ head: readHead(store, transaction), store, transaction }).memory.liveBytes;
}

function newVectors(engine: StorageEngine, vectors: readonly Float32Array[], from: number) {
  const snapshot = engine.snapshot();
  const kept = vectors.map((vector, at) => ({
    entity: snapshot.encode(terms.namedNode(iri(from + at))) as bigint,
    textHash: hashOfText(textOf(from + at)),
    vector,
  }));
  snapshot.close();
  return kept;
}

/** Candidates by chance, and those near to some queries. */
async function filtersOf(
  reader: VectorReader,
  ids: readonly bigint[],
  queries: readonly Float32Array[],
): Promise<[string, Uint32Array][]> {
  const filters: [string, Uint32Array][] = [];
  for (const percent of [1, 10]) {
    const step = 100 / percent;
    const chosen = ids.filter((_, at) => (at * 7919) % 1000 < 1000 / step);
    filters.push([`${percent} % by chance`, columnOf(chosen)]);
    const near = new Set<bigint>();
    for (const query of queries) {
      if (near.size >= ids.length / step) break;
      const found = await reader.nearest({ query, limit: Math.ceil(ids.length / step / 10), backend: 'ann' }, {});
      for (const { entity } of found) near.add(entity);
    }
    filters.push([`${percent} % near to each other`, columnOf([...near])]);
  }
  return filters;
}

async function ask(
  reader: VectorReader,
  question: string,
  queries: readonly Float32Array[],
  request: Omit<NearestRequest, 'query' | 'limit'>,
  exact?: readonly (readonly bigint[])[],
) {
  const times: number[] = [];
  const found: bigint[][] = [];
  let nearest = 0;
  for (const [at, query] of [queries[0] as Float32Array, ...queries].entries()) {
    const begin = cpuMs();
    const answer = await reader.nearest({ query, limit: LIMIT, ...request }, {});
    if (at === 0) continue;
    times.push(cpuMs() - begin);
    found.push(answer.map(({ entity }) => entity));
    nearest += answer[0]?.score ?? 0;
  }
  return { found, figures: figuresOf(question, times, recallOf(found, exact), nearest / queries.length) };
}

function figuresOf(question: string, times: number[], recall: number | null, nearest: number | null): QuestionFigures {
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * times.length)] as number;
  return { question, p50Ms: at(0.5), p95Ms: at(0.95), recall, nearest };
}

function recallOf(found: readonly (readonly bigint[])[], exact?: readonly (readonly bigint[])[]): number | null {
  if (exact === undefined) return null;
  let [right, all] = [0, 0];
  for (const [at, expected] of exact.entries()) {
    const own = new Set(found[at]);
    all += expected.length;
    right += expected.filter((id) => own.has(id)).length;
  }
  return right / all;
}

interface Peer {
  add(key: bigint, vector: Float32Array): void;
  search(query: Float32Array, limit: number, threads: number): { readonly keys: BigUint64Array };
}

const HOW_TO_INSTALL =
  '`npm install --no-save usearch` beside this checkout brings it (a native module, built where there is none for the machine)';

/** usearch with its half-precision graph, where it is installed; null = it is not. */
function openPeer(): Peer | null {
  try {
    const { Index } = createRequire(import.meta.url)('usearch') as { readonly Index: new (options: object) => Peer };
    return new Index({ metric: 'cos', dimensions: DIMENSION, quantization: 'f16', expansion_search: 64 });
  } catch {
    console.error(`usearch is left out: the package is not installed; ${HOW_TO_INSTALL}`);
    return null;
  }
}

function askPeer(
  peer: Peer,
  question: string,
  queries: readonly Float32Array[],
  exact: readonly (readonly bigint[])[],
  ids: readonly bigint[],
): QuestionFigures {
  const times: number[] = [];
  const found = queries.map((query) => {
    const begin = cpuMs();
    const { keys } = peer.search(query, LIMIT, 1);
    times.push(cpuMs() - begin);
    return [...keys].map((key) => ids[Number(key)] as bigint);
  });
  return figuresOf(question, times, recallOf(found, exact), null);
}
