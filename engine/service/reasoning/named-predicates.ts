/**
 * Which predicates of rows some rules name, by the ids of predicates, and which graphs are companions: each id is decoded once, so that
 * a write which touches no rule opens no snapshot for that. Ids of terms that came with a write that was dropped may come to mean others: then all is forgotten.
 */

import { isCompanion } from '../../query/registry/system-graphs.js';
import type { Term } from '../../rdf/terms.js';
import type { RuleSet } from '../../reason/rules/rule-sets.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { decodeIds, lookInto } from '../../storage/seam/rows.js';
import type { ChangedRows } from '../../storage/seam/scan.js';
import { premisesOf } from './premise-graph.js';
import type { ReasoningStage } from './reasoning-stage.js';

/** A store may have any number of predicates and graphs; beyond so many the ids are looked at again. */
const KNOWN_MAX = 65_536;

export class NamedPredicates {
  #set: RuleSet | null = null;
  #drops = 0;
  #iris: ReadonlySet<string> = new Set();
  /** The IRI of each that rules name, null for another. */
  readonly #known = new Map<TermId, string | null>();
  /** The IRI of the premises of each graph that is a companion, null for another. */
  readonly #premises = new Map<TermId, string | null>();

  /** The graph of the premises of a companion by its IRI; null for a graph that is none. */
  premisesOf({ stage, drops }: ReasoningStage, set: RuleSet, graph: TermId): string | null {
    if (graph === ROOT_ID) return null;
    this.#refresh(set, drops);
    let known = this.#premises.get(graph);
    if (known === undefined) {
      const [term] = lookInto(stage.snapshot(), (snapshot) => decodeIds(snapshot, [graph])) as [Term];
      known = isCompanion(term.value) ? premisesOf(term.value) : null;
      this.#premises.set(graph, known);
    }
    return known;
  }

  /** Of the predicates of some rows those that rules name, by id. */
  of({ stage, drops }: ReasoningStage, set: RuleSet, batches: Iterable<ChangedRows>): ReadonlyMap<TermId, string> {
    this.#refresh(set, drops);
    const ids = new Set<TermId>();
    for (const { rows, columns } of batches) {
      const { p } = columns;
      for (let row = 0; row < rows; row++) {
        if (row > 0 && p[2 * row] === p[2 * row - 2] && p[2 * row + 1] === p[2 * row - 1]) continue;
        ids.add(idOfHalves(p[2 * row] as number, p[2 * row + 1] as number));
      }
    }
    const unknown = [...ids].filter((id) => !this.#known.has(id));
    if (unknown.length > 0) {
      const terms = lookInto(stage.snapshot(), (snapshot) => decodeIds(snapshot, unknown));
      for (const [at, { value }] of terms.entries()) {
        this.#known.set(unknown[at] as TermId, this.#iris.has(value) ? value : null);
      }
    }
    const named = new Map<TermId, string>();
    for (const id of ids) {
      const iri = this.#known.get(id) ?? null;
      if (iri !== null) named.set(id, iri);
    }
    return named;
  }

  #refresh(set: RuleSet, drops: number): void {
    const isFull = this.#known.size + this.#premises.size > KNOWN_MAX;
    if (set === this.#set && drops === this.#drops && !isFull) return;
    this.#set = set;
    this.#drops = drops;
    this.#iris = new Set(set.rules.flatMap(({ head, body }) => [head, ...body].map(({ predicate }) => predicate)));
    this.#known.clear();
    this.#premises.clear();
  }
}
