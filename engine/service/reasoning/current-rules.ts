/**
 * The rules and the axioms by which derived facts are explained: those that are stored now (ruling R71). Compiled once, and
 * again when other documents are stored.
 */

import { STORED_ONTOLOGIES } from '../../graphs/ontologies/stored-ontologies.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import type { AxiomIndex } from '../../reason/explain/match-axioms.js';
import type { Axioms } from '../../reason/owl/axioms.js';
import type { Rule } from '../../reason/rules/rule.js';
import { ruleSetOf } from '../../reason/rules/rule-sets.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { ranRule } from './ran-rules.js';
import { ruleDocuments } from './stored-documents.js';

interface Kept<Value> {
  readonly rows: readonly TermId[];
  readonly value: Value;
}

export class CurrentRules {
  #rules: Kept<ReadonlyMap<string, Rule>> | null = null;
  #axioms: Kept<AxiomIndex> | null = null;

  /** The rule of an id: the stored one, else the one that was run last under it over the graph; null = it is gone. */
  async rule(
    snapshot: StorageSnapshot,
    graph: string,
    id: string,
    { baseNamespace, signal }: { readonly baseNamespace: string; readonly signal?: AbortSignal | undefined },
  ): Promise<Rule | null> {
    const rows = STORED_SHAPES.ids(snapshot);
    if (this.#rules === null || !same(this.#rules.rows, rows)) {
      const { rules } = await ruleSetOf(ruleDocuments(snapshot), baseNamespace, signal);
      this.#rules = { rows, value: new Map(rules.map((rule) => [rule.id, rule])) };
    }
    return this.#rules.value.get(id) ?? ranRule(snapshot, graph, id);
  }

  /** The axioms of all loaded ontologies. */
  async axioms(snapshot: StorageSnapshot, signal?: AbortSignal): Promise<AxiomIndex> {
    const rows = STORED_ONTOLOGIES.ids(snapshot);
    if (this.#axioms !== null && same(this.#axioms.rows, rows)) return this.#axioms.value;
    const [{ AxiomIndex: Index }, { unionOf }, { readOntology }] = await Promise.all([
      import('../../reason/explain/match-axioms.js'),
      import('../../reason/owl/axioms.js'),
      import('../../graphs/ontologies/read-ontology.js'),
    ]);
    const parts: Axioms[] = [];
    for (const { name, turtle } of STORED_ONTOLOGIES.all(snapshot)) {
      parts.push((await readOntology(turtle, `the loaded ontology '${name}'`, signal)).axioms);
    }
    const value = new Index(unionOf(parts));
    this.#axioms = { rows, value };
    return value;
  }
}

function same(a: readonly TermId[], b: readonly TermId[]): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}
