/**
 * Facts of some graphs as an explanation looks for its premises in them: by predicate, in the order of their texts, so that
 * the first match is the smallest. What is read is bounded by a check once a batch and by the memory of the ids.
 *
 * A long list is not decoded whole where less will do: what other atoms ask of the same variable narrows it by ids first, and
 * of what is left the smallest entry is given before the rest is sorted.
 */

import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { OPEN, payloadOf, TAG, type TermId, type TxId, tagOf } from '../../storage/ids/layout.js';
import { columnOf, patternOf, readRows } from '../../storage/seam/rows.js';
import {
  BATCH_ROWS,
  type Column,
  type GraphSet,
  type NumberRange,
  type StorageSnapshot,
  type TimeSlice,
} from '../../storage/seam/scan.js';
import { MEMORY_BYTES_MAX, type WorkLimits } from '../evaluate/meter.js';

export interface FactIds {
  readonly s: TermId;
  readonly p: TermId;
  readonly o: TermId;
}

/** A predicate, and what else is known of a fact. */
export interface FactPattern {
  readonly s?: TermId | undefined;
  readonly p: TermId;
  readonly o?: TermId | undefined;
}

/** Only facts whose term at a place also stands at another place of a fact of a pattern. */
export interface Narrowing {
  readonly place: 's' | 'o';
  readonly pattern: FactPattern;
  readonly at: 's' | 'o';
}

/** A fact with the texts of its subject and object. */
type WithTexts = readonly [FactIds, string, string];

/** Lists up to this length are read and sorted as they are. */
const FEW = 64;
/** Of an id in a list, with its fact. */
const BYTES_PER_FACT = 120;

/** Facts as texts, to compare them and to tell them apart. */
export function factKey({ s, p, o }: FactIds): string {
  return `${s} ${p} ${o}`;
}

/** What facts are ordered by: of an IRI itself, of the rest as N-Triples write it. */
export function orderText(term: Term): string {
  return term.termType === 'NamedNode' ? term.value : termToString(term);
}

export class FactReader {
  /** `accepts`: only rows that such a transaction opened. */
  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly graphs: GraphSet,
    private readonly time: TimeSlice,
    private readonly limits: WorkLimits,
    private readonly accepts?: (tx: TxId) => boolean,
  ) {}

  has(fact: FactIds): boolean {
    this.limits.check();
    for (const _ of this.#rows(fact)) return true;
    return false;
  }

  encode(term: Term): TermId | null {
    return this.snapshot.encode(term);
  }

  decode(ids: readonly TermId[]): Term[] {
    return this.snapshot.decode(columnOf(ids), ids.length);
  }

  /** The facts of a pattern, unordered; one that several rows show may come several times. */
  all(pattern: FactPattern, narrowings: readonly Narrowing[] = []): FactIds[] {
    const found: FactIds[] = [];
    for (const fact of this.#narrowed(pattern, narrowings)) {
      found.push(fact);
      if (found.length % BATCH_ROWS === 0) this.#checkMemory(found.length);
    }
    return found;
  }

  /** Each once, ordered by the texts of subject and object; the first costs less than the rest. */
  *inOrder(pattern: FactPattern, narrowings: readonly Narrowing[] = []): Generator<FactIds> {
    const facts = this.all(pattern, narrowings);
    let before: FactIds | null = null;
    if (facts.length > BATCH_ROWS) {
      before = this.#least(facts, pattern);
      yield before;
    }
    for (const [fact] of [...this.#withTexts(facts)].sort(compare)) {
      if (before !== null && fact.s === before.s && fact.o === before.o) continue;
      before = fact;
      yield fact;
    }
  }

  /** Of many facts that differ in one place: of terms whose numbers have the order of their texts only the first is decoded. */
  #least(facts: readonly FactIds[], pattern: FactPattern): FactIds {
    const place = pattern.s === undefined ? 's' : 'o';
    const single = pattern.s !== undefined || pattern.o !== undefined;
    const ranges = single ? this.snapshot.orderedTerms() : [];
    const firsts = new Map<number, FactIds>();
    const rest: FactIds[] = [];
    for (const fact of facts) {
      const id = fact[place];
      const at = tagOf(id) === TAG.iri ? rangeOf(ranges, Number(payloadOf(id))) : -1;
      if (at < 0) rest.push(fact);
      else if (id < (firsts.get(at)?.[place] ?? OPEN)) firsts.set(at, fact);
    }
    let least: WithTexts | null = null;
    for (const one of this.#withTexts([...firsts.values(), ...rest])) {
      if (least === null || compare(one, least) < 0) least = one;
    }
    return (least as WithTexts)[0];
  }

  *#withTexts(facts: readonly FactIds[]): Generator<WithTexts> {
    for (let from = 0; from < facts.length; from += BATCH_ROWS) {
      this.limits.check();
      const part = facts.slice(from, from + BATCH_ROWS);
      const decoded = this.decode(part.flatMap(({ s, o }) => [s, o]));
      for (const [at, fact] of part.entries()) {
        yield [fact, orderText(decoded[2 * at] as Term), orderText(decoded[2 * at + 1] as Term)];
      }
    }
  }

  *#narrowed(pattern: FactPattern, narrowings: readonly Narrowing[]): Generator<FactIds> {
    const rows = this.#estimate(pattern);
    const sized = narrowings.map((one) => ({ one, rows: this.#estimate(one.pattern) }));
    const [smallest] = sized.sort((a, b) => a.rows - b.rows);
    if (rows <= FEW || smallest === undefined) {
      yield* this.#rows(pattern);
      return;
    }
    const wanted = this.#valuesOf(smallest.one);
    const { place } = smallest.one;
    if (wanted.size <= FEW) {
      for (const id of wanted) yield* this.#rows({ ...pattern, [place]: id });
    } else {
      for (const fact of this.#rows(pattern)) if (wanted.has(fact[place])) yield fact;
    }
  }

  #valuesOf({ pattern, at }: Narrowing): Set<TermId> {
    const values = new Set<TermId>();
    for (const fact of this.#rows(pattern)) {
      values.add(fact[at]);
      if (values.size % BATCH_ROWS === 0) this.#checkMemory(values.size);
    }
    return values;
  }

  #estimate(pattern: FactPattern): number {
    return this.snapshot.estimate({ graphs: this.graphs, pattern: patternOf(pattern), time: this.time }).rows;
  }

  *#rows(ids: FactPattern): Generator<FactIds> {
    const { graphs, time, accepts } = this;
    const columns: readonly Column[] = accepts === undefined ? ['s', 'o'] : ['s', 'o', 'txFrom'];
    for (const batch of readRows(this.snapshot, { graphs, pattern: patternOf(ids), time, columns })) {
      this.limits.check();
      for (let row = 0; row < batch.rows; row++) {
        if (accepts?.(batch.tx('txFrom', row) as TxId) === false) continue;
        yield { s: batch.id('s', row), p: ids.p, o: batch.id('o', row) };
      }
    }
  }

  #checkMemory(facts: number): void {
    const max = this.limits.memoryBytes ?? MEMORY_BYTES_MAX;
    if (facts * BYTES_PER_FACT <= max) return;
    throw new SvcError('query_complexity', `the explanation needs more than ${Math.round(max / 2 ** 20)} MiB`, {
      hint: 'raise query.memory_budget_mb, or ask for less depth',
    });
  }
}

/** The place of the range that holds a number; -1 = none does. */
function rangeOf(ranges: readonly NumberRange[], number: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle] as NumberRange).to <= number) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && (ranges[low] as NumberRange).from <= number ? low : -1;
}

function compare(a: WithTexts, b: WithTexts): number {
  return compareCodePoints(a[1], b[1]) || compareCodePoints(a[2], b[2]);
}
