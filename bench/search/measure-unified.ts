/**
 * Whole searches over texts, vectors and links of one store: `/unified_search` and `/context` as they come, by each ranking, and as of
 * a past transaction; and what a commit with labels costs with the indexes and without. The embedding of the question is left out.
 */
import { RDFS, terms } from '../../engine/rdf/terms.js';
import { RANKINGS, UNIFIED_FACTS_DEFAULT } from '../../engine/search/context/choices.js';
import type { EmbeddingProvider } from '../../engine/search/embeddings/provider.js';
import { openStore } from '../../engine/service/host/open-store.js';
import { type ContextOptions, ENTITIES_DEFAULT, LIMIT_DEFAULT } from '../../engine/service/search/search-options.js';
import { hashOfText } from '../../engine/storage/indexes/vectors/entity-text.js';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { median, percentile } from '../harness/figures.js';
import { ClusteredVectors } from './clustered-vectors.js';
import { WordTexts } from './word-texts.js';

const DIMENSION = 384;
const PUT_VECTORS = 8192;
const QUERIES = 60;
const COMMITS = 200;
const COMMIT_NUMBERS = 17;
const COMMIT_LABELS = 3;

export interface UnifiedTask {
  readonly task: 'unified';
  readonly store: string;
  /** The same facts without indexes. */
  readonly plain: string;
  readonly rows: number;
}

/** Times of the processor. */
export interface UnifiedQuestion {
  readonly question: string;
  readonly backend: 'ann' | 'brute';
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Entities of an answer, in the mean. */
  readonly entities: number;
}

export interface UnifiedFigures {
  readonly questions: readonly UnifiedQuestion[];
  /** Medians of commits of 20 facts, three of them labels, one into each store in turns. */
  readonly commitMs: { readonly indexed: number; readonly plain: number };
}

type Store = Awaited<ReturnType<typeof openStore>>;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const iri = (at: number): string => `http://example.org/${at}`;

export async function measureUnified({ store: path, plain, rows }: UnifiedTask): Promise<UnifiedFigures> {
  const words = new WordTexts();
  const texts = Array.from({ length: rows }, () => words.next());
  const data = new ClusteredVectors(DIMENSION);
  await load(plain, texts);
  await load(path, texts);
  await index(path, texts, data);
  const asked = Array.from({ length: QUERIES }, () => ({ text: words.query(texts), vector: data.next() }));
  const store = await openStore(path);
  const other = await openStore(plain);
  try {
    const provider = providerOf(new Map(asked.map(({ text, vector }) => [text, vector])));
    const queries = asked.map(({ text }) => text);
    const ask = (question: string, vectorBackend: 'ann' | 'brute', options: ContextOptions) =>
      measureQuestion(store, queries, question, { provider, vectorBackend, ...options });
    const unified = { maxEntities: LIMIT_DEFAULT, maxFactsPerEntity: UNIFIED_FACTS_DEFAULT };
    const questions: UnifiedQuestion[] = [];
    for (const backend of ['ann', 'brute'] as const) {
      questions.push(await ask('unified_search', backend, unified));
      questions.push(await ask('context', backend, { maxEntities: ENTITIES_DEFAULT }));
    }
    for (const ranking of RANKINGS) {
      if (ranking !== 'default')
        questions.push(await ask(`unified_search, ${ranking}`, 'ann', { ...unified, ranking }));
    }
    const commitMs = await measureCommits(store, other, texts);
    for (const backend of ['ann', 'brute'] as const) {
      questions.push(await ask('unified_search, as of a past transaction', backend, { ...unified, tx: 1 }));
    }
    return { questions, commitMs };
  } finally {
    await store.close();
    await other.close();
  }
}

/** Of each entity a label, and a link to another one. */
async function load(path: string, texts: readonly string[]): Promise<void> {
  const engine = await openLmdbEngine(path);
  const lines = texts.map(
    (text, at) =>
      `<${iri(at)}> <${RDFS}label> "${text}" .\n<${iri(at)}> <http://example.org/near> <${iri((at * 7919 + 1) % texts.length)}> .\n`,
  );
  const source = { kind: 'bytes', bytes: Buffer.from(lines.join('')), name: 'entities', format: 'ntriples' } as const;
  await (await engine.stageLoad([source], {}, {})).commit().durable;
  await engine.fold({}, true);
  await engine.close();
}

async function index(path: string, texts: readonly string[], data: ClusteredVectors): Promise<void> {
  const engine = await openLmdbEngine(path);
  for (let from = 0; from < texts.length; from += PUT_VECTORS) {
    const snapshot = engine.snapshot();
    const vectors = texts.slice(from, from + PUT_VECTORS).map((text, at) => ({
      entity: snapshot.encode(terms.namedNode(iri(from + at))) as bigint,
      textHash: hashOfText(text),
      vector: data.next(),
    }));
    snapshot.close();
    await putVectors(engine, 'model', DIMENSION, vectors);
  }
  await engine.indexTexts(['words', 'parts']);
  await engine.fold({}, true);
  await foldVectors(engine, {}, true);
  await engine.close();
}

function providerOf(vectors: ReadonlyMap<string, Float32Array>): EmbeddingProvider {
  return {
    kind: 'own',
    model: 'model',
    dimension: DIMENSION,
    embed: async (texts) => texts.map((text) => vectors.get(text) as Float32Array),
    close: async () => undefined,
  };
}

/** The first round brings into memory what is read. */
async function measureQuestion(
  store: Store,
  queries: readonly string[],
  question: string,
  options: ContextOptions,
): Promise<UnifiedQuestion> {
  for (const query of queries) await store.context(query, options);
  const times: number[] = [];
  let entities = 0;
  for (const query of queries) {
    const begin = cpuMs();
    const found = await store.context(query, options);
    times.push(cpuMs() - begin);
    entities += found.entities.length;
  }
  const backend = options.vectorBackend as 'ann' | 'brute';
  return {
    question,
    backend,
    p50Ms: median(times),
    p95Ms: percentile(times, 0.95),
    entities: entities / queries.length,
  };
}

async function measureCommits(indexed: Store, plain: Store, texts: readonly string[]) {
  const times = { indexed: [] as number[], plain: [] as number[] };
  for (let at = 0; at < COMMITS; at++) {
    const update = updateOf(at, texts);
    for (const [name, store] of [
      ['indexed', indexed],
      ['plain', plain],
    ] as const) {
      const begin = cpuMs();
      await store.update(update);
      times[name].push(cpuMs() - begin);
    }
  }
  return { indexed: median(times.indexed), plain: median(times.plain) };
}

function updateOf(at: number, texts: readonly string[]): string {
  const subject = `<http://example.org/new-${at}>`;
  const numbers = Array.from({ length: COMMIT_NUMBERS }, (_, i) => `<http://example.org/p${i}> ${at * 100 + i}`);
  const labels = Array.from(
    { length: COMMIT_LABELS },
    (_, i) => `<${RDFS}label> "${texts[(3 * at + i) % texts.length]} ${at}"`,
  );
  return `INSERT DATA { ${[...numbers, ...labels].map((fact) => `${subject} ${fact} .`).join(' ')} }`;
}
