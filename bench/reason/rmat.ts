/** Graphs as R-MAT makes them: few nodes with many edges, many with few (Chakrabarti, Zhan and Faloutsos, 2004). */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from '../data/data-set.js';

/** Of the Graph 500 benchmark. */
const [A, B, C] = [0.57, 0.19, 0.19];
const LINES_AT_ONCE = 20_000;

/** Distinct edges that are no loops; numbers of nodes are shuffled, so that their order says nothing. */
export function rmatEdges(scale: number, edges: number): Uint32Array {
  const nodes = 2 ** scale;
  const shuffle = permutation(nodes);
  const ends = new Uint32Array(2 * edges);
  const keys = new Float64Array(edges);
  const next = randomShares(7);
  let count = 0;
  while (count < edges) {
    for (; count < edges; count++) keys[count] = edgeKey(scale, nodes, next);
    keys.sort();
    count = distinct(keys);
  }
  for (let at = 0; at < edges; at++) {
    const key = keys[at] as number;
    ends[2 * at] = shuffle[Math.floor(key / nodes)] as number;
    ends[2 * at + 1] = shuffle[key % nodes] as number;
  }
  return ends;
}

function edgeKey(scale: number, nodes: number, next: () => number): number {
  for (;;) {
    let [from, to] = [0, 0];
    for (let bit = 0; bit < scale; bit++) {
      const share = next();
      from = 2 * from + (share >= A + B ? 1 : 0);
      to = 2 * to + ((share >= A && share < A + B) || share >= A + B + C ? 1 : 0);
    }
    if (from !== to) return from * nodes + to;
  }
}

/** Moves distinct keys to the front; returns how many there are. */
function distinct(keys: Float64Array): number {
  let kept = 0;
  for (let at = 0; at < keys.length; at++) if (at === 0 || keys[at] !== keys[at - 1]) keys[kept++] = keys[at] as number;
  return kept;
}

function permutation(count: number): Uint32Array {
  const next = randomShares(11);
  const all = Uint32Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [all[at], all[other]] = [all[other] as number, all[at] as number];
  }
  return all;
}

/** Mulberry32: numbers in [0, 1), the same for the same seed. */
function randomShares(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface RmatFiles {
  /** N-Triples. */
  readonly triples: string;
  /** Pairs of 32-bit numbers, little end first. */
  readonly edges: string;
}

/** The files of a graph, made where they are not there. */
export function provideRmat(scale: number, edges: number, say: (text: string) => void): RmatFiles {
  const folder = join(benchFolder(), 'rmat');
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `${scale}-${edges}`);
  const files = { triples: `${name}.nt`, edges: `${name}.bin` };
  if (existsSync(files.triples)) return files;
  say(`making ${files.triples}`);
  const ends = rmatEdges(scale, edges);
  writeWhole(files.edges, (file) => writeSync(file, new Uint8Array(ends.buffer)));
  writeWhole(files.triples, (file) => {
    let lines = '';
    for (let at = 0; at < edges; at++) {
      lines += `<http://example.org/node/${ends[2 * at]}> <http://example.org/links> <http://example.org/node/${ends[2 * at + 1]}> .\n`;
      if (at % LINES_AT_ONCE === 0 || at === edges - 1) {
        writeSync(file, lines);
        lines = '';
      }
    }
  });
  return files;
}

function writeWhole(path: string, write: (file: number) => void): void {
  const file = openSync(`${path}.part`, 'w');
  write(file);
  closeSync(file);
  renameSync(`${path}.part`, path);
}
