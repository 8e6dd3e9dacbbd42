/**
 * Graph algorithms as functions of queries: `SERVICE <urn:svc:algo:pagerank> { [] <urn:svc:algo:entity> ?e ; <urn:svc:algo:score> ?s }`. They
 * run over the graph that the call stands in, at the time of the query, for every node. What computes is loaded with the first call.
 */

import { SvcError } from '../../base/errors.js';
import type {
  FunctionArguments,
  FunctionCall,
  FunctionRows,
  TableFunction,
  TableFunctions,
} from '../../query/functions/table-function.js';
import { type Term, XSD } from '../../rdf/terms.js';
import { INTEGER_TYPES } from '../../rdf/values/integer-types.js';
import { type Algorithm, type AlgorithmOptions, checkAlgorithm } from '../../reason/graph/request.js';

const PREFIX = 'urn:svc:algo:';

/** Of all algorithms: which edges count. */
const FILTERS = ['type', 'predicate'];
const RANKS = ['seed', 'damping', 'max_iters', 'tolerance'];

/** What each takes besides, and what it gives. */
const CATALOGUE: Readonly<
  Record<Algorithm, { readonly takes?: readonly string[]; readonly gives: readonly string[] }>
> = {
  stats: { gives: ['nodes', 'edges'] },
  in_degree: { gives: ['entity', 'in_degree'] },
  pagerank: { takes: RANKS, gives: ['entity', 'score'] },
  ppr: { takes: RANKS, gives: ['entity', 'score'] },
  components: { gives: ['entity', 'component', 'size'] },
  louvain: { gives: ['entity', 'community', 'size'] },
  leiden: { gives: ['entity', 'community', 'size'] },
  shortest_path: { takes: ['from', 'to'], gives: ['entity', 'position'] },
  betweenness: { takes: ['samples', 'random_seed'], gives: ['entity', 'score'] },
  kcore: { gives: ['entity', 'core'] },
  triangles: { gives: ['entity', 'triangles'] },
};

/** Arguments that may be given more than once. */
const REPEATED = new Set(['seed']);
const IRI_ARGUMENTS = new Set(['type', 'predicate', 'seed', 'from', 'to']);

/** Numbers as XSD writes them: JavaScript would read more, an empty text among it. */
const NUMERAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** What computes. */
export type RunGraphFunction = (
  call: FunctionCall,
  options: AlgorithmOptions,
  filters: { readonly type?: string | undefined; readonly predicate?: string | undefined },
) => Promise<FunctionRows>;

export function graphFunctions(run: RunGraphFunction): TableFunctions {
  const names = Object.keys(CATALOGUE) as readonly Algorithm[];
  const functions = new Map(names.map((name) => [PREFIX + name, functionOf(name, run)]));
  return { names: [...functions.keys()], find: (iri) => functions.get(iri) ?? null };
}

function functionOf(algorithm: Algorithm, run: RunGraphFunction): TableFunction {
  const { takes = [], gives } = CATALOGUE[algorithm];
  return {
    takes: [...FILTERS, ...takes],
    gives,
    check: (args) => checkAlgorithm(optionsOf(algorithm, args)),
    run: (call) => {
      const [type, predicate] = ['type', 'predicate'].map((name) => call.args.get(name)?.[0]?.value);
      return run(call, optionsOf(algorithm, call.args), { type, predicate });
    },
  };
}

/** Throws `invalid_request` for what an argument can't be. */
function optionsOf(algorithm: Algorithm, args: FunctionArguments): AlgorithmOptions {
  for (const [name, given] of args) {
    if (given.length > 1 && !REPEATED.has(name)) throw unfit(name, `it is given ${given.length} times`);
  }
  const one = (name: string): Term | undefined => args.get(name)?.[0];
  const iri = (name: string): string | undefined => {
    const term = one(name);
    return term === undefined ? undefined : iriOf(name, term);
  };
  for (const name of FILTERS) iri(name);
  const number = (name: string): number | undefined => {
    const term = one(name);
    return term === undefined ? undefined : numberOf(name, term);
  };
  return {
    algorithm,
    seeds: args.get('seed')?.map((term) => iriOf('seed', term)),
    damping: number('damping'),
    maxIters: number('max_iters'),
    tolerance: number('tolerance'),
    from: iri('from'),
    to: iri('to'),
    samples: number('samples'),
    randomSeed: number('random_seed'),
  };
}

function iriOf(name: string, term: Term): string {
  if (term.termType === 'NamedNode' && IRI_ARGUMENTS.has(name)) return term.value;
  throw unfit(name, `it is '${term.value}'; expected an IRI`);
}

function numberOf(name: string, term: Term): number {
  if (term.termType === 'Literal' && isNumber(term.datatype.value) && NUMERAL.test(term.value)) {
    const number = Number(term.value);
    if (Number.isFinite(number)) return number;
  }
  throw unfit(name, `it is '${term.value}'; expected a number`);
}

/** The library registers functions with every store; to read a number it needs none of what queries compute with. */
function isNumber(datatype: string): boolean {
  return INTEGER_TYPES.has(datatype) || ['decimal', 'double', 'float'].some((name) => datatype === XSD + name);
}

function unfit(name: string, why: string): SvcError {
  return new SvcError('invalid_request', `the argument '${name}' of a graph algorithm: ${why}`);
}
