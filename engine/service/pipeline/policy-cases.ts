/**
 * What the policy gate has to ask about a write, in the order in which it is judged: node by node, of each policy by policy.
 * Answers are found for many nodes of a policy at once, when the first of them is judged, so that a policy behind one that
 * refuses is never asked.
 */

import type { Stop } from '../../base/control.js';
import { getOrInsert } from '../../base/maps.js';
import type { ClaimedGraph, Claims } from '../../governance/claims.js';
import { isBareIri, type Policy } from '../../governance/policies.js';
import type { PolicyBook } from '../../governance/policy-book.js';
import type { Outcome } from '../../governance/verdicts.js';
import type { StagedWrite } from '../gates/gates.js';
import { judgedGraphs, touchedNodes } from './touched-nodes.js';

/** One policy and one node that it is about, in a graph. */
export interface PolicyCase {
  readonly policy: Policy;
  readonly target: string;
  /** The class that the policy is about. */
  readonly of: string;
  readonly graph: string;
}

/** A node in a graph. */
interface Touched {
  readonly target: string;
  readonly graph: string;
  readonly classes: readonly string[];
}

/** Nodes whose cases are at hand together: a policy is asked about as many at once. */
const NODES_AT_ONCE = 1000;

/** Every case of a write, with a way to its outcome. */
export function* policyCases(
  write: StagedWrite,
  book: PolicyBook,
  asked: { readonly claims: Claims; readonly stop: Stop },
): Generator<PolicyCase & { outcome(): Promise<Outcome> }> {
  const touched = judgedGraphs(write).flatMap(({ id, name: graph }) =>
    touchedNodes(write, id, (of) => book.has(of)).map(
      ({ node, classes }): Touched => ({ target: node.value, graph, classes }),
    ),
  );
  touched.sort((one, other) => byText(one.target, other.target));
  const graphs = new Graphs(write, asked);
  for (let from = 0, to = 0; from < touched.length; from = to) {
    to = endOfNode(touched, Math.min(from + NODES_AT_ONCE, touched.length));
    const cases = touched
      .slice(from, to)
      .flatMap(({ classes, ...place }) => book.about(classes).map((one): PolicyCase => ({ ...one, ...place })));
    cases.sort((one, other) => byText(one.target, other.target) || byText(one.policy.iri, other.policy.iri));
    const outcomes = new Outcomes(cases, graphs);
    for (const one of cases) yield { ...one, outcome: () => outcomes.of(one) };
  }
}

/** A node that is touched in several graphs is judged in all of them at once. */
function endOfNode(touched: readonly Touched[], wanted: number): number {
  let to = wanted;
  while (to < touched.length && touched[to]?.target === touched[to - 1]?.target) to++;
  return to;
}

class Graphs {
  readonly #open = new Map<string, Promise<ClaimedGraph>>();

  constructor(
    private readonly write: StagedWrite,
    private readonly asked: { readonly claims: Claims; readonly stop: Stop },
  ) {}

  async outcomesOf(policy: Policy, targets: readonly string[], graph: string): Promise<readonly Outcome[]> {
    const { claims, stop } = this.asked;
    const open = getOrInsert(this.#open, graph, () => claims.within(this.write.after, graph, stop));
    return claims.outcomesOf(policy, targets, await open);
  }
}

/** Of some cases, by policy and graph. */
class Outcomes {
  readonly #targets = new Map<Policy, Map<string, string[]>>();
  readonly #found = new Map<Policy, Map<string, ReadonlyMap<string, Outcome>>>();

  constructor(
    cases: readonly PolicyCase[],
    private readonly graphs: Graphs,
  ) {
    for (const { policy, target, graph } of cases) {
      const ofPolicy = getOrInsert(this.#targets, policy, () => new Map<string, string[]>());
      // The gate refuses a node that can't be named in a query when its turn comes.
      if (isBareIri(target)) getOrInsert(ofPolicy, graph, () => []).push(target);
    }
  }

  async of({ policy, target, graph }: PolicyCase): Promise<Outcome> {
    const ofPolicy = getOrInsert(this.#found, policy, () => new Map<string, ReadonlyMap<string, Outcome>>());
    let known = ofPolicy.get(graph);
    if (known === undefined) {
      const targets = this.#targets.get(policy)?.get(graph) ?? [];
      const outcomes = await this.graphs.outcomesOf(policy, targets, graph);
      known = new Map(targets.map((one, at) => [one, outcomes[at] as Outcome]));
      ofPolicy.set(graph, known);
    }
    return known.get(target) as Outcome;
  }
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
