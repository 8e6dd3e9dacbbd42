/** Stores with graphs of a few nodes, in shuffled transactions, and what their projections should be. */

import type { Store } from '../../../interfaces/library/index.js';
import { terms } from '../../../interfaces/library/index.js';
import { EX, ex } from '../../service/time-support.js';
import { randomNumbers } from '../../storage/scan-support.js';
import type { PlainGraph } from './reference.js';

export interface NamedEdge {
  readonly from: string;
  readonly to: string;
  readonly predicate: string;
}

/** Names whose order is neither that of their numbers nor that of UTF-16 units. */
const NAMES = [
  'b',
  'a/b',
  'a',
  'Z',
  'é',
  '\u{1f600}',
  '\ufffd',
  'a#1',
  'node-with-a-longer-name',
  'node-with-a-longer',
];

export function nameOf(number: number): string {
  return number < NAMES.length ? (NAMES[number] as string) : `n${(number * 7919) % 1000}`;
}

/** Random edges, loops and parallel ones among them. */
export function randomEdges(seed: number, nodes: number, edges: number): NamedEdge[] {
  const next = randomNumbers(seed);
  const seen = new Map<string, NamedEdge>();
  for (let at = 0; at < edges; at++) {
    const edge = { from: nameOf(next(nodes)), to: nameOf(next(nodes)), predicate: `p${next(3)}` };
    seen.set(JSON.stringify(edge), edge);
  }
  return [...seen.values()];
}

export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const next = randomNumbers(seed);
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = next(at + 1);
    [all[at], all[other]] = [all[other] as Item, all[at] as Item];
  }
  return all;
}

/** Writes edges as facts, in transactions of a few. */
export async function writeEdges(store: Store, edges: readonly NamedEdge[], graph?: string): Promise<void> {
  for (let at = 0; at < edges.length; at += 16) {
    const quads = edges.slice(at, at + 16).map(({ from, to, predicate }) => {
      const parts = [ex(from), ex(predicate), ex(to)] as const;
      return graph === undefined ? terms.quad(...parts) : terms.quad(...parts, terms.namedNode(graph));
    });
    await store.transact({ assert: quads });
  }
}

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** The same edges over numbers, and the IRIs of these in order of their code points. */
export function plain(edges: readonly NamedEdge[]): { readonly graph: PlainGraph; readonly iris: string[] } {
  const names = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  names.sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
  const numbers = new Map(names.map((name, number) => [name, number]));
  const numbered = edges.map(({ from, to }) => [numbers.get(from) as number, numbers.get(to) as number] as const);
  return { graph: { nodes: names.length, edges: numbered }, iris: names.map((name) => EX + name) };
}
