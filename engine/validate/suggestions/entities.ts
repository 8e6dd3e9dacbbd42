/**
 * Entities that could stand where one of a class is wanted: those with the likest label or local name, ties by
 * IRI. Entities of a class are decoded once for a report, and of a large class some only.
 */

import { getOrInsert } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import { termKey } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { ClassTree } from '../data/class-tree.js';
import type { DataGraph } from '../data/data-graph.js';
import { type IdSet, part } from '../data/id-columns.js';
import { PathValues, startsOf } from '../data/path-values.js';
import { type ComparisonBudget, comparedText, localName } from '../likeness.js';
import { RDFS_LABEL } from '../shapes/vocabulary.js';

/** A proposal in a result: what would have been valid in place of the value. */
export interface Alternative {
  readonly kind: string;
  readonly value: string;
  readonly score?: number;
  readonly instead_of?: string;
}

const ENTITIES_MAX = 10;
/** Entities of a class that are compared; beyond it, those of the lowest ids. */
const COMPARED_MAX = 10_000;

interface Entity {
  readonly iri: string;
  /** Labels and local name, as they are compared. */
  readonly names: readonly string[];
}

export class EntitySuggestions {
  readonly paths: PathValues;
  readonly #classes: ClassTree;
  readonly #known = new Map<string, Entity[]>();
  /** By class and value: the same value is often wrong many times. */
  readonly #answers = new Map<string, readonly Alternative[]>();

  /** Values beyond the budget get entities by IRI. */
  constructor(
    private readonly view: DataGraph,
    private readonly budget: ComparisonBudget,
  ) {
    this.paths = new PathValues(view);
    this.#classes = new ClassTree(view);
  }

  like(type: Term, value: Term | null): Alternative[] {
    const key = `${type.value} ${value === null ? '' : termKey(value)}`;
    const found = getOrInsert(this.#answers, key, () => this.#find(type, value));
    return [...found];
  }

  #find(type: Term, value: Term | null): Alternative[] {
    const entities = this.#entities(type);
    if (value === null || this.budget.isSpent) {
      return entities.slice(0, ENTITIES_MAX).map(({ iri }) => ({ kind: 'entity', value: iri }));
    }
    const wanted = this.#namesOf(value);
    const scored = entities.map(({ iri, names }) => ({ iri, score: this.#best(wanted, names) }));
    scored.sort((a, b) => b.score - a.score || compareCodePoints(a.iri, b.iri));
    return scored.slice(0, ENTITIES_MAX).map(({ iri, score }) => ({ kind: 'entity', value: iri, score }));
  }

  #best(wanted: readonly string[], names: readonly string[]): number {
    let score = 0;
    for (const one of wanted) {
      for (const name of names) {
        if (this.budget.isSpent) return score;
        score = Math.max(score, this.budget.likeness(one, name));
      }
    }
    return score;
  }

  #entities(type: Term): readonly Entity[] {
    let found = this.#known.get(type.value);
    if (found === undefined) {
      const nodes = this.#classes.instances(this.view.idOf(type), COMPARED_MAX);
      found = this.#describe(part(nodes, 0, Math.min(nodes.count, COMPARED_MAX)));
      found.sort((a, b) => compareCodePoints(a.iri, b.iri));
      this.#known.set(type.value, found);
    }
    return found;
  }

  #describe(nodes: IdSet): Entity[] {
    const labels = this.view.objectsAnywhere(nodes, this.view.idOf(RDFS_LABEL));
    const starts = startsOf(labels, nodes.count);
    const texts = this.view.decode(labels.ids, labels.count).map(({ value }) => value);
    const terms = this.view.decode(nodes.ids, nodes.count);
    return terms.flatMap((term, row): Entity[] => {
      if (term.termType !== 'NamedNode') return [];
      const names = [...texts.slice(starts[row], starts[row + 1]), localName(term.value)];
      return [{ iri: term.value, names: names.map(comparedText) }];
    });
  }

  #namesOf(value: Term): string[] {
    if (value.termType === 'Literal') return [comparedText(value.value)];
    if (value.termType !== 'NamedNode') return [];
    return this.#describe(this.view.idsOf([value])).flatMap(({ names }) => names);
  }
}
