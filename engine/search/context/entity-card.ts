/**
 * What an answer shows of an entity: its name, its types, and some of its facts, of ROOT at a time.
 *
 * Facts come by the IRIs of their predicates, then by value; or the most telling first: the one that was found, names and
 * descriptions, what distinguishes the entity, and last what says where it comes from.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { getOrInsert } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import { formatTerm } from '../../query/algebra/expression.js';
import { SVC_NS } from '../../query/registry/system-graphs.js';
import { PROV, RDF_NS, RDFS, type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { columnOf, decodeIds, idIn } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { idSet } from '../match/entity-set.js';
import { rowsOf } from '../match/substring-matcher.js';
import type { FactOrder } from './choices.js';

export interface EntityFact {
  readonly predicate: string;
  readonly value: Term;
}

export interface EntityCard {
  readonly iri: string;
  /** By the first of the label predicates that it has, of several values the smallest; null = it has none. */
  readonly label: string | null;
  /** IRIs, in order. */
  readonly types: readonly string[];
  /** The smallest `rdfs:comment`; null = it has none. */
  readonly comment: string | null;
  readonly facts: readonly EntityFact[];
  /** There are more. */
  readonly factsCapped: boolean;
}

export interface CardRequest {
  readonly time: TimeSlice;
  /** The first that an entity has gives its label. */
  readonly labels: readonly TermId[];
  readonly factsMax: number;
  readonly order: FactOrder;
  /** By entity the fact that was found. */
  readonly found?:
    | ReadonlyMap<TermId, { readonly predicate: TermId | null; readonly value: TermId | null }>
    | undefined;
}

const TYPE = terms.namedNode(`${RDF_NS}type`);
const COMMENT = terms.namedNode(`${RDFS}comment`);
/** Values that are decoded at a time. */
const VALUES_AT_ONCE = 4096;

/** By the entity's id the values of each of its predicates. */
type FactIds = Map<TermId, TermId[]>;

/** The cards of some entities, in their sequence. */
export function readCards(
  snapshot: StorageSnapshot,
  entities: readonly TermId[],
  request: CardRequest,
  control: Control,
): EntityCard[] {
  const facts = new Map<TermId, FactIds>(entities.map((id) => [id, new Map<TermId, TermId[]>()]));
  for (const { rows, s, p, o } of rowsOf(snapshot, idSet(entities), request.time)) {
    for (let row = 0; row < rows; row++) {
      getOrInsert(facts.get(idIn(s, row)) as FactIds, idIn(p, row), () => []).push(idIn(o, row));
    }
    throwIfStopped(control, 'the search');
  }
  const names = decodeIds(snapshot, entities);
  const reader = new CardReader(snapshot, request);
  return entities.map((id, at) => reader.card(id, (names[at] as Term).value, facts.get(id) as FactIds));
}

class CardReader {
  readonly #type: TermId | null;
  readonly #comment: TermId | null;
  readonly #labels: ReadonlySet<TermId>;
  readonly #predicates = new Map<TermId, string>();

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly request: CardRequest,
  ) {
    this.#type = snapshot.encode(TYPE);
    this.#comment = snapshot.encode(COMMENT);
    this.#labels = new Set(request.labels);
  }

  card(id: TermId, iri: string, facts: FactIds): EntityCard {
    const { facts: shown, capped } = this.#facts(id, facts);
    return {
      iri,
      label: this.#label(facts),
      types: this.#types(facts),
      comment: this.#text(facts, this.#comment),
      facts: shown,
      factsCapped: capped,
    };
  }

  #label(facts: FactIds): string | null {
    for (const predicate of this.request.labels) {
      const label = this.#text(facts, predicate);
      if (label !== null) return label;
    }
    return null;
  }

  #types(facts: FactIds): string[] {
    const ids = (this.#type === null ? undefined : facts.get(this.#type)) ?? [];
    return decodeIds(this.snapshot, ids)
      .filter(({ termType }) => termType === 'NamedNode')
      .map(({ value }) => value)
      .sort(compareCodePoints);
  }

  /** The smallest literal of a predicate. */
  #text(facts: FactIds, predicate: TermId | null): string | null {
    const ids = (predicate === null ? undefined : facts.get(predicate)) ?? [];
    const [first] = this.#smallest(ids, 1, (term) => term.termType === 'Literal');
    return first?.value ?? null;
  }

  #facts(id: TermId, facts: FactIds): { readonly facts: EntityFact[]; readonly capped: boolean } {
    const { factsMax, found } = this.request;
    const total = [...facts.values()].reduce((sum, { length }) => sum + length, 0);
    const shown: EntityFact[] = [];
    const first = this.request.order === 'telling' ? found?.get(id) : undefined;
    if (first?.value != null && first.predicate !== null && factsMax > 0) {
      const [value] = decodeIds(this.snapshot, [first.value]);
      shown.push({ predicate: this.#name(first.predicate), value: value as Term });
    }
    for (const predicate of this.#ordered([...facts.keys()])) {
      if (shown.length >= factsMax) break;
      const ids = facts.get(predicate) as TermId[];
      const left = predicate === first?.predicate ? ids.filter((value) => value !== first.value) : ids;
      for (const value of this.#smallest(left, factsMax - shown.length)) {
        shown.push({ predicate: this.#name(predicate), value });
      }
    }
    return { facts: shown, capped: total > shown.length };
  }

  #ordered(predicates: readonly TermId[]): TermId[] {
    const unknown = predicates.filter((id) => !this.#predicates.has(id));
    for (const [at, { value }] of decodeIds(this.snapshot, unknown).entries()) {
      this.#predicates.set(unknown[at] as TermId, value);
    }
    const isTelling = this.request.order === 'telling';
    const rankOf = (id: TermId): number => (isTelling ? this.#rank(id) : 0);
    return [...predicates].sort((a, b) => rankOf(a) - rankOf(b) || compareCodePoints(this.#name(a), this.#name(b)));
  }

  #rank(predicate: TermId): number {
    if (this.#labels.has(predicate) || predicate === this.#comment) return 0;
    if (predicate === this.#type) return 2;
    const name = this.#name(predicate);
    return [PROV, RDF_NS, SVC_NS].some((namespace) => name.startsWith(namespace)) || /[#/:]contentHash$/.test(name)
      ? 3
      : 1;
  }

  #name(predicate: TermId): string {
    return this.#predicates.get(predicate) ?? (decodeIds(this.snapshot, [predicate])[0] as Term).value;
  }

  /** The first of some values in the order of their texts. */
  #smallest(ids: readonly TermId[], limit: number, isWanted: (term: Term) => boolean = () => true): Term[] {
    let kept: Term[] = [];
    for (let from = 0; from < ids.length; from += VALUES_AT_ONCE) {
      const some = ids.slice(from, from + VALUES_AT_ONCE);
      kept.push(...this.snapshot.decode(columnOf(some), some.length).filter(isWanted));
      kept = kept.sort(compareValues).slice(0, limit);
    }
    return kept;
  }
}

/** How an answer writes a value as text: a blank node with `_:` before its label. */
export function valueText(term: Term): string {
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  return term.termType === 'Quad' ? formatTerm(term) : term.value;
}

function compareValues(a: Term, b: Term): number {
  return compareCodePoints(valueText(a), valueText(b)) || compareCodePoints(formatTerm(a), formatTerm(b));
}
