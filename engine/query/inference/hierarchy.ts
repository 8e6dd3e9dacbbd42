/**
 * The classes below a class: everything that reaches it over `rdfs:subClassOf` in ROOT, at the time of
 * the query; cycles are harmless. A class without subclasses costs one look at storage.
 *
 *  1. The first classes are looked up one by one, which is all that most hierarchies need.
 *  2. Beyond that, every `rdfs:subClassOf` is read once, sorted by the class above, and bisected.
 *
 * What a state of the store says is remembered, as long as nothing is written, by whoever keeps a
 * `ClassHierarchies`: states are told apart by their transaction, so it serves one store only.
 */

import { BoundedMap } from '../../base/bounded-map.js';
import { breathe } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { RDFS, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { decodeIds, readIds } from '../../storage/seam/rows.js';
import type {
  GraphSet,
  IdColumn,
  ScanPattern,
  ScanRequest,
  StorageSnapshot,
  TimeSlice,
} from '../../storage/seam/scan.js';
import type { ClassSet } from '../algebra/algebra.js';
import { formatTerm } from '../algebra/expression.js';
import { idAt } from '../runtime/ids.js';

/** A class that has others below it. */
export interface KnownClass extends ClassSet {
  /** IRIs of the proper subclasses (labels of blank nodes), by code point. */
  readonly subclasses: readonly string[];
}

const SUB_CLASS_OF = terms.namedNode(`${RDFS}subClassOf`);
const ROOT: GraphSet = { kind: 'one', graph: ROOT_ID };

/** Classes looked up one by one before all of `rdfs:subClassOf` is read. */
const SINGLE_LOOKUPS_MAX = 64;
/** Batches read, or classes found, between two looks at the deadline. */
const BATCHES_PER_TURN = 16;
const CLASSES_PER_TURN = 4096;
/** States (transaction and time) and classes of each that are remembered. */
const STATES_MAX = 4;
const CLASSES_MAX = 256;

/** What a walk does between two steps; throws when the query has to stop. */
export type CheckPoint = () => void;

interface State {
  readonly classes: BoundedMap<KnownClass | null>;
  relation: SubclassRelation | null;
}

export class ClassHierarchies {
  private readonly states = new BoundedMap<State>(STATES_MAX);

  /** The class with all below it; null when there is none below. */
  async below(snapshot: StorageSnapshot, time: TimeSlice, type: Term, check: CheckPoint): Promise<KnownClass | null> {
    const id = snapshot.encode(type);
    if (id === null) return null;
    const { classes } = this.stateOf(snapshot, time);
    const known = classes.use(`${id}`);
    if (known !== undefined) return known;
    const ids = await this.walk(snapshot, time, id, check);
    const found = ids === null ? null : describe(snapshot, type, id, ids);
    classes.set(`${id}`, found);
    return found;
  }

  private stateOf(snapshot: StorageSnapshot, time: TimeSlice): State {
    const key = `${snapshot.tx} ${JSON.stringify(time)}`;
    const known = this.states.use(key);
    if (known !== undefined) return known;
    const state = { classes: new BoundedMap<KnownClass | null>(CLASSES_MAX), relation: null };
    this.states.set(key, state);
    return state;
  }

  /** All ids, ascending; null when the class has no proper subclass. */
  private async walk(
    snapshot: StorageSnapshot,
    time: TimeSlice,
    type: TermId,
    check: CheckPoint,
  ): Promise<TermId[] | null> {
    const predicate = snapshot.encode(SUB_CLASS_OF);
    if (predicate === null || hasNoneBelow(snapshot, time, predicate, type)) return null;
    const state = this.stateOf(snapshot, time);
    const found = new Set([type]);
    const waiting = [type];
    for (let looked = 0; waiting.length > 0; looked++) {
      if (looked % CLASSES_PER_TURN === CLASSES_PER_TURN - 1) await takeTurn(check);
      const upper = waiting.pop() as TermId;
      if (looked >= SINGLE_LOOKUPS_MAX) state.relation ??= await readRelation(snapshot, time, predicate, check);
      const lower = state.relation?.below(upper) ?? readIds(snapshot, subclassScan(time, predicate, upper), 's');
      for (const id of lower) {
        if (found.has(id)) continue;
        found.add(id);
        waiting.push(id);
      }
    }
    return found.size === 1 ? null : [...found].sort((a, b) => (a < b ? -1 : 1));
  }
}

async function takeTurn(check: CheckPoint): Promise<void> {
  check();
  await breathe();
  check();
}

function subclassScan(time: TimeSlice, predicate: TermId, upper?: TermId): ScanRequest {
  const pattern = {
    p: { kind: 'id', id: predicate },
    ...(upper === undefined ? {} : { o: { kind: 'id', id: upper } }),
  };
  return { graphs: ROOT, pattern: pattern as ScanPattern, order: 'POSG', time, columns: ['s', 'o'] };
}

function hasNoneBelow(snapshot: StorageSnapshot, time: TimeSlice, predicate: TermId, upper: TermId): boolean {
  const pattern = { p: { kind: 'id', id: predicate }, o: { kind: 'id', id: upper } } as const;
  const { rows, exact } = snapshot.estimate({ graphs: ROOT, pattern, time });
  return rows === 0 && exact;
}

/** Every `rdfs:subClassOf`, sorted by the class above. */
class SubclassRelation {
  constructor(
    private readonly uppers: BigUint64Array,
    private readonly lowers: BigUint64Array,
  ) {}

  below(upper: TermId): TermId[] {
    let low = 0;
    let high = this.uppers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.uppers[middle] as bigint) < upper) low = middle + 1;
      else high = middle;
    }
    const found: TermId[] = [];
    for (; this.uppers[low] === upper; low++) found.push(this.lowers[low] as TermId);
    return found;
  }
}

async function readRelation(
  snapshot: StorageSnapshot,
  time: TimeSlice,
  predicate: TermId,
  check: CheckPoint,
): Promise<SubclassRelation> {
  const cursor = snapshot.scan(subclassScan(time, predicate));
  let uppers = new BigUint64Array(4096);
  let lowers = new BigUint64Array(4096);
  let count = 0;
  try {
    let batches = 0;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const { columns, selection } = batch;
      const rows = selection?.length ?? batch.rows;
      if (count + rows > uppers.length) [uppers, lowers] = [grown(uppers), grown(lowers)];
      for (let at = 0; at < rows; at++, count++) {
        const row = selection?.[at] ?? at;
        uppers[count] = idAt(columns.o as IdColumn, row);
        lowers[count] = idAt(columns.s as IdColumn, row);
      }
      if (++batches % BATCHES_PER_TURN === 0) await takeTurn(check);
    }
  } finally {
    cursor.close();
  }
  return new SubclassRelation(uppers.subarray(0, count), lowers.subarray(0, count));
}

function grown(array: BigUint64Array<ArrayBuffer>): BigUint64Array<ArrayBuffer> {
  // A batch is no longer than the array is at first, so doubling always makes room for one.
  const larger = new BigUint64Array(2 * array.length);
  larger.set(array);
  return larger;
}

function describe(snapshot: StorageSnapshot, type: Term, id: TermId, ids: readonly TermId[]): KnownClass {
  const proper = ids.filter((other) => other !== id);
  const names = decodeIds(snapshot, proper).map(nameOf);
  return { type, ids, subclasses: names.sort(compareCodePoints) };
}

function nameOf(term: Term): string {
  return term.termType === 'NamedNode' ? term.value : formatTerm(term);
}
