/**
 * Operators by the work that EXPLAIN ANALYZE counts for each: its own time, without that of its inputs, over the rows that it
 * takes and gives. Answers are encoded from a scan, term decoding included. Medians of several runs, after warm ones.
 */
import { type Explanation, openStore, type Store } from '../../interfaces/library/index.js';
import { median } from '../harness/figures.js';
import { ENCODE_CASES, type EncodeCase, OPERATOR_CASES, type OperatorCase } from './cases.js';

export interface OperatorsTask {
  readonly task: 'operators';
  readonly document: string;
  readonly store: string;
  readonly runs: number;
}

export interface OperatorFigures {
  readonly name: string;
  readonly file: string;
  readonly what: string;
  /** Taken and given; null where the plan has no such operator. */
  readonly rows: number | null;
  readonly ms: number | null;
  /** Least and greatest over the median. */
  readonly spread: readonly [number, number] | null;
}

type Node = Explanation['plan'];

const WARM_UP = 3;

export async function measureOperators(task: OperatorsTask): Promise<{ readonly figures: readonly OperatorFigures[] }> {
  const store = await openStore(task.store);
  await store.load(task.document);
  const figures: OperatorFigures[] = [];
  for (const one of OPERATOR_CASES) figures.push(await measureOperator(store, one, task.runs));
  for (const one of ENCODE_CASES) figures.push(await measureEncoding(store, one, task.runs));
  await store.close();
  return { figures };
}

async function measureOperator(store: Store, one: OperatorCase, runs: number): Promise<OperatorFigures> {
  const { operator, file, what, query } = one;
  const times: number[] = [];
  let rows = 0;
  for (let run = -WARM_UP; run < runs; run++) {
    const { plan } = await store.explain(query, { analyze: true, inference: false });
    const nodes = nodesOf(plan).filter((node) => node.operator === operator);
    if (nodes.length === 0) return { name: operator, file, what, rows: null, ms: null, spread: null };
    rows = sum(nodes.map((node) => rowsOf(node) + sum(node.inputs.map(rowsOf))));
    if (run >= 0) times.push(sum(nodes.map(({ actual }) => actual?.ownTimeMs ?? 0)));
  }
  return { name: operator, file, what, rows, ...timesOf(times) };
}

async function measureEncoding(
  store: Store,
  { format, file, query }: EncodeCase,
  runs: number,
): Promise<OperatorFigures> {
  const times: number[] = [];
  for (let run = -WARM_UP; run < runs; run++) {
    const begin = performance.now();
    for await (const _ of await store.read(query, { format, inference: false }));
    if (run >= 0) times.push(performance.now() - begin);
  }
  const { rows } = await store.explain(query, { analyze: true, inference: false });
  return { name: `encode ${format}`, file, what: 'decode and encode', rows, ...timesOf(times) };
}

function timesOf(times: readonly number[]): Pick<OperatorFigures, 'ms' | 'spread'> {
  const ms = median(times);
  return { ms, spread: [Math.min(...times) / ms, Math.max(...times) / ms] };
}

function nodesOf(node: Node): readonly Node[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}

const rowsOf = ({ actual }: Node): number => actual?.rows ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
