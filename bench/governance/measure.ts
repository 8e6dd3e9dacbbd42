/**
 * What policies cost, in a process of its own: small writes with the gate and without it in turns, each on a store that is
 * opened anew, and a backtest over a long log. CPU time throughout, since a commit waits for the disk.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '../../engine/base/errors.js';
import { Backtest } from '../../engine/service/governance/backtest.js';
import { readPolicy } from '../../engine/service/governance/policy-file.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { median } from '../harness/figures.js';
import { removeStore } from '../harness/scratch.js';

export interface GovernanceTask {
  readonly task: 'governance-writes';
  /** A store of facts, and the folder for copies of it. */
  readonly store: string;
  readonly folder: string;
  /** Which of `CASES`. */
  readonly at: number;
}

/** Milliseconds of the processor for each write. */
export interface GovernedWrites {
  readonly what: string;
  /** Medians over turns. */
  readonly plainMs: number;
  readonly judgedMs: number;
  /** The median of the differences of neighbours. */
  readonly moreMs: number;
}

export interface BacktestTask {
  readonly task: 'governance-backtest';
  readonly store: string;
  readonly transactions: number;
}

export interface BacktestCase {
  readonly what: string;
  readonly transactions: number;
  readonly hits: number;
  readonly cpuMs: number;
  readonly elapsedMs: number;
}

export const CLASSES = 20;
const BASE = 'http://svc.local/ontology/';
const EX = 'http://example.org/';
const QUADS = 20;
const TURNS = 8;
const WRITES = 40;
/** Writes before the measured ones: code is compiled well by then, as it is in a process that goes on. */
const WARM_UP = 150;
/** What policies want of the nodes that are written. */
const CLAIMS = [
  `ASK { $target <${EX}owner> ?o }`,
  `ASK { FILTER NOT EXISTS { $target <${EX}retired> ?o } }`,
  `ASK { $target <${EX}link> ?x . ?x <${EX}owner> ?o }`,
  `ASK { $target <${EX}port> ?port FILTER(?port >= 0) }`,
  `ASK { $target <http://www.w3.org/2000/01/rdf-schema#label> ?l FILTER(STRLEN(?l) > 3) }`,
];
/** What is asked of every transaction of the log. */
const BACKTESTED: readonly { readonly what: string; readonly claim: string }[] = [
  { what: 'one pattern', claim: `$target <${EX}owner> ?o` },
  {
    what: 'three patterns, FILTER, NOT EXISTS',
    claim: `$target a ?c . $target <${EX}link> ?l . ?l <${EX}link> ?n FILTER(STRLEN(STR(?n)) > 5) FILTER NOT EXISTS { ?n <${EX}retired> ?x }`,
  },
  {
    what: 'an aggregate',
    claim: `{ SELECT (COUNT(?o) AS ?n) { $target <${EX}owner> ?o } } FILTER(?n >= 1)`,
  },
  { what: 'a path of any length', claim: `$target <${EX}link>+ <${EX}node1>` },
  { what: 'GRAPH', claim: `GRAPH ?g { $target <${EX}owner> ?o }` },
];

export interface Case {
  readonly what: string;
  readonly policies: number;
  /** Policies are about classes of the data. */
  readonly isJudged: boolean;
  /** Nodes that the quads of a write are about. */
  readonly nodes: number;
  readonly signs: boolean;
}

export const CASES: readonly Case[] = [
  { what: '100 policies, 4 nodes', policies: 100, isJudged: true, nodes: 4, signs: false },
  { what: '100 policies, 20 nodes', policies: 100, isJudged: true, nodes: 20, signs: false },
  { what: '100 policies, 4 nodes, signed', policies: 100, isJudged: true, nodes: 4, signs: true },
  { what: '10,000 policies of other classes', policies: 10_000, isJudged: false, nodes: 4, signs: false },
];

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export async function measureGovernedWrites(task: GovernanceTask): Promise<{ cases: GovernedWrites[] }> {
  return { cases: [await measureCase(CASES[task.at] as Case, task.store, task.folder)] };
}

async function measureCase(one: Case, base: string, folder: string): Promise<GovernedWrites> {
  const path = join(folder, 'governed.svc');
  removeStore(path);
  copyFileSync(base, path);
  const keyPath = join(folder, 'governed.pem');
  const governance = { enforceOnWrite: true, ...(one.signs && { signing: { keyPath } }) };
  const first = await openStore(path);
  await first.load({ text: policiesOf(one), format: 'turtle' });
  await first.fold();
  await first.close();
  const updates = new Updates(one.nodes);
  const [plain, judged]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    plain.push(await measureTurn(path, {}, updates));
    judged.push(await measureTurn(path, { governance }, updates));
  }
  removeStore(path);
  const more = judged.map((ms, turn) => ms - (plain[turn] as number));
  return { what: one.what, plainMs: median(plain), judgedMs: median(judged), moreMs: median(more) };
}

async function measureTurn(path: string, options: Parameters<typeof openStore>[1], updates: Updates): Promise<number> {
  const store = await openStore(path, options);
  for (let done = 0; done < WARM_UP; done++) await store.update(updates.next());
  const before = cpuMs();
  for (let done = 0; done < WRITES; done++) await store.update(updates.next());
  const spent = cpuMs() - before;
  await store.close();
  return spent / WRITES;
}

function policiesOf({ policies, isJudged }: Case): string {
  const lines: string[] = [];
  for (let at = 0; at < policies; at++) {
    const of = `${EX}${isJudged ? 'Class' : 'Other'}${at % CLASSES}`;
    const claim = CLAIMS[Math.floor(at / CLASSES) % CLAIMS.length];
    lines.push(
      `<${EX}policy${at}> a <${BASE}Policy> ; <${BASE}boundary> "action" ; <${BASE}targets> "${of}" ; <${BASE}claim> "${claim}" .`,
    );
  }
  return lines.join('\n');
}

/** Of quads about new nodes, five each, or links of those that there are. */
class Updates {
  #next = 0;

  constructor(private readonly nodes: number) {}

  next(): string {
    const facts: string[] = [];
    for (let node = 0; node < this.nodes; node++) {
      const at = this.#next++;
      if (this.nodes === QUADS) facts.push(`<${EX}node${at}> <${EX}note> ${at}`);
      else facts.push(...linesAbout(`new${at}`, at));
    }
    return `INSERT DATA { ${facts.join(' . ')} }`;
  }
}

/** Five facts about a node, as SPARQL and Turtle write them. */
export function linesAbout(name: string, at: number): string[] {
  const s = `<${EX}${name}>`;
  return [
    `${s} a <${EX}Class${at % CLASSES}>`,
    `${s} <${EX}owner> <${EX}person${at % 1000}>`,
    `${s} <http://www.w3.org/2000/01/rdf-schema#label> "node ${at}"`,
    `${s} <${EX}port> ${at % 65_536}`,
    `${s} <${EX}link> <${EX}node${Math.floor(at / 2)}>`,
  ];
}

/** Every transaction of the log makes a node of the class, one of ten without what the policy wants. */
export async function makeLog(path: string, transactions: number): Promise<void> {
  const store = await openStore(path);
  const [type, of] = [terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), node('Class0')];
  const write = async (at: number): Promise<void> => {
    const owned = at % 10 === 0 ? [] : [terms.quad(node(`node${at}`), node('owner'), node('person'))];
    const link = terms.quad(node(`node${at}`), node('link'), node(`node${at >> 1}`));
    await store.transact({ assert: [terms.quad(node(`node${at}`), type, of), ...owned, link] });
  };
  for (let from = 0; from < transactions; from += 100) {
    await Promise.all(Array.from({ length: Math.min(100, transactions - from) }, (_, at) => write(from + at)));
  }
  await store.fold();
  await store.close();
}

const node = (name: string) => terms.namedNode(EX + name);

export async function measureBacktest({ store: path, transactions }: BacktestTask): Promise<{ cases: BacktestCase[] }> {
  await makeLog(path, transactions);
  const store = await openStore(path, { readOnly: true });
  const cases: BacktestCase[] = [];
  for (const { what, claim } of BACKTESTED) cases.push(await backtest(store, transactions, what, `ASK { ${claim} }`));
  await store.close();
  return { cases };
}

async function backtest(store: Store, to: number, what: string, claim: string): Promise<BacktestCase> {
  const turtle = `<${EX}policy> a <${BASE}Policy> ; <${BASE}boundary> "action" ; <${BASE}targets> "${EX}Class0" ; <${BASE}claim> "${claim}" .`;
  const policy = await readPolicy(turtle, store.baseNamespace);
  const request = { policy, from: 1, to, claimTimeoutMs: 30_000, budget: {}, asOf: 'refuse' } as const;
  const run = new Backtest(store, request, {});
  const [before, beganMs] = [cpuMs(), performance.now()];
  for await (const _ of run.hits());
  run.close();
  const { judged, hits } = run.figures;
  invariant(judged === to, 'every transaction touches the class');
  return { what, transactions: to, hits, cpuMs: cpuMs() - before, elapsedMs: performance.now() - beganMs };
}
