/**
 * Joins an input, or one constant subject, with several patterns of the same subject: `?s :name ?n ; :age ?a`.
 *
 *  1. The distinct subjects of an input batch, each with each predicate, are the keys of one probe in SPOG order,
 *     where the rows of a subject lie side by side: a block is read once for all patterns.
 *  2. The objects that it finds go into lists, by subject and predicate (`kernels/as/star-rows.ts`).
 *  3. A kernel makes rows of the lists: numbers of an input row and of an object for each pattern, which are then gathered
 *     column by column.
 *
 * A pattern may be optional, or ask for one object or for ranges of them. Rows come by subject within each
 * input batch, so that an input sorted by it stays so.
 */

import { KernelInput, threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import { highOf, lowOf } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import {
  BATCH_ROWS,
  type IdColumn,
  type IdRange,
  type ProbeCursor,
  type StorageSnapshot,
} from '../../../storage/seam/scan.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import { gather, gatherOrUnbound } from '../../runtime/gather.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import {
  countBlocks,
  type KeyFilter,
  type Operator,
  PENDING,
  type Work,
  WorkOperator,
} from '../../runtime/operator.js';
import { GatheredInput } from '../scan/gathered-input.js';
import { KeyOrder } from '../scan/key-order.js';
import type { ScanSpec } from '../scan/scan.js';

export interface StarLeg {
  readonly scan: ScanSpec;
  /** `optional`: rows without it come, too, with an unbound object; `exists`: rows come once, however many objects there are. */
  readonly need: 'required' | 'optional' | 'exists';
  readonly label: string;
}

const NEEDS = { required: 0, optional: 1, exists: 2 } as const;

/** Legs are patterns with a constant predicate; where one of two that share it tests its objects, they are no star (`isStar`). */
export interface StarSpec {
  readonly subject:
    | { readonly kind: 'key'; readonly variable: string }
    | { readonly kind: 'constant'; readonly id: TermId };
  /** At least one. Graphs and time are the same in all. */
  readonly legs: readonly StarLeg[];
}

/** The predicates of a star stand in the sequence of their ids. */
interface Predicates {
  readonly ids: readonly TermId[];
  /** What objects of a predicate have to lie in; null = anything. */
  readonly tests: readonly (readonly IdRange[] | null)[];
}

/** Words of the head and of a leg, as the kernel has them. */
const HEAD_WORDS = 12;
const LEG_WORDS = 4;
const SUBJECTS = 0;
const ROW_STARTS = 4;
const SUBJECT = 7;
/** Batches of a probe that one step takes. */
const BATCHES_PER_STEP = 8;
const NOTHING: QueryBatch = { rows: 1, columns: [] };

const subjectInput = new KernelInput(2 * BATCH_ROWS);
const keyInput = new KernelInput(BATCH_ROWS);
const objectInput = new KernelInput(2 * BATCH_ROWS);

export function predicateOf({ scan }: Pick<StarLeg, 'scan'>): TermId {
  return (scan.request.pattern.p as { readonly id: TermId }).id;
}

function testOf({ scan }: StarLeg): readonly IdRange[] | null {
  const { o } = scan.request.pattern;
  if (o === undefined) return null;
  return o.kind === 'ranges' ? o.ranges : [{ from: o.id, to: o.id + 1n }];
}

/** Of the legs of kept plans. */
const known = new WeakMap<readonly StarLeg[], Predicates | null>();

/** Null when two legs of one predicate want different things of its objects. */
function predicatesOf(legs: readonly StarLeg[]): Predicates | null {
  let predicates = known.get(legs);
  if (predicates === undefined) {
    predicates = findPredicates(legs);
    known.set(legs, predicates);
  }
  return predicates;
}

function findPredicates(legs: readonly StarLeg[]): Predicates | null {
  const tests = new Map<TermId, readonly IdRange[] | null>();
  for (const leg of legs) {
    const [id, test] = [predicateOf(leg), testOf(leg)];
    if (tests.has(id) && (test !== null || tests.get(id) !== null)) return null;
    tests.set(id, test);
  }
  const ids = [...tests.keys()].sort((a, b) => (a < b ? -1 : 1));
  return { ids, tests: ids.map((id) => tests.get(id) ?? null) };
}

/** Whether legs can be looked up together. Other constants in the same plan may say otherwise. */
export function isStar({ legs }: StarSpec): boolean {
  return predicatesOf(legs) !== null;
}

export class StarJoinOperator extends WorkOperator {
  private readonly rowsIn: GatheredInput | null;
  private readonly predicates: Predicates;
  private readonly keyColumn: number;
  /** Legs whose objects are wanted, by the columns that they add. */
  private readonly shown: readonly number[];
  private readonly capacity: number;
  private readonly order = new KeyOrder();
  private readonly keys = new KernelColumns(2, BATCH_ROWS);
  private readonly list = new KernelColumns(1);
  private readonly made: KernelColumns;
  private cursor: ProbeCursor | null = null;
  /** One range of kernel memory: head and legs, then what they point to. */
  private area: Uint32Array | null = null;
  private areaBytes = 0;
  private state: Uint32Array = new Uint32Array(0);
  private outputs: readonly Int32Array[] = [];
  private predicatesAt = 0;
  private testsAt = 0;
  private startsAt = 0;

  constructor(
    input: Operator | null,
    private readonly snapshot: StorageSnapshot,
    private readonly spec: StarSpec,
    private readonly budget: MemoryBudget,
  ) {
    const before = input?.variables ?? [];
    const added = spec.legs.map((leg) => addedBy(leg, before));
    super([...before, ...added.filter((name) => name !== null)], input === null ? [] : [input]);
    this.rowsIn = input === null ? null : new GatheredInput(input);
    this.predicates = predicatesOf(spec.legs) as Predicates;
    this.keyColumn = spec.subject.kind === 'key' ? before.indexOf(spec.subject.variable) : -1;
    this.shown = spec.legs.flatMap((_, leg) => (added[leg] === null ? [] : [leg]));
    this.capacity = batchRowsFor(this.variables.length);
    this.made = new KernelColumns(this.variables.length, this.capacity);
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected *work(): Work<void, QueryBatch> {
    // A constant subject has one row, once.
    if (this.rowsIn === null) return yield* this.join(NOTHING);
    for (const step of this.rowsIn.batches()) {
      if (step === PENDING) yield PENDING;
      else yield* this.join(step);
    }
  }

  private *join(left: QueryBatch): Work<void, QueryBatch> {
    this.area ??= this.layOut();
    this.cursor ??= this.open();
    const { area, capacity, cursor, order, predicates } = this;
    if (this.keyColumn >= 0) order.set([left.columns[this.keyColumn] as IdColumn], left.rows);
    area[ROW_STARTS] = this.keyColumn < 0 || order.identity ? 0 : order.startsAt;
    area[ROW_STARTS + 1] = order.orderAt;
    const subjects = this.keyColumn >= 0 ? order.count : 1;
    const atOnce = Math.max(1, Math.floor(BATCH_ROWS / predicates.ids.length));
    for (let done = 0; done < subjects; done += atOnce) {
      const taken = Math.min(subjects - done, atOnce);
      this.lookUp(area, cursor, subjects, done, taken);
      yield* this.read(cursor, taken);
      for (let rows = capacity; rows === capacity; ) {
        rows = threadMemory().kernels.starRows(area.byteOffset, capacity);
        yield rows > 0 ? { rows, columns: this.gathered(left, rows) } : PENDING;
      }
    }
  }

  private open(): ProbeCursor {
    const { graphs, time } = (this.spec.legs[0] as StarLeg).scan.request;
    return this.snapshot.probe({ graphs, pattern: {}, order: 'SPOG', time, keys: ['s', 'p'], columns: ['o'] });
  }

  /** Begins with the subjects from `done` on. */
  private lookUp(area: Uint32Array, cursor: ProbeCursor, subjects: number, done: number, taken: number): void {
    const { keys, order, predicatesAt, spec } = this;
    const width = this.predicates.ids.length;
    keys.reserve(taken * width);
    const [toSubjects, toPredicates] = keys.columns as [IdColumn, IdColumn];
    const { kernels } = threadMemory();
    const isConstant = spec.subject.kind === 'constant';
    const from = isConstant
      ? predicatesAt + 8 * width
      : subjectInput.addressOf(order.keys[0] as IdColumn, 2 * subjects);
    kernels.crossKeys(from, done, taken, predicatesAt, width, toSubjects.byteOffset, toPredicates.byteOffset);
    cursor.begin(keys.columns, taken * width);
    this.state.fill(0);
    area[SUBJECTS] = taken;
    area[ROW_STARTS + 2] = done;
    area[SUBJECT] = 0;
    area[SUBJECT + 1] = 0;
    for (let leg = 0; leg < spec.legs.length; leg++) area[HEAD_WORDS + LEG_WORDS * leg + 3] = 0;
  }

  /** Reads all objects of the subjects at hand into the list. */
  private *read(cursor: ProbeCursor, taken: number): Work {
    const { snapshot, statistics } = this;
    for (let batches = 1; ; batches++) {
      const found = countBlocks(snapshot, statistics, () => cursor.next());
      if (found === null) break;
      if (found.rows > 0) this.append(found.keys, found.rows, found.columns.o as IdColumn, 0);
      if (batches % BATCHES_PER_STEP === 0) yield PENDING;
    }
    this.append(NO_KEYS, 0, NO_KEYS, taken * this.predicates.ids.length);
  }

  private append(keys: Uint32Array, rows: number, objects: IdColumn, end: number): void {
    const { list, state, testsAt, startsAt } = this;
    const filled = state[0] as number;
    if (filled + rows > list.capacity) this.enlarge(filled + rows, filled);
    const keysAt = keyInput.addressOf(keys, rows);
    const objectsAt = objectInput.addressOf(objects, 2 * rows);
    const listAt = (list.columns[0] as IdColumn).byteOffset;
    const width = this.predicates.ids.length;
    const { kernels } = threadMemory();
    kernels.appendObjects(keysAt, rows, objectsAt, testsAt, width, listAt, startsAt, state.byteOffset, end);
  }

  private enlarge(rows: number, filled: number): void {
    const { list, budget } = this;
    const capacity = Math.max(16, rows, list.capacity > 0 && rows > BATCH_ROWS ? 2 * list.capacity : rows);
    budget.take(8 * capacity);
    const before = list.capacity;
    list.resize(capacity, filled);
    budget.give(8 * before);
  }

  /** Columns of the rows that the kernel made. Input columns whose rows come once each, in sequence, are handed on as they are. */
  private gathered(left: QueryBatch, rows: number): readonly IdColumn[] {
    const [inputRows, ...places] = this.outputs as [Int32Array, ...Int32Array[]];
    this.made.reserve(rows);
    const whole = rows === left.rows && threadMemory().kernels.isSequence(inputRows.byteOffset, rows) === 1;
    const columns: IdColumn[] = [];
    for (let column = 0; column < left.columns.length; column++) {
      const from = left.columns[column] as IdColumn;
      const to = this.made.columns[column] as IdColumn;
      if (!whole) gather(from, inputRows, rows, to);
      columns.push(whole ? from : to);
    }
    const objects = this.list.columns[0] as IdColumn;
    for (const place of places) {
      const to = this.made.columns[columns.length] as IdColumn;
      gatherOrUnbound(objects, place, rows, to);
      columns.push(to);
    }
    return columns;
  }

  /** Takes the kernel memory of the star and writes what stays as it is. */
  private layOut(): Uint32Array {
    const { predicates, spec, shown, capacity } = this;
    const width = predicates.ids.length;
    const headWords = HEAD_WORDS + LEG_WORDS * spec.legs.length;
    const rangeWords = predicates.tests.reduce((sum, test) => sum + (test === null ? 0 : 2 + 4 * test.length), 0);
    const idWords = 2 * (width + 1);
    const wordCount = headWords + idWords + rangeWords + width + 2 + (BATCH_ROWS + 1) + capacity * (1 + shown.length);
    this.areaBytes = 4 * wordCount;
    const area = threadWords(threadMemory().allocate(this.areaBytes), wordCount);
    const addressOf = (word: number): number => area.byteOffset + 4 * word;
    let at = headWords;
    this.predicatesAt = addressOf(at);
    const constant = spec.subject.kind === 'constant' ? spec.subject.id : 0n;
    for (const id of [...predicates.ids, constant]) at = writeId(area, at, id);
    const tests: number[] = [];
    for (const test of predicates.tests) {
      tests.push(test === null ? 0 : addressOf(at));
      if (test === null) continue;
      area[at] = test.length;
      at += 2;
      for (const { from, to } of test) at = writeId(area, writeId(area, at, from), to);
    }
    this.testsAt = addressOf(at);
    area.set(tests, at);
    at += width;
    this.state = area.subarray(at, at + 2);
    at += 2;
    this.startsAt = addressOf(at);
    at += BATCH_ROWS + 1;
    const outputs: Int32Array[] = [];
    for (let output = 0; output <= shown.length; output++, at += capacity) {
      outputs.push(new Int32Array(area.buffer, addressOf(at), capacity));
    }
    this.outputs = outputs;
    area.set([0, width, spec.legs.length, this.startsAt, 0, 0, 0, 0, 0, (outputs[0] as Int32Array).byteOffset], 0);
    spec.legs.forEach((leg, index) => {
      const place = shown.indexOf(index);
      const out = place < 0 ? 0 : (outputs[1 + place] as Int32Array).byteOffset;
      const predicate = predicates.ids.indexOf(predicateOf(leg));
      area.set([predicate, NEEDS[leg.need], out, 0], HEAD_WORDS + LEG_WORDS * index);
    });
    return area;
  }

  override close(): void {
    super.close();
    this.cursor?.close();
    this.cursor = null;
    this.rowsIn?.release();
    this.order.release();
    this.keys.release();
    this.budget.give(8 * this.list.capacity);
    this.list.release();
    this.made.release();
    if (this.area !== null) threadMemory().free(this.area.byteOffset, this.areaBytes);
    this.area = null;
  }
}

const NO_KEYS = new Uint32Array(0);

/** The variable of a leg's objects, when rows did not have it before. */
function addedBy({ scan }: StarLeg, before: readonly string[]): string | null {
  return (
    scan.outputs.find(({ variable, position }) => position === 'o' && !before.includes(variable))?.variable ?? null
  );
}

function writeId(words: Uint32Array, at: number, id: bigint): number {
  words[at] = lowOf(id);
  words[at + 1] = highOf(id);
  return at + 2;
}
