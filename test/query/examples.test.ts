/**
 * The example questions of docs/examples over FIBO and the history of schema.org: each answer is the one
 * that stands beside the question, and an independent engine over the same facts gives the same.
 *
 * `SVC_WRITE_EXAMPLES=1` writes the answers anew.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import oxigraph from 'oxigraph';
import { openStore, type QueryAnswer, type Store, type TimeOptions } from '../../interfaces/library/index.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';

const shared = sharedFolder();
const skip = shared === null ? SHARED_ABSENT : false;
const examples = join(import.meta.dirname, '../../../docs/examples');
const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Question {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** Instants to ask it for; one without an instant when it has none. */
  readonly instants: readonly (string | undefined)[];
}

function questions(set: string): Question[] {
  const names = readdirSync(join(examples, set)).filter((name) => name.endsWith('.rq'));
  assert.ok(names.length > 5, set);
  return names.sort().map((name) => {
    const path = join(examples, set, name);
    const text = readFileSync(path, 'utf8');
    const instants = /^# valid_at: (.*)$/m.exec(text)?.[1]?.split(', ') ?? [undefined];
    return { name: `${set}/${name}`, path, text, instants };
  });
}

/** The answer as the documents show it: TSV for rows, sorted N-Triples for graphs. */
async function written(answer: QueryAnswer): Promise<string> {
  if (answer.kind === 'ask') return `${answer.value}\n`;
  const format = answer.kind === 'graph' ? 'ntriples' : 'tsv';
  const parts: string[] = [];
  for await (const part of answer.encode(format)) parts.push(textOf(part));
  const text = parts.join('');
  return answer.kind === 'graph'
    ? text
        .split(/(?<=\n)/)
        .sort()
        .join('')
    : text;
}

function textOf(part: string | Uint8Array): string {
  return typeof part === 'string' ? part : Buffer.from(part).toString();
}

/** The same for the other engine, whose lines need not be in the same order. */
function theirs(peer: oxigraph.Store, text: string): string[] {
  const options = { results_format: 'text/tab-separated-values' };
  const graph = { results_format: 'application/n-triples' };
  if (/^ASK/m.test(text)) return [String(peer.query(text, {}))];
  return normalised(String(peer.query(text, /^CONSTRUCT/m.test(text) ? graph : options)));
}

/** Numbers by value to twelve digits, booleans bare, lines sorted; the head of a table stays. */
function normalised(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/(?<=^|\t)-?\d+\.\d+(?=\t|$)/g, (number) => Number(number).toPrecision(12)))
    .map((line) => line.replaceAll(/"(true|false)"\^\^<[^>]*#boolean>/g, '$1'))
    .sort();
}

async function check(
  question: Question,
  store: Store,
  peerAt: (instant: string | undefined) => oxigraph.Store,
): Promise<void> {
  const ours: string[] = [];
  for (const instant of question.instants) {
    const time: TimeOptions = instant === undefined ? {} : { validAt: instant };
    const text = await written(await store.query(question.text, { ...time, inference: false }));
    assert.deepEqual(normalised(text), theirs(peerAt(instant), question.text), `${question.name} at ${instant}`);
    ours.push(instant === undefined ? text : `# valid_at: ${instant}\n${text}`);
  }
  const path = question.path.replace(/\.rq$/, '.answer.txt');
  if (process.env.SVC_WRITE_EXAMPLES) writeFileSync(path, ours.join('\n'));
  assert.ok(existsSync(path), `${path} is missing`);
  assert.equal(ours.join('\n'), readFileSync(path, 'utf8'), question.name);
}

test('questions over FIBO', { skip }, async () => {
  const store = await openStore(join(folder, 'fibo.svc'));
  try {
    await store.load(join(shared as string, 'data/fibo'));
    const peer = new oxigraph.Store();
    const parts: string[] = [];
    for await (const part of store.export('ntriples')) parts.push(textOf(part));
    peer.load(parts.join(''), { format: 'application/n-triples' });
    for (const question of questions('fibo')) await check(question, store, () => peer);
  } finally {
    await store.close();
  }
});

interface Release {
  readonly path: string;
  readonly date: string;
}

test('questions over the history of schema.org', { skip }, async () => {
  const releases = releasesOf(join(shared as string, 'data/schemaorg'));
  const store = await openStore(join(folder, 'schemaorg.svc'));
  try {
    for (const { path, date } of releases) {
      await store.load(path, { snapshotKey: 'schema.org', replaceSnapshot: true, timestamp: `${date}T00:00:00Z` });
    }
    const peers = new Map<string, oxigraph.Store>();
    const peerAt = (instant = '9999-12-31'): oxigraph.Store => {
      const { path } = releases.filter(({ date }) => date <= instant).at(-1) as Release;
      let peer = peers.get(path);
      if (peer === undefined) {
        peer = new oxigraph.Store();
        peer.load(gunzipSync(readFileSync(path)), { format: 'application/n-triples' });
        peers.set(path, peer);
      }
      return peer;
    };
    for (const question of questions('schemaorg')) await check(question, store, peerAt);
  } finally {
    await store.close();
  }
});

/** The files that are there, in the order of their dates. */
function releasesOf(data: string): Release[] {
  const { releaseLog } = JSON.parse(readFileSync(join(data, 'versions.json'), 'utf8')) as {
    releaseLog: Record<string, string>;
  };
  const releases = Object.entries(releaseLog).flatMap(([version, date]) => {
    const path = join(data, `schemaorg-all-https-${version}.nt.gz`);
    return existsSync(path) ? [{ path, date }] : [];
  });
  assert.ok(releases.length >= 15);
  return releases.sort((a, b) => (a.date < b.date ? -1 : 1));
}
