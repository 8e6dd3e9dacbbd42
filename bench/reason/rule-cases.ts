/** Graphs and rules whose results have a known size: closures of three shapes, a join of two recursions, and negation. */

/** What of it peers that have no language of rules compute, each by a program of its own. */
export type RuleProgram = 'closure' | 'generation' | 'negation';

export interface RuleCase {
  readonly name: string;
  readonly program: RuleProgram;
  readonly rules: readonly string[];
  /** Pairs of numbers by predicate. */
  edges(take: (predicate: string, from: number, to: number) => void): void;
}

const CLOSURE = ['base: reach(?x, ?y) :- edge(?x, ?y)', 'step: reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z)'];
/** A second recursive rule, which never matches: the closure is one no more that is recognised. */
const BY_HASH = [...CLOSURE, 'other: reach(?x, ?z) :- reach(?x, ?y), none(?y, ?z)'];

function chain(take: (predicate: string, from: number, to: number) => void): void {
  for (let at = 0; at < 1999; at++) take('edge', at, at + 1);
}

/** 6,000 edges among 1,500 nodes, most of which reach each other. */
function random(take: (predicate: string, from: number, to: number) => void): void {
  let seed = 42;
  const next = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * 1500);
  };
  for (let at = 0; at < 6000; at++) take('edge', next(), next());
}

/** 131,072 nodes, two children each. */
function tree(take: (predicate: string, from: number, to: number) => void): void {
  for (let node = 1; node < 2 ** 17; node++) take('edge', (node - 1) >> 1, node);
}

/** Three children each: all pairs of one depth. */
function family(take: (predicate: string, from: number, to: number) => void): void {
  for (let node = 1; node < 1400; node++) take('edge', Math.floor((node - 1) / 3), node);
}

function nodesOfChain(take: (predicate: string, from: number, to: number) => void): void {
  chain(take);
  for (let at = 0; at < 2000; at++) take('node', at, at);
}

export const RULE_CASES: readonly RuleCase[] = [
  { name: 'closure of a chain of 2,000', program: 'closure', rules: CLOSURE, edges: chain },
  { name: 'closure of a random graph', program: 'closure', rules: CLOSURE, edges: random },
  { name: 'closure of a tree', program: 'closure', rules: CLOSURE, edges: tree },
  { name: 'chain, by hash', program: 'closure', rules: BY_HASH, edges: chain },
  { name: 'random, by hash', program: 'closure', rules: BY_HASH, edges: random },
  { name: 'tree, by hash', program: 'closure', rules: BY_HASH, edges: tree },
  {
    name: 'same generation',
    program: 'generation',
    rules: [
      'base: same(?x, ?y) :- edge(?p, ?x), edge(?p, ?y)',
      'step: same(?x, ?y) :- same(?p, ?q), edge(?p, ?x), edge(?q, ?y)',
    ],
    edges: family,
  },
  {
    name: 'negation: pairs of a chain that do not reach',
    program: 'negation',
    rules: [...CLOSURE, 'apart: apart(?x, ?y) :- node(?x, ?x), node(?y, ?y), not reach(?x, ?y)'],
    edges: nodesOfChain,
  },
];

const EX = 'http://example.org/';

/** As Turtle; each line is `name: head :- body`. */
export function turtleOf(rules: readonly string[]): string {
  const lines = rules.map((line) => {
    const [, name, head, body] = /^(\w+): (.*) :- (.*)$/.exec(line) ?? [];
    return `<${EX}rules/${name}> a rule:Rule ; rule:id "${name}" ; rule:head "${head}" ; rule:body "${body}" .`;
  });
  return `@prefix rule: <http://svc.local/rule#> .\n${lines.join('\n')}\n`;
}

export function triplesOf(one: RuleCase): string {
  const lines: string[] = [];
  one.edges((predicate, from, to) => lines.push(`<${EX}n${from}> <${EX}${predicate}> <${EX}n${to}> .`));
  return lines.join('\n');
}
