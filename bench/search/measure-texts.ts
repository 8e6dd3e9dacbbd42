/** Indexes literals by their words and parts, and asks; beside tantivy, SQLite's FTS5 and minisearch where they are installed. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RDFS } from '../../engine/rdf/terms.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { FileView } from '../../engine/storage/indexes/secondary-index.js';
import { TEXT } from '../../engine/storage/indexes/text/text-index.js';
import type { TextReader } from '../../engine/storage/indexes/text/text-reader.js';
import { readTextState } from '../../engine/storage/indexes/text/text-store.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { median, percentile } from '../harness/figures.js';
import { WordTexts } from './word-texts.js';

const QUERIES = 300;
const WARM_ROUNDS = 3;
/** Before that: JavaScript is compiled well when it has run some thousand times, as it has in a process that serves. */
const COMPILE_ROUNDS = 20;
const LIMIT = 10;
/** Of whole searches, which are slower. */
const SEARCHES = 60;
/** Texts for a peer that keeps all in its heap. */
const HEAP_TEXTS_MAX = 200_000;

export interface TextsTask {
  readonly task: 'texts';
  readonly store: string;
  readonly rows: number;
  readonly peers: boolean;
}

export interface AskFigures {
  readonly who: string;
  readonly question: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface IndexFigures {
  readonly who: string;
  readonly textsPerSecond: number;
  readonly bytesEach: number | null;
}

export interface TextsFigures {
  readonly texts: number;
  readonly loadMs: number;
  readonly indexes: readonly IndexFigures[];
  readonly questions: readonly AskFigures[];
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const noPace = (): void => undefined;

export async function measureTexts({ store, rows, peers }: TextsTask): Promise<TextsFigures> {
  const words = new WordTexts();
  const texts = Array.from({ length: rows }, () => words.next());
  const distinct = [...new Set(texts)];
  const lines = texts.map((text, at) => `<http://example.org/${at}> <${RDFS}label> "${text}" .\n`);
  const engine = await openLmdbEngine(store);
  let begin = cpuMs();
  const source = { kind: 'bytes', bytes: Buffer.from(lines.join('')), name: 'labels', format: 'ntriples' } as const;
  await (await engine.stageLoad([source], {}, {})).commit().durable;
  const loadMs = cpuMs() - begin;
  const indexes: IndexFigures[] = [];
  for (const kinds of [['words'], ['words', 'parts']] as const) {
    begin = cpuMs();
    await engine.indexTexts(kinds);
    await engine.fold({}, true);
    const ms = cpuMs() - begin;
    const kind = kinds[kinds.length - 1] as (typeof kinds)[number];
    const snapshot = engine.snapshot();
    const view = snapshot.indexView() as FileView;
    const segments = readTextState(view.file, view.transaction)[kind];
    const bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
    const who = kind === 'words' ? 'words' : 'parts, of literals and IRIs';
    indexes.push({ who, textsPerSecond: (1000 * distinct.length) / ms, bytesEach: bytes / distinct.length });
    snapshot.close();
  }
  const queries = Array.from({ length: QUERIES }, () => words.query(texts));
  const parts = Array.from({ length: QUERIES }, () => words.part(texts));
  const snapshot = engine.snapshot();
  const reader = (): TextReader => TEXT.at(snapshot.indexView() as FileView);
  const questions = [
    ask('svc', 'any word, best 10', queries, (query) => reader().best(query, LIMIT, {}, noPace)),
    ask('svc', 'all words, best 10', queries, (query) => reader().best(query, LIMIT, { all: true }, noPace)),
    ask('svc', 'part of a text, all', parts, (part) => reader().containing(part, 'literals', noPace)),
  ];
  snapshot.close();
  await engine.close();
  questions.push(...(await askStore(store, queries.slice(0, SEARCHES))));
  if (peers) {
    const python = askPython(distinct, queries, parts);
    indexes.push(...python.indexes);
    questions.push(...python.questions);
    const heap = askMinisearch(distinct.slice(0, HEAP_TEXTS_MAX), queries);
    indexes.push(...heap.indexes);
    questions.push(...heap.questions);
  }
  return { texts: distinct.length, loadMs, indexes, questions };
}

/** The first round brings lists into memory, which a peer does likewise. */
function ask(who: string, question: string, asked: readonly string[], answer: (query: string) => unknown): AskFigures {
  for (let round = 0; round < COMPILE_ROUNDS; round++) for (const query of asked) answer(query);
  const times = asked.map((query) => {
    const begin = cpuMs();
    for (let round = 0; round < WARM_ROUNDS; round++) answer(query);
    return (cpuMs() - begin) / WARM_ROUNDS;
  });
  return { who, question, p50Ms: median(times), p95Ms: percentile(times, 0.95) };
}

/** Whole searches for entities: now, and as of the first transaction of a store that has gone on. */
async function askStore(path: string, queries: readonly string[]): Promise<AskFigures[]> {
  const store = await openStore(path);
  const figures: AskFigures[] = [];
  try {
    await store.update('INSERT DATA { <http://example.org/later> <http://example.org/p> "later" }');
    for (const [question, options] of [
      ['entities with facts, 10', {}],
      ['the same as of a transaction', { tx: 1 }],
    ] as const) {
      const search = (query: string) => store.context(query, { maxEntities: LIMIT, expandLinks: false, ...options });
      for (const query of queries) await search(query);
      const times: number[] = [];
      for (const query of queries) {
        const begin = cpuMs();
        await search(query);
        times.push(cpuMs() - begin);
      }
      figures.push({ who: 'svc', question, p50Ms: median(times), p95Ms: percentile(times, 0.95) });
    }
  } finally {
    await store.close();
  }
  return figures;
}

interface PeerFigures {
  readonly indexes: readonly IndexFigures[];
  readonly questions: readonly AskFigures[];
}

const NOTHING: PeerFigures = { indexes: [], questions: [] };

/** tantivy and FTS5, each left out with a line where Python has it not. */
function askPython(texts: readonly string[], queries: readonly string[], parts: readonly string[]): PeerFigures {
  const folder = mkdtempSync(join(tmpdir(), 'svc-texts-'));
  try {
    writeFileSync(join(folder, 'texts.txt'), texts.join('\n'));
    writeFileSync(join(folder, 'queries.json'), JSON.stringify({ queries, parts }));
    const program = process.env.SVC_BENCH_PYTHON ?? 'python3';
    const script = `${CHECKOUT}/bench/search/peers/texts.py`;
    const { status, stdout, stderr } = spawnSync(program, [script, folder], { encoding: 'utf8', maxBuffer: 1 << 26 });
    if (stderr.trim() !== '') console.error(stderr.trim());
    return status === 0 ? (JSON.parse(stdout) as PeerFigures) : NOTHING;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface MiniSearch {
  addAll(documents: readonly object[]): void;
  search(query: string): readonly unknown[];
}

function askMinisearch(texts: readonly string[], queries: readonly string[]): PeerFigures {
  let Made: new (options: object) => MiniSearch;
  try {
    Made = createRequire(import.meta.url)('minisearch') as typeof Made;
  } catch {
    console.error('minisearch is left out: the package is not installed');
    return NOTHING;
  }
  const index = new Made({ fields: ['text'] });
  const begin = cpuMs();
  index.addAll(texts.map((text, id) => ({ id, text })));
  const who = `minisearch, ${texts.length} texts`;
  const textsPerSecond = (1000 * texts.length) / (cpuMs() - begin);
  return {
    indexes: [{ who, textsPerSecond, bytesEach: null }],
    questions: [ask(who, 'any word, all', queries, (query) => index.search(query))],
  };
}
