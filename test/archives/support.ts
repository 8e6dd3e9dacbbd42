/** What tests of frozen graphs share: a graph with a history, what a store says of it, and a kill at every step. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { type OpenOptions, openStore, type QueryOptions, type Store } from '../../interfaces/library/index.js';
import { EX, knot, T } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

export const G = `${EX}g/old`;

/** One open and one retracted fact in the graph, at transactions 2 and 3, and one in ROOT, at 1. */
export async function fillGraph(store: Store): Promise<void> {
  await knot(store, 'ex:root ex:p 0 .', { timestamp: T(1) });
  await knot(store, `<${G}> { ex:a ex:p 1, 2 ; ex:knows _:b . _:b ex:p "x"@en }`, { timestamp: T(1), actor: 'ann' });
  await store.update(`DELETE DATA { GRAPH <${G}> { <${EX}a> <${EX}p> 2 } }`, { timestamp: T(3) });
}

/** Rows of a SELECT as lines, sorted. */
export async function rowsOf(store: Store, query: string, options: QueryOptions = {}): Promise<string[]> {
  const answer = await store.query(`PREFIX ex: <${EX}> ${query}`, options);
  assert.ok(answer.kind === 'select');
  const lines: string[] = [];
  for await (const row of answer.rows()) {
    lines.push(row.map((term) => (term?.termType === 'BlankNode' ? '_' : (term?.value ?? '-'))).join(' '));
  }
  return lines.sort();
}

const ALL = `SELECT ?s ?p ?o { GRAPH <${G}> { ?s ?p ?o } }`;

/** Every current and valid-time answer about the graph by its name. */
export async function answersOf(store: Store): Promise<unknown> {
  const instants = ['2025-06-01T00:00:00Z', T(1), T(2), T(3), T(4)];
  const [current, merged] = [await rowsOf(store, ALL), await rowsOf(store, 'SELECT * { ?s ?p ?o }', { graph: G })];
  const at: string[][] = [];
  for (const validAt of instants) at.push(await rowsOf(store, ALL, { validAt }));
  return { current, merged, at };
}

export async function lifecycleOf(store: Store): Promise<string | null | undefined> {
  return (await store.graph(G))?.lifecycle;
}

/** Files of archives in a folder. */
export function packsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /\.qpack\.db(\.|$)/.test(name) && !name.endsWith('-lock'));
}

/** The error of work that has to fail. */
export async function failure(work: Promise<unknown>): Promise<SvcError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (failed: unknown) => failed,
  );
  assert.ok(error instanceof SvcError, String(error instanceof Error ? error.stack : error));
  return error;
}

export async function withStore<Result>(
  path: string,
  work: (store: Store) => Promise<Result>,
  options: OpenOptions = {},
): Promise<Result> {
  const store = await openStore(path, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Exactly one whole copy of the graph serves it, and the store is sound. */
export async function assertOneCopy(store: Store, folder: string, expected: unknown): Promise<'frozen' | 'local'> {
  assert.deepEqual(await answersOf(store), expected);
  assert.deepEqual((await store.verify()).problems, []);
  const graph = await store.graph(G);
  const isFrozen = graph?.lifecycle === 'frozen';
  assert.equal(graph?.archive === undefined, !isFrozen);
  if (isFrozen) {
    const check = await store.verifyPack(resolve(folder, graph.archive?.path as string));
    assert.equal(check.ok, true);
    assert.equal(check.contentHash, `sha256:${graph.archive?.sha256}`);
  }
  assert.deepEqual(
    packsIn(folder).filter((name) => name.includes('building')),
    [],
  );
  return isFrozen ? 'frozen' : 'local';
}

export const folders = new StoreFolder();

/** A folder of its own with a store file. */
export function freshFolder(): { readonly folder: string; readonly path: string } {
  const folder = folders.fresh('');
  mkdirSync(folder);
  return { folder, path: join(folder, 'store.db') };
}

/** With a filled store in a file and in memory, and the folder of its archives. */
export function onBoth(name: string, work: (store: Store, folder: string) => Promise<void>): void {
  for (const kind of ['memory', 'file']) {
    test(`${name} (${kind})`, async () => {
      const { folder, path } = freshFolder();
      const memory = { archives: { dir: folder } };
      await withStore(
        kind === 'memory' ? ':memory:' : path,
        async (store) => {
          await fillGraph(store);
          await work(store, folder);
        },
        kind === 'memory' ? memory : {},
      );
    });
  }
}
