/**
 * Rules over a store of their case, in a process of its own, CPU milliseconds: computing alone (the least of some runs), a run that
 * writes, a load of as many facts, and writes with rules that follow them.
 */

import { runRules } from '../../engine/reason/evaluate/run-rules.js';
import { ruleSetOf } from '../../engine/reason/rules/rule-sets.js';
import { ROOT_ID } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import { RULE_CASES, type RuleCase, triplesOf, turtleOf } from './rule-cases.js';

export interface RulesTask {
  readonly task: 'reason-rules';
  /** Its place in the list. */
  readonly at: number;
  readonly rounds: number;
}

export interface RuleFigures {
  readonly derived: number;
  /** By what was measured. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Bytes of pairs and indexes for each derived fact, at the end of a run. */
  readonly bytesEach: number;
}

const EX = 'http://example.org/';
const MEMORY = 8 * 2 ** 30;

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function leastOf(rounds: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await cpuOf(work));
  return least;
}

export async function measureRules({ at, rounds }: RulesTask): Promise<RuleFigures> {
  const one = RULE_CASES[at] as RuleCase;
  const path = scratchPath('rules.svc');
  const cpuMs: Record<string, number> = {};
  const store = await openStore(path);
  await store.load({ text: triplesOf(one), format: 'ntriples' });
  await store.close();
  const { derived, bytesEach } = await computeIn(path, one, rounds, cpuMs);
  const written = await openStore(path);
  const request = { rules: turtleOf(one.rules), prefix: EX };
  const options = { memoryBytes: MEMORY };
  cpuMs['run and write'] = await cpuOf(() => written.reason(request, options));
  cpuMs['run, nothing to write'] = await leastOf(2, () => written.reason(request, options));
  cpuMs['load of as many'] = await loadOfAsMany(written);
  await written.close();
  removeStore(path);
  await follow(one, cpuMs);
  return { derived, cpuMs, bytesEach };
}

async function computeIn(path: string, one: RuleCase, rounds: number, cpuMs: Record<string, number>) {
  const engine = await openLmdbEngine(path);
  const snapshot = engine.snapshot();
  const { rules, strata } = await ruleSetOf([{ turtle: turtleOf(one.rules), name: 'rules' }], EX);
  let derived = 0;
  let bytes = 0;
  cpuMs.compute = await leastOf(rounds, () => {
    const owners = new Map<number, number>();
    const limits = { check: () => undefined, memoryBytes: MEMORY };
    const run = { snapshot, graph: ROOT_ID, companion: null, rules, strata, owners, limits };
    ({ derived, bytes } = runRules(run));
  });
  snapshot.close();
  await engine.close();
  return { derived, bytesEach: bytes / Math.max(1, derived) };
}

/** The derived facts as a document, into an empty store. */
async function loadOfAsMany(store: Store): Promise<number> {
  const lines: string[] = [];
  const answer = await store.select('SELECT ?s ?p ?o FROM <urn:svc:graph:root#inferred> { ?s ?p ?o }');
  for await (const [s, p, o] of answer.rows()) lines.push(`<${s?.value}> <${p?.value}> <${o?.value}> .`);
  const text = lines.join('\n');
  const path = scratchPath('as-many.svc');
  const other = await openStore(path);
  const used = await cpuOf(() => other.load({ text, format: 'ntriples' }));
  await other.close();
  removeStore(path);
  return used;
}

function firstEdge(one: RuleCase): readonly [number, number] {
  let found: readonly [number, number] | null = null;
  one.edges((predicate, from, to) => {
    if (predicate === 'edge') found ??= [from, to];
  });
  return found ?? [0, 0];
}

/** Writes of one edge, and of a fact that no rule looks at, with the rules stored and followed. */
async function follow(one: RuleCase, cpuMs: Record<string, number>): Promise<void> {
  const path = scratchPath('follow.svc');
  const store = await openStore(path, { features: ['reactive-reasoner'] });
  await store.load({ text: triplesOf(one), format: 'ntriples' });
  const container = `<${EX}set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .\n`;
  await store.loadShapes('rules', turtleOf(one.rules) + container);
  // What the evaluation has written becomes runs now, and not while something is measured.
  await store.fold();
  const node = (name: string) => terms.namedNode(EX + name);
  const [from, to] = firstEdge(one);
  const edge = terms.quad(node(`n${from}`), node('edge'), node(`n${to}`));
  const leaf = terms.quad(node('n5'), node('edge'), node('leaf'));
  const other = (at: number) => terms.quad(node(`m${at}`), node('note'), node('n'));
  const rounds = 3;
  cpuMs['assert an edge to a new leaf'] = await leastOf(rounds, async () => {
    await store.transact({ assert: [leaf] });
    await store.transact({ retract: [leaf] });
  });
  let at = 0;
  cpuMs['a write of another predicate'] =
    (await cpuOf(async () => {
      for (; at < 200; at++) await store.transact({ assert: [other(at)] });
    })) / 200;
  cpuMs['retract the first edge'] = await cpuOf(() => store.transact({ retract: [edge] }));
  cpuMs['assert it again'] = await cpuOf(() => store.transact({ assert: [edge] }));
  await store.close();
  const plain = await openStore(path);
  cpuMs['the same without rules'] =
    (await cpuOf(async () => {
      for (; at < 400; at++) await plain.transact({ assert: [other(at)] });
    })) / 200;
  await plain.close();
  removeStore(path);
}
