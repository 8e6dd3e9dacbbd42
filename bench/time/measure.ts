/**
 * Asks every question of a store with history and of one with just the visible rows, turn and turn
 * about in one process, and checks every answer.
 */
import { readFileSync } from 'node:fs';
import { invariant } from '../../engine/base/errors.js';
import { ROOT_ID } from '../../engine/storage/ids/layout.js';
import type { Order, ScanPattern } from '../../engine/storage/seam/scan.js';
import { openStore, type Store, type TimeOptions, terms } from '../../interfaces/library/index.js';
import { numberOf, rowsOf, spread, toOptions } from './asking.js';
import type { Expected, Measured, SliceTask, TimeMeasurement } from './case.js';
import { CLASS_ASKED, PLACE_ASKED, STATUS_ASKED } from './expected.js';
import { LOCATED_IN, PART_OF, PREDICATES, PRICE, STATUS } from './facts.js';

export interface TimeTask {
  readonly task: 'time';
  readonly store: string;
  /** A file of slices, as JSON. */
  readonly slices: string;
}

const PASSES = 5;
const NAMES = 'http://time.example/';

/** One of the two stores, at the time that is asked for. */
interface Side {
  readonly store: Store;
  readonly time: TimeOptions;
}

interface Question {
  readonly name: string;
  readonly expected: number;
  /** Gives the answer, and the blocks that were read where they are counted. */
  ask(side: Side): Promise<{ readonly answer: number; readonly blocks?: number }>;
}

export async function measureTime(task: TimeTask): Promise<TimeMeasurement> {
  const store = await openStore(task.store, { readOnly: true });
  const measured: Measured[] = [];
  for (const { name, slice, plain, expected } of JSON.parse(readFileSync(task.slices, 'utf8')) as SliceTask[]) {
    const visible = await openStore(plain, { readOnly: true });
    const sides = [
      { store, time: toOptions(slice) },
      { store: visible, time: {} },
    ] as const;
    for (const question of questions(expected)) {
      measured.push({ slice: name, question: question.name, ...(await compare(question, sides)) });
    }
    measured.push({ slice: name, question: 'lookup s p, query', ...(await compareLookups(expected, sides)) });
    await visible.close();
  }
  await store.close();
  return { measured };
}

function questions(expected: Expected): Question[] {
  const p = (at: number): string => `<${PREDICATES[at]?.iri}>`;
  const join2 = `?s ${p(PART_OF)} ?t . ?t ${p(LOCATED_IN)} ?l`;
  const narrow2 = `?s ${p(LOCATED_IN)} <${NAMES}place/${PLACE_ASKED}> . ?s ${p(PRICE)} ?o`;
  const join3 = `?s a <${NAMES}Class${CLASS_ASKED}> . ?s ${p(PART_OF)} ?t . ?t ${p(STATUS)} <${NAMES}status/${STATUS_ASKED}>`;
  const count = (name: string, pattern: string, answer: number): Question =>
    query(name, `SELECT (COUNT(*) AS ?n) { ${pattern} }`, answer);
  return [
    { name: 'full scan, ids', expected: expected.rows, ask: async (side) => scan(side, null, undefined) },
    { name: 'full scan SPOG, ids', expected: expected.rows, ask: async (side) => scan(side, null, 'SPOG') },
    {
      name: 'scan of a predicate, ids',
      expected: expected.predicateRows,
      ask: async (side) => scan(side, PRICE, 'POSG'),
    },
    count('count of all', '?s ?p ?o', expected.rows),
    count('count of a predicate', `?s ${p(PRICE)} ?o`, expected.predicateRows),
    sum('read a predicate', `SELECT ?s ?o { ?s ${p(PRICE)} ?o }`, expected.sum),
    count('join of 2, wide', join2, expected.join2),
    count('join of 2, narrow', narrow2, expected.narrow2),
    count('join of 3', join3, expected.join3),
  ];
}

/** A query with one number as its answer. */
function query(name: string, text: string, expected: number): Question {
  return { name, expected, ask: async ({ store, time }) => ({ answer: await numberOf(store, text, time) }) };
}

/** A query whose rows are read, and the numbers in their second column added up. */
function sum(name: string, text: string, expected: number): Question {
  const ask = async ({ store, time }: Side) => {
    let answer = 0;
    for await (const [, value] of rowsOf(store, text, time)) answer += Number(value?.value);
    return { answer };
  };
  return { name, expected, ask };
}

async function countRows(store: Store, text: string, time: TimeOptions): Promise<number> {
  let count = 0;
  for await (const _ of rowsOf(store, text, time)) count++;
  return count;
}

/** Through the seam below the query engine; without an order, runs need not be merged. */
function scan(
  { store, time }: Side,
  predicate: number | null,
  order: Order | undefined,
): { readonly answer: number; readonly blocks: number } {
  const snapshot = store.snapshot(time);
  const { storage } = snapshot;
  const pattern: { -readonly [Key in keyof ScanPattern]: ScanPattern[Key] } = {};
  if (predicate !== null) {
    const id = storage.encode(terms.namedNode(PREDICATES[predicate]?.iri as string));
    invariant(id !== null, 'the predicate is known');
    pattern.p = { kind: 'id', id };
  }
  const cursor = storage.scan({
    graphs: { kind: 'one', graph: ROOT_ID },
    pattern,
    order,
    unordered: order === undefined,
    time: snapshot.time,
    columns: ['s', 'p', 'o'],
  });
  let answer = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    answer += batch.selection === null ? batch.rows : batch.selection.length;
  }
  cursor.close();
  const blocks = storage.counters.blocksRead;
  snapshot.close();
  return { answer, blocks };
}

type Comparison = Omit<Measured, 'slice' | 'question'>;

async function compare(question: Question, sides: readonly [Side, Side]): Promise<Comparison> {
  const times: [number[], number[]] = [[], []];
  const blocks: Array<number | null> = [null, null];
  for (let pass = 0; pass <= PASSES; pass++) {
    for (const at of [0, 1] as const) {
      const begin = performance.now();
      const asked = await question.ask(sides[at]);
      // The first pass warms caches.
      if (pass > 0) times[at].push(performance.now() - begin);
      blocks[at] = asked.blocks ?? null;
      const { name, expected } = question;
      invariant(asked.answer === expected, `${name}: the answer is ${expected}, not ${asked.answer}`);
    }
  }
  return { ...figures(times), blocks: blocks[0] ?? null, plainBlocks: blocks[1] ?? null };
}

async function compareLookups({ lookups }: Expected, sides: readonly [Side, Side]): Promise<Comparison> {
  const times: [number[], number[]] = [[], []];
  for (let pass = 0; pass < 2; pass++) {
    for (const { subject, predicate, values } of lookups) {
      for (const at of [0, 1] as const) {
        const { store, time } = sides[at];
        const begin = performance.now();
        const found = await countRows(store, `SELECT ?o { <${subject}> <${predicate}> ?o }`, time);
        if (pass > 0) times[at].push(performance.now() - begin);
        invariant(found === values, `a lookup finds ${values} values, not ${found}`);
      }
    }
  }
  return { ...figures(times), blocks: null, plainBlocks: null };
}

function figures([ours, plain]: readonly [number[], number[]]): Omit<Comparison, 'blocks' | 'plainBlocks'> {
  const { ms: plainMs, msLeast: plainMsLeast, msMost: plainMsMost } = spread(plain);
  return { ...spread(ours), plainMs, plainMsLeast, plainMsMost };
}
