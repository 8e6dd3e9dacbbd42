/**
 * Asks two stores the same queries, turn and turn about in one process: one that holds other rows besides, at its
 * slices, and the plain one. Answers must be the same.
 */
import { readFileSync } from 'node:fs';
import { openStore, type Store, type TimeOptions } from '../../../interfaces/library/index.js';
import { median } from '../../harness/figures.js';
import { digestAnswer } from '../digest.js';
import type { Form, Query } from '../query-set.js';
import { type Slice, toTimeOptions } from './stores.js';

export interface CompareTask {
  readonly task: 'compare-stores';
  readonly store: string;
  readonly plain: string;
  readonly slices: readonly Slice[];
  /** A file of queries, as JSON. */
  readonly queries: string;
  readonly runs: number;
  readonly budgetMs: number;
  readonly timeoutMs: number;
}

export interface ComparedStores {
  readonly label: string;
  readonly slice: string;
  readonly ms: number | null;
  readonly plainMs: number | null;
  readonly error: string | null;
}

interface Side {
  readonly store: Store;
  readonly time: TimeOptions;
}

const RUNS_LEAST = 3;

export async function compareStores(task: CompareTask): Promise<{ readonly compared: readonly ComparedStores[] }> {
  const store = await openStore(task.store, { readOnly: true });
  const plain = await openStore(task.plain, { readOnly: true });
  const compared: ComparedStores[] = [];
  for (const query of JSON.parse(readFileSync(task.queries, 'utf8')) as Query[]) {
    for (const slice of task.slices) {
      const sides = [
        { store, time: toTimeOptions(slice) },
        { store: plain, time: {} },
      ] as const;
      const about = { label: query.label, slice: slice.name };
      try {
        compared.push({ ...about, ...(await compare(query, sides, task)), error: null });
      } catch (error) {
        compared.push({
          ...about,
          ms: null,
          plainMs: null,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  }
  await plain.close();
  await store.close();
  return { compared };
}

async function compare({ text, form }: Query, sides: readonly [Side, Side], task: CompareTask) {
  const [ours, theirs] = [await ask(sides[0], text, form, task), await ask(sides[1], text, form, task)];
  const digests = [digestAnswer(ours.body, form), digestAnswer(theirs.body, form)] as const;
  if (digests[0].loose !== digests[1].loose) {
    throw new Error(`${digests[0].rows} rows of another answer than the ${digests[1].rows} of the plain store`);
  }
  const times: [number[], number[]] = [[], []];
  for (
    let spentMs = 0, run = 0;
    run < Math.min(RUNS_LEAST, task.runs) || (run < task.runs && spentMs < task.budgetMs);
    run++
  ) {
    for (const at of [0, 1] as const) {
      const { ms } = await ask(sides[at], text, form, task);
      times[at].push(ms);
      spentMs += ms;
    }
  }
  return { ms: median(times[0]), plainMs: median(times[1]) };
}

async function ask({ store, time }: Side, text: string, form: Form, { timeoutMs }: CompareTask) {
  const begin = performance.now();
  const answer = await store.query(text, { ...time, timeoutMs, inference: false });
  const parts: Buffer[] = [];
  for await (const part of answer.encode(form === 'CONSTRUCT' || form === 'DESCRIBE' ? 'ntriples' : 'json')) {
    parts.push(typeof part === 'string' ? Buffer.from(part) : Buffer.from(part));
  }
  return { body: Buffer.concat(parts), ms: performance.now() - begin };
}
