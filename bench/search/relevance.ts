/**
 * How well names are found by what they mean: classes and properties by their labels, asked by their definitions, of schema.org
 * and of FIBO. Of each question the one right answer is the entity that is defined; what counts is how far in front it comes
 * (nDCG of the first ten with one right answer: 1 / log2(1 + place)). Needs `../shared` and, for vectors, a Python with the
 * packages of `test/search/embeddings/minilm.py`, named by `SVC_EMBEDDING_PYTHON`.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { SvcError } from '../../engine/base/errors.js';
import type { Ranking } from '../../engine/search/context/choices.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { describeMachine } from '../harness/machine.js';
import { publish } from '../harness/report.js';
import type { BenchOptions } from '../options.js';
import { type DepthFigures, depthTable, measureDepths } from './list-depth.js';

const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const SKOS = 'http://www.w3.org/2004/02/skos/core#';
const QUESTIONS = 300;
/** A definition is cut after so many words: nobody types more. */
const WORDS_MAX = 24;
const LIMIT = 10;
const SEED = 7;
const EMBEDDED_TEXTS = 64;
const MODEL = 'all-MiniLM-L6-v2';

interface Entity {
  readonly iri: string;
  readonly label: string;
  readonly definition: string;
}

interface Model {
  readonly url: string;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  end(): void;
}

const sharedAt = (): string => process.env.SVC_SHARED ?? join(CHECKOUT, '../shared');

export async function runRelevance(options: BenchOptions): Promise<void> {
  const model = await startModel();
  const rows: string[][] = [];
  const results: { readonly data: string; readonly way: string; readonly ndcg: number; readonly first: number }[] = [];
  const depths: (DepthFigures & { readonly data: string })[] = [];
  try {
    for (const [data, facts] of [
      ['schema.org', schemaOrg()],
      ['FIBO', fibo()],
    ] as const) {
      const entities = await entitiesOf(facts);
      const asked = sampled(entities);
      const store = await storeOf(entities, model);
      for (const [way, find] of waysOf(store, model !== null)) {
        const places = await placesOf(asked, find);
        const ndcg =
          places.reduce((sum, place) => sum + (place < LIMIT ? 1 / Math.log2(2 + place) : 0), 0) / places.length;
        const first = places.filter((place) => place === 0).length / places.length;
        results.push({ data, way, ndcg, first });
        rows.push([`${data}, ${entities.length}`, way, ndcg.toFixed(3), first.toFixed(3)]);
      }
      await store.close();
      if (model !== null) {
        const found = await measureDepths(asked, entities, (texts) => model.embed(texts));
        depths.push(...found.map((figures) => ({ data: `${data}, ${entities.length}`, ...figures })));
      }
    }
  } finally {
    model?.end();
  }
  const table = {
    title: 'Relevance: names by definitions',
    note: `Of ${QUESTIONS} definitions, at most ${WORDS_MAX} words each, how far in front the entity comes that they define; only labels are in the store.`,
    columns: ['data, entities', 'way', 'nDCG@10', 'first'],
    rows,
  };
  publish(
    {
      benchmark: 'relevance',
      machine: describeMachine(),
      tables: [table, depthTable(depths)],
      results: [...results, ...depths],
    },
    options,
  );
}

type Find = (question: string) => Promise<readonly string[]>;

function waysOf(store: Store, hasVectors: boolean): (readonly [string, Find])[] {
  const ranked =
    (ranking: Ranking, more: object = {}): Find =>
    async (question) => {
      const { entities } = await store.context(question, { maxEntities: LIMIT, expandLinks: false, ranking, ...more });
      return entities.map(({ iri }) => iri);
    };
  const text: Find = async (question) => {
    const { nodes } = await store.searchNodes(question, { limit: LIMIT });
    return nodes.map(({ iri }) => iri);
  };
  const near: Find = async (query) => (await store.search({ query, limit: LIMIT })).results.map(({ iri }) => iri);
  const rankings = (['default', 'reciprocal', 'convex', 'mmr', 'ppr'] as const).map(
    (ranking) => [`unified, ${ranking}`, ranked(ranking)] as const,
  );
  return hasVectors ? [['text', text], ['vectors', near], ...rankings] : [['text', text]];
}

async function placesOf(asked: readonly Entity[], find: Find): Promise<number[]> {
  const places: number[] = [];
  for (const { iri, definition } of asked) {
    const at = (await find(definition)).indexOf(iri);
    places.push(at < 0 ? LIMIT : at);
  }
  return places;
}

async function storeOf(entities: readonly Entity[], model: Model | null): Promise<Store> {
  const store = await openStore(
    ':memory:',
    model === null
      ? {}
      : {
          embeddings: { provider: { kind: 'http', url: model.url, model: MODEL, dimension: 384, timeoutMs: 120_000 } },
        },
  );
  const lines = entities.map(({ iri, label }) => `<${iri}> <${RDFS}label> ${JSON.stringify(label)} .`);
  await store.load({ bytes: Buffer.from(lines.join('\n')), name: 'labels', format: 'turtle' });
  if (model !== null) await store.embedBackfill();
  return store;
}

/** Those with a label and a definition that does not give the label away at once. */
async function entitiesOf(facts: AsyncIterable<Store>): Promise<Entity[]> {
  const entities = new Map<string, Entity>();
  for await (const store of facts) {
    const query = `SELECT ?s (SAMPLE(STR(?l)) AS ?label) (SAMPLE(STR(?d)) AS ?definition) {
      ?s <${RDFS}label> ?l . { ?s <${SKOS}definition> ?d } UNION { ?s <${RDFS}comment> ?d }
      FILTER(ISIRI(?s)) } GROUP BY ?s`;
    const answer = await store.select(query);
    for await (const row of answer.bindings()) {
      const [iri, label, definition] = ['s', 'label', 'definition'].map((name) => row[name]?.value ?? '') as [
        string,
        string,
        string,
      ];
      const words = definition
        .replace(/<[^>]*>/g, ' ')
        .split(/\s+/)
        .filter((word) => word !== '');
      if (words.length >= 5) entities.set(iri, { iri, label, definition: words.slice(0, WORDS_MAX).join(' ') });
    }
  }
  return [...entities.values()].sort((a, b) => (a.iri < b.iri ? -1 : 1));
}

function sampled(entities: readonly Entity[]): Entity[] {
  let state = SEED;
  const left = [...entities];
  return Array.from({ length: Math.min(QUESTIONS, left.length) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return left.splice(state % left.length, 1)[0] as Entity;
  });
}

async function* schemaOrg(): AsyncGenerator<Store> {
  const folder = join(sharedAt(), 'data/schemaorg');
  const newest = readdirSync(folder)
    .filter((name) => name.endsWith('.nt.gz'))
    .sort()
    .at(-1);
  if (newest === undefined) throw new SvcError('invalid_request', `${folder} has no release of schema.org`);
  const store = await openStore(':memory:');
  const bytes = gunzipSync(readFileSync(join(folder, newest)));
  await store.load({ bytes, name: newest, format: 'ntriples' });
  yield store;
  await store.close();
}

async function* fibo(): AsyncGenerator<Store> {
  const folder = join(sharedAt(), 'data/fibo');
  const store = await openStore(':memory:');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.rdf')) continue;
    const path = join(folder, name);
    await store.load({
      bytes: readFileSync(path),
      name,
      format: 'rdfxml',
      baseIri: pathToFileURL(path).href,
    });
  }
  yield store;
  await store.close();
}

async function embedded(url: string, texts: readonly string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += EMBEDDED_TEXTS) {
    const body = JSON.stringify({ model: MODEL, input: texts.slice(at, at + EMBEDDED_TEXTS) });
    const answer = await fetch(`${url}/embeddings`, { method: 'POST', body });
    const { data } = (await answer.json()) as { readonly data: readonly { readonly embedding: number[] }[] };
    vectors.push(...data.map(({ embedding }) => Float32Array.from(embedding)));
  }
  return vectors;
}

/** Null, and a line that says why, where Python has not what it needs. */
function startModel(): Promise<Model | null> {
  const program = process.env.SVC_EMBEDDING_PYTHON ?? 'python3';
  const folder = mkdtempSync(join(tmpdir(), 'svc-relevance-'));
  const child = spawn(program, [join(CHECKOUT, 'test/search/embeddings/minilm.py'), folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const end = (): void => {
    child.stdin.end();
    rmSync(folder, { recursive: true, force: true });
  };
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!/^\d+$/.test(line)) return;
      child.off('exit', without);
      const url = `http://127.0.0.1:${line}`;
      resolve({ url, end, embed: (texts) => embedded(url, texts) });
    });
    const without = (): void => {
      console.error(`vectors are left out: ${program} has no MiniLM (SVC_EMBEDDING_PYTHON)`);
      rmSync(folder, { recursive: true, force: true });
      resolve(null);
    };
    child.once('exit', without);
    child.once('error', without);
  });
}
