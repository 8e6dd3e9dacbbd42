/** What `/project` can be asked: the algorithms by their names, what they take, and what of it makes no sense. */

import { SvcError } from '../../base/errors.js';

/** Those of the semantics first, in their order. */
export const ALGORITHMS = [
  'stats',
  'in_degree',
  'pagerank',
  'ppr',
  'components',
  'louvain',
  'shortest_path',
  'betweenness',
  'kcore',
  'triangles',
  'leiden',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
const ALIASES: Readonly<Record<string, Algorithm>> = { community: 'louvain' };

export const DAMPING = 0.85;
export const ITERATIONS_MAX = 100;
export const TOLERANCE = 1e-6;
/** Of `max_iters`: what no run to the precision of doubles needs. */
const ITERATIONS_LIMIT = 10_000;

export interface AlgorithmOptions {
  readonly algorithm?: string | undefined;
  /** Entries of the list, 1 to 10,000, and entries before them that are passed over; default 20 and 0. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** IRIs that PageRank restarts at. */
  readonly seeds?: readonly string[] | undefined;
  /** 0 to 1, default 0.85. */
  readonly damping?: number | undefined;
  /** 1 to 10,000, default 100. */
  readonly maxIters?: number | undefined;
  /** Default 1e-6. */
  readonly tolerance?: number | undefined;
  /** IRIs of the ends of a shortest path. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Sources that betweenness samples; absent = all. */
  readonly samples?: number | undefined;
  /** By which the sources are chosen; default 0. */
  readonly randomSeed?: number | undefined;
}

/** The algorithm that a request names. */
export function algorithmOf(name: string | undefined): Algorithm {
  if (name === undefined) return 'stats';
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : ALGORITHMS.find((one) => one === name);
  if (known !== undefined) return known;
  throw invalid(`unknown algorithm '${name.slice(0, 100)}' (${ALGORITHMS.join(', ')})`);
}

/** Refuses what no projection is needed to refuse. */
export function checkAlgorithm(options: AlgorithmOptions): void {
  const algorithm = algorithmOf(options.algorithm);
  const { damping = DAMPING, maxIters = ITERATIONS_MAX, tolerance = TOLERANCE } = options;
  if (!(damping >= 0 && damping <= 1)) throw invalid(`'damping' is ${damping}; expected 0 to 1`);
  if (!Number.isInteger(maxIters) || maxIters < 1 || maxIters > ITERATIONS_LIMIT) {
    throw invalid(`'max_iters' is ${maxIters}; expected a whole number from 1 to ${ITERATIONS_LIMIT}`);
  }
  if (!(tolerance >= 0 && Number.isFinite(tolerance))) {
    throw invalid(`'tolerance' is ${tolerance}; expected a number that is not below 0`);
  }
  const { samples, randomSeed = 0 } = options;
  if (samples !== undefined && !(Number.isInteger(samples) && samples >= 1)) {
    throw invalid(`'samples' is ${samples}; expected a whole number from 1`);
  }
  if (!Number.isInteger(randomSeed)) throw invalid(`'random_seed' is ${randomSeed}; expected a whole number`);
  if (algorithm !== 'shortest_path') return;
  for (const end of ['from', 'to'] as const) if (!options[end]) throw invalid(`missing '${end}' parameter`);
}

/** Those whose values can be written; the others ignore that they are asked to. */
export function isPersisted(name: string | undefined): boolean {
  return ['louvain', 'pagerank', 'ppr'].includes(algorithmOf(name));
}

export function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
