/**
 * The data sets of the benchmarks: made once by seed, kept in a folder outside the checkout
 * (`SVC_BENCH_DATA`, by default `.cache/svc-bench` in the home folder), and used again as long as
 * the generators have not changed.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { writeShop } from './shop.js';
import { writeSocial } from './social.js';

/** Goes up with every change of what the generators write. */
const GENERATOR_VERSION = 2;
const SEED = 42;

export type SetName = 'bsbm' | 'watdiv';

const GENERATORS: Readonly<Record<SetName, (path: string, triples: number, seed: number) => number>> = {
  bsbm: writeShop,
  watdiv: writeSocial,
};
export const SET_NAMES = Object.keys(GENERATORS) as readonly SetName[];

export interface DataSet {
  readonly set: SetName;
  /** As asked for: 200k, 1M ... */
  readonly size: string;
  readonly path: string;
  /** In the file; near the size asked for. */
  readonly triples: number;
  readonly bytes: number;
  readonly seed: number;
  readonly version: number;
}

/** Where data sets and the stores that are measured stand. */
export function benchFolder(): string {
  const folder = process.env.SVC_BENCH_DATA ?? join(homedir(), '.cache', 'svc-bench');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** 200k, 1M, 2.5M or a plain number. */
export function parseSize(size: string): number {
  const match = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(size);
  const triples = match ? Number(match[1]) * (match[2] === 'M' ? 1e6 : match[2] === 'k' ? 1e3 : 1) : 0;
  if (triples < 1000) throw new SvcError('usage', `"${size}" is no size; expected for example 200k, 1M or 20M`);
  return triples;
}

/** The data set, generated when it is not there yet. */
export function provideDataSet(set: SetName, size: string, say: (line: string) => void): DataSet {
  const path = join(benchFolder(), `${set}-${size}.nt`);
  const about = `${path}.json`;
  if (existsSync(about) && existsSync(path)) {
    const known = JSON.parse(readFileSync(about, 'utf8')) as DataSet;
    if (known.version === GENERATOR_VERSION && known.seed === SEED && known.bytes === statSync(path).size) {
      return { ...known, path };
    }
  }
  say(`generating ${path}`);
  const triples = GENERATORS[set](path, parseSize(size), SEED);
  const made: DataSet = {
    set,
    size,
    path,
    triples,
    bytes: statSync(path).size,
    seed: SEED,
    version: GENERATOR_VERSION,
  };
  const { path: _, ...kept } = made;
  writeFileSync(about, `${JSON.stringify(kept, null, 1)}\n`);
  return made;
}
