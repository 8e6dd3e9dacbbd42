/** The part of the benchmark that measures rules, with other engines beside it. */
import { type Answer, coresFor, isError, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import type { Table } from '../harness/table.js';
import type { BenchOptions } from '../options.js';
import type { RuleFigures } from './measure-rules.js';
import { RULE_CASES, type RuleCase } from './rule-cases.js';
import { measureRulePeers, type PeerFigures } from './rule-peers.js';

interface Measured {
  readonly name: string;
  readonly figures: RuleFigures;
  /** By peer, of those that were asked and are there. */
  readonly peers: Readonly<Record<string, PeerFigures>>;
}

export async function measureAllRules(options: BenchOptions): Promise<{ tables: Table[]; results: Measured[] }> {
  const results: Measured[] = [];
  const peers: ReturnType<typeof measureRulePeers> = options.peers
    ? measureRulePeers(RULE_CASES, options.runs)
    : new Map();
  for (const [at, one] of RULE_CASES.entries()) {
    const task = { task: 'reason-rules', at, rounds: options.runs };
    const answer: Answer<RuleFigures> = await measureApart(task, coresFor(options.cpus, 1));
    if (isError(answer)) console.error(`${one.name}: ${answer.error}`);
    else results.push({ name: one.name, figures: answer, peers: Object.fromEntries(peers.get(one as RuleCase) ?? []) });
  }
  const rows = results.flatMap(({ name, figures }) =>
    Object.entries(figures.cpuMs).map(([what, ms]) => [name, what, String(figures.derived), show(ms)]),
  );
  const bytes = results.map(({ name, figures }) => [
    name,
    'bytes a fact',
    String(figures.derived),
    show(figures.bytesEach),
  ]);
  const table = {
    title: 'Rules',
    note: 'CPU milliseconds; computing: the least of the runs. Bytes a fact: of pairs and indexes, at the end of a run.',
    columns: ['case', 'what', 'derived', 'ms'],
    rows: [...rows, ...bytes],
  };
  return { tables: [table, besidePeers(results)], results };
}

function besidePeers(results: readonly Measured[]): Table {
  const names = [...new Set(results.flatMap(({ peers }) => Object.keys(peers)))];
  return {
    title: 'Rules beside other engines',
    note: 'CPU milliseconds of computing, the least of the runs; in brackets how many times faster svc is. *: another number of facts.',
    columns: ['case', 'derived', 'svc', ...names],
    rows: results.map(({ name, figures: { derived, cpuMs }, peers }) => [
      name,
      String(derived),
      show(cpuMs.compute),
      ...names.map((peer) => besideOne(peers[peer], derived, cpuMs.compute as number)),
    ]),
  };
}

/** A cell: what a peer took, how many times that is what svc took, and whether it found as many facts. */
export function besideOne(peer: PeerFigures | undefined, derived: number, ms: number): string {
  if (peer === undefined) return '-';
  return `${show(peer.cpuMs)} (${show(peer.cpuMs / ms)}x)${peer.found === derived ? '' : ` * ${peer.found}`}`;
}
