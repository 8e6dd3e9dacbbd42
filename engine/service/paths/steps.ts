/**
 * Trajectories as facts of ROOT tell them (semantics of reasoning, 11.1): steps, each with its place. The vocabulary stands in
 * the namespace that the request names, or in that of the store.
 */

import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import type { Term } from '../../rdf/terms.js';
import { ROOT_ID, TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { entityText, knownEntity, toIri } from '../facts/entity.js';
import type { FactLookups } from './fact-lookups.js';

export interface Step {
  readonly id: TermId;
  readonly iri: string;
  /** Null = nothing says it. */
  readonly order: number | null;
}

/** Terms of the vocabulary, by their local names. */
export class PathWords {
  constructor(private readonly base: string) {}

  of(name: string): string {
    return this.base + name;
  }
}

/** The namespace of a request. */
export function wordsOf(baseNs: string | undefined, absent: string): PathWords {
  return new PathWords(baseNs === undefined ? absent : toIri(baseNs, 'base_ns').value);
}

/** A trajectory that a request names. */
export function knownTrajectory(snapshot: StorageSnapshot, iri: string, name: string): TermId {
  return knownEntity(snapshot, toIri(iri, name), ROOT_ID);
}

export function noSteps(iri: string): SvcError {
  return new SvcError('invalid_request', `trajectory has no steps: ${iri}`, {
    hint: 'its steps are the subjects of stepOf in the namespace of the request (base_ns)',
  });
}

/** The steps of each of some trajectories, by their order, then by IRI; those without an order last. */
export async function stepsOf(
  facts: FactLookups,
  words: PathWords,
  trajectories: readonly TermId[],
): Promise<ReadonlyMap<TermId, readonly Step[]>> {
  const found = await facts.subjectsOf(trajectories, words.of('stepOf'));
  const all = [...new Set([...found.values()].flat())];
  const orders = await facts.valuesOf(all, words.of('stepOrder'));
  const steps = new Map<TermId, Step>();
  const names = decodeIds(facts.snapshot, all);
  for (const [at, id] of all.entries()) {
    const said = decodeIds(facts.snapshot, orders.get(id) ?? []).flatMap((term) => orderOf(term) ?? []);
    steps.set(id, { id, iri: entityText(names[at] as Term), order: said.length === 0 ? null : Math.min(...said) });
  }
  return new Map(
    trajectories.map((id) => [id, (found.get(id) ?? []).map((step) => steps.get(step) as Step).sort(byPlace)]),
  );
}

/** An integer, or a string that is one. */
function orderOf({ termType, value }: Term): number | null {
  if (termType !== 'Literal' || !/^\s*[+-]?\d+\s*$/.test(value)) return null;
  const order = Number(value);
  return Number.isSafeInteger(order) ? order : null;
}

function byPlace(a: Step, b: Step): number {
  const [one, other] = [a.order ?? Number.POSITIVE_INFINITY, b.order ?? Number.POSITIVE_INFINITY];
  return one === other ? compareCodePoints(a.iri, b.iri) : one < other ? -1 : 1;
}

export function isIri(id: TermId): boolean {
  return tagOf(id) === TAG.iri;
}
