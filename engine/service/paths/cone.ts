/**
 * Which steps of a trajectory what verified it rests on (semantics of reasoning, 11.2): those from which a verification that
 * could have failed is reached over facts of the derivation predicates.
 *
 *  1. One walk from all steps together finds what is reached from any of them within the hops, with the edges between.
 *  2. A walk back over these edges, from all verifications together, tells how near the nearest one is to each step.
 *
 * It is never decided by taking facts away and asking again: what hangs on a later artifact would survive that.
 */

import { SvcError } from '../../base/errors.js';
import type { InterruptLimits } from '../../base/interrupt.js';
import { compareCodePoints } from '../../base/text.js';
import { type Term, terms } from '../../rdf/terms.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type PredicateInput, toPredicate } from '../facts/entity.js';
import { EDGE_WORK } from '../facts/entity-walk.js';
import { outEdges } from '../facts/out-edges.js';
import { checkCount } from '../facts/paging.js';
import { FactLookups, type LookupLimits } from './fact-lookups.js';
import { isIri, knownTrajectory, noSteps, type PathWords, type Step, stepsOf, wordsOf } from './steps.js';
import type { ConeVerdict } from './verdicts.js';

export interface ConeOptions extends InterruptLimits {
  /** Derivation predicates besides `verifiedBy`. */
  readonly via?: readonly PredicateInput[] | undefined;
  /** Default 8. */
  readonly hops?: number | undefined;
  /** Namespace of the vocabulary; absent = that of the store. */
  readonly baseNs?: string | undefined;
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
}

export interface ConeStep {
  readonly iri: string;
  readonly order: number | null;
  readonly verdict: ConeVerdict;
  readonly reason: string;
}

export interface Cone {
  readonly trajectory: string;
  readonly hops: number;
  readonly verifications: readonly string[];
  readonly derivationPredicates: readonly string[];
  readonly steps: readonly ConeStep[];
}

const HOPS = 8;
const EDGE_BYTES = 64;
const NODE_BYTES = 128;
const OF_CONES = { what: 'the cone', instead: 'name fewer predicates in via, ask for fewer hops' };

export async function coneOf(
  snapshot: StorageSnapshot,
  trajectory: string,
  options: ConeOptions,
  baseNamespace: string,
): Promise<Cone> {
  const { via = [], hops = HOPS, baseNs, memoryBytes } = options;
  checkCount(hops, 'hops');
  const words = wordsOf(baseNs, baseNamespace);
  const derivation = [...new Set([...via.map((one) => toPredicate(one, 'via').value), words.of('verifiedBy')])];
  const limits = { pace: new Pace(options, 'the cone'), memory: new MemoryBound(memoryBytes, OF_CONES) };
  await limits.pace.turn();
  const facts = new FactLookups(snapshot, limits);
  const id = knownTrajectory(snapshot, trajectory, 'trajectory');
  const steps = (await stepsOf(facts, words, [id])).get(id) ?? [];
  if (steps.length === 0) throw noSteps(trajectory);
  const verifications = await verificationsOf(facts, words, steps);
  if (verifications.length === 0) {
    throw new SvcError('invalid_request', `trajectory has no falsifier-gated verification: ${trajectory}`, {
      hint: 'a step names a verification by verifiedBy, and the verification says by falsifier what would have failed it',
    });
  }
  const predicates = derivation.flatMap((iri) => snapshot.encode(terms.namedNode(iri)) ?? []);
  const reached = await edgesFrom(snapshot, steps, { predicates, hops, ...limits });
  const nearest = nearestOf(verifications, reached.edges, limits.memory);
  return {
    trajectory,
    hops,
    verifications: verifications.map(({ iri }) => iri),
    derivationPredicates: derivation,
    steps: steps.map((step) => judged(step, { reached, nearest, hops, derivation })),
  };
}

interface Verification {
  readonly id: TermId;
  readonly iri: string;
}

/** Of the steps in their order, each once; those of one step by IRI. */
async function verificationsOf(
  facts: FactLookups,
  words: PathWords,
  steps: readonly Step[],
): Promise<readonly Verification[]> {
  const of = await facts.valuesOf(
    steps.map(({ id }) => id),
    words.of('verifiedBy'),
  );
  const named = [...new Set([...of.values()].flat())].filter(isIri);
  const gated = [...(await facts.valuesOf(named, words.of('falsifier'))).keys()];
  const iris = decodeIds(facts.snapshot, gated);
  const known = new Map(gated.map((id, at) => [id, { id, iri: (iris[at] as Term).value }]));
  const found = new Set<Verification>();
  for (const { id } of steps) {
    const own = (of.get(id) ?? []).flatMap((one) => known.get(one) ?? []);
    for (const one of own.sort((a, b) => compareCodePoints(a.iri, b.iri))) found.add(one);
  }
  return [...found];
}

interface Reached {
  readonly edges: readonly (readonly [from: TermId, to: TermId])[];
  /** Those that have an edge of their own. */
  readonly sources: ReadonlySet<TermId>;
}

async function edgesFrom(
  snapshot: StorageSnapshot,
  steps: readonly Step[],
  { predicates, hops, pace, memory }: LookupLimits & { readonly predicates: readonly TermId[]; readonly hops: number },
): Promise<Reached> {
  const edges: [TermId, TermId][] = [];
  const known = new Set(steps.map(({ id }) => id));
  let level = [...known];
  // With 0 hops nothing is followed, and still the steps without any fact are told from the others.
  for (let depth = 1; depth <= Math.max(hops, 1) && level.length > 0; depth++) {
    const next: TermId[] = [];
    for (const batch of outEdges(snapshot, level, predicates)) {
      memory.hold(EDGE_BYTES * batch.length);
      for (const { from, to } of batch) {
        edges.push([level[from] as TermId, to]);
        if (known.has(to)) continue;
        known.add(to);
        next.push(to);
      }
      pace.check();
      if (pace.spend(EDGE_WORK * (batch.length + 1))) await pace.turn();
    }
    memory.hold(NODE_BYTES * next.length);
    level = next;
  }
  return { edges, sources: new Set(edges.map(([from]) => from)) };
}

interface Nearest {
  readonly depth: number;
  /** The least of them, by its IRI. */
  readonly verification: Verification;
}

/** How far each entity is from the nearest verification; of several that are equally near the least by IRI. */
function nearestOf(
  verifications: readonly Verification[],
  edges: readonly (readonly [from: TermId, to: TermId])[],
  memory: MemoryBound,
): ReadonlyMap<TermId, Nearest> {
  memory.hold(EDGE_BYTES * edges.length);
  const into = new Map<TermId, TermId[]>();
  for (const [from, to] of edges) {
    const known = into.get(to);
    if (known === undefined) into.set(to, [from]);
    else known.push(from);
  }
  const nearest = new Map<TermId, Nearest>();
  for (const one of verifications) nearest.set(one.id, { depth: 0, verification: one });
  let level = verifications.map(({ id }) => id);
  for (let depth = 1; level.length > 0; depth++) {
    const found = new Map<TermId, Verification>();
    for (const to of level) {
      const { verification } = nearest.get(to) as Nearest;
      for (const from of into.get(to) ?? []) {
        const before = found.get(from);
        if (nearest.has(from)) continue;
        if (before === undefined || compareCodePoints(verification.iri, before.iri) < 0) found.set(from, verification);
      }
    }
    for (const [id, verification] of found) nearest.set(id, { depth, verification });
    level = [...found.keys()];
  }
  return nearest;
}

interface Judging {
  readonly reached: Reached;
  readonly nearest: ReadonlyMap<TermId, Nearest>;
  readonly hops: number;
  readonly derivation: readonly string[];
}

function judged({ id, iri, order }: Step, { reached, nearest, hops, derivation }: Judging): ConeStep {
  if (!reached.sources.has(id)) {
    const reason = `has no fact whose value is an IRI of ${derivation.map((one) => `<${one}>`).join(', ')}`;
    return { iri, order, verdict: 'CannotEvaluate', reason };
  }
  const found = nearest.get(id);
  if (found === undefined || found.depth > hops) {
    return { iri, order, verdict: 'OutOfCone', reason: `reaches no verification within ${hops} hops` };
  }
  return { iri, order, verdict: 'InCone', reason: `reaches ${found.verification.iri} at depth ${found.depth}` };
}
