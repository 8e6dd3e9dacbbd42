/**
 * What the registry says, read once and kept while it does not change:
 *
 *  1. A book shows one state of the registry. Its parts are read when somebody asks; until then they cost nothing.
 *  2. `catalogTx` of a snapshot says whether the registry has changed. If so, the newest book takes the rows that changed,
 *     and forgets what was made of them; nothing else is read again.
 *  3. Books of the past are made for the transaction that is asked about, and a few are kept.
 *  4. Views of a stage have books of their own, which nobody keeps.
 *
 * A book is used between two turns of the event loop: whoever takes it keeps what it says, not the book.
 */

import { BoundedMap } from '../../base/bounded-map.js';
import { getOrInsert } from '../../base/maps.js';
import { terms } from '../../rdf/terms.js';
import { type Instant, ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { idIn } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';
import { ascending, BookPart, type RowChange } from './book-part.js';
import { DATASETS, type DatasetRow, includedGraphs } from './dataset-rows.js';
import { FORKS, type ForkRow } from './fork-rows.js';
import { CLASS, LIFECYCLE, PARENT, SOURCE } from './graph-rows.js';
import { type GraphLabels, LABELS, readLabels } from './label-rows.js';
import { HIDDEN, HIDDEN_TOMBSTONES, registryId, systemGraphIds } from './system-graphs.js';

/** Books of the past that are kept, and states that are too old for the newest book. */
const PAST_MAX = 4;
/** So many transactions a book is brought up to date by; beyond them it is read anew. */
const FOLLOWED_MAX = 16;
/** What is kept of scopes of requests, over all books. */
const SCOPES_MAX = 500;
const SCOPES_BYTES_MAX = 64 * 2 ** 20;
/** So many graphs are not looked up one by one. */
const MANY_GRAPHS = 64;
/** What is kept of questions to one book. */
const ANSWERS_MAX = 500;

const textOf = (text: string): string => text;

/** Each part is made, and read, with the first question to it. */
const PARTS = {
  classes: (time: TimeSlice) => new BookPart(CLASS, textOf, time),
  hidden: (time: TimeSlice) => new BookPart(HIDDEN, textOf, time),
  lifecycles: (time: TimeSlice) => new BookPart(LIFECYCLE, textOf, time),
  sources: (time: TimeSlice) => new BookPart(SOURCE, textOf, time),
  parents: (time: TimeSlice) => new BookPart(PARENT, textOf, time),
  labels: (time: TimeSlice) => new BookPart(LABELS, readLabels, time),
  datasets: (time: TimeSlice) =>
    new BookPart<Members>(DATASETS.predicate, (text) => toMembers(DATASETS.read(text)), time),
  forks: (time: TimeSlice) => new BookPart<ForkRow>(FORKS.predicate, (text) => FORKS.read(text), time),
};

type PartName = keyof typeof PARTS;
type PartNamed<Name extends PartName> = ReturnType<(typeof PARTS)[Name]>;

/** The graphs of a dataset; those that the store did not know are looked up again. */
interface Members {
  readonly iris: readonly string[];
  /** By their places; made when members are looked up one by one. */
  ids: (TermId | null)[];
  /** Those that are known, ascending, each once. */
  sorted: readonly TermId[];
  known: boolean;
}

function toMembers(row: DatasetRow | null): Members | null {
  if (row === null) return null;
  const iris = row.members.map(({ graph }) => graph);
  return { iris, ids: [], sorted: [], known: false };
}

export interface ResolvedGraphs {
  /** Where the rows come from; null = nowhere. */
  readonly graphs: GraphSet | null;
  /** The graphs that were named, as far as the store knows them; ascending. */
  readonly ids: readonly TermId[];
  /** Those of them that are registered. */
  readonly members: readonly TermId[];
  /** Members that are there because a request asked for what was derived as well; absent = it did not, or FROM beat it. */
  readonly companions?: readonly TermId[] | undefined;
}

/** An answer with what it rests on. */
export interface KeptScope {
  readonly resolved: ResolvedGraphs;
  readonly catalogTx: number;
  /** Null = nothing but the registry. */
  readonly tx: number | null;
  /** By the clock: half-open; null = any time. */
  readonly between: readonly [Instant, Instant] | null;
}

export class GraphBook {
  readonly #time: TimeSlice;
  readonly #parts = new Map<PartName, PartNamed<PartName>>();
  #answers = new BoundedMap<unknown>(ANSWERS_MAX);
  /** The transaction whose registry it shows. */
  #catalogTx: TxId;
  /** The newest transaction of which is known that the book shows its registry. */
  #seenTx: TxId;
  /** Another number when it says something else than before. */
  revision = 0;

  constructor(snapshot: StorageSnapshot, time: TimeSlice = CURRENT) {
    this.#time = time;
    this.#catalogTx = snapshot.catalogTx;
    this.#seenTx = snapshot.tx;
  }

  get catalogTx(): TxId {
    return this.#catalogTx;
  }

  /** Whether a graph is registered by a row, or since it holds facts at a time. */
  isRegistered(snapshot: StorageSnapshot, graph: TermId, time: TimeSlice): boolean {
    if (this.hasRow(snapshot, graph) || graph === ROOT_ID) return true;
    if (systemGraphIds(snapshot).includes(graph)) return graph !== registryId(snapshot);
    return !this.tombstones(snapshot).includes(graph) && holdsRows(snapshot, graph, time);
  }

  /** False also for ROOT, and for a graph that is known by its facts. */
  hasRow(snapshot: StorageSnapshot, graph: TermId): boolean {
    return this.#part('classes').has(snapshot, graph);
  }

  /** Those of some graphs that have no row, ROOT aside; a long list is compared with all rows, read at once. */
  rowless(snapshot: StorageSnapshot, graphs: readonly TermId[]): readonly TermId[] {
    const classes = this.#part('classes');
    if (graphs.length > MANY_GRAPHS) classes.load(snapshot);
    return graphs.filter((graph) => graph !== ROOT_ID && !classes.has(snapshot, graph));
  }

  isOverlay(snapshot: StorageSnapshot, graph: TermId): boolean {
    return this.#part('classes').get(snapshot, graph) === 'overlay';
  }

  parentOf(snapshot: StorageSnapshot, graph: TermId): string | null {
    return this.#part('parents').get(snapshot, graph);
  }

  /** Under which name the store is attached that a frozen graph lies in. */
  sourceOf(snapshot: StorageSnapshot, graph: TermId): string | null {
    return this.#part('sources').get(snapshot, graph);
  }

  isFrozen(snapshot: StorageSnapshot, graph: TermId): boolean {
    return this.#part('lifecycles').has(snapshot, graph);
  }

  /** Neither bound by a free GRAPH nor an overlay nor frozen: what an import has set aside. */
  isQuarantine(snapshot: StorageSnapshot, graph: TermId): boolean {
    if (!this.#part('hidden').has(snapshot, graph) || this.isFrozen(snapshot, graph)) return false;
    return !this.isOverlay(snapshot, graph);
  }

  /** Ascending, as all lists of graphs. */
  frozen(snapshot: StorageSnapshot): readonly TermId[] {
    return this.#subjects(snapshot, 'lifecycles');
  }

  /** Graphs that a free GRAPH never binds, as far as rows say so. */
  hidden(snapshot: StorageSnapshot): readonly TermId[] {
    return this.#subjects(snapshot, 'hidden');
  }

  registered(snapshot: StorageSnapshot): readonly TermId[] {
    return this.#subjects(snapshot, 'classes');
  }

  labels(snapshot: StorageSnapshot, graph: TermId): GraphLabels | null {
    return this.#part('labels').get(snapshot, graph);
  }

  /** Of every graph that has any. */
  allLabels(snapshot: StorageSnapshot): Iterable<readonly [graph: TermId, labels: GraphLabels]> {
    return this.#part('labels').entries(snapshot);
  }

  /** To be called before labels of many graphs are asked for, one by one. */
  prepareLabels(snapshot: StorageSnapshot): void {
    this.#part('labels').prepare(snapshot);
  }

  /** The members of a dataset that the store knows, by the order of their ids, and whether it knows all; null = there is none. */
  dataset(
    snapshot: StorageSnapshot,
    name: string,
  ): { readonly ids: readonly TermId[]; readonly whole: boolean } | null {
    const part = this.#part('datasets');
    const subject = snapshot.encode(DATASETS.nodeOf(name));
    const members = subject === null ? null : part.get(snapshot, subject);
    if (members === null) return null;
    if (!members.known && !takeIncluded(members, includedGraphs(snapshot, name, this.#time)))
      findMembers(snapshot, members);
    return { ids: members.sorted, whole: members.known };
  }

  fork(snapshot: StorageSnapshot, name: string): ForkRow | null {
    const subject = snapshot.encode(FORKS.nodeOf(name));
    return subject === null ? null : this.#part('forks').get(snapshot, subject);
  }

  /** The graphs of what overlays take away: nobody reads them but by their IRIs. */
  tombstones(snapshot: StorageSnapshot): readonly TermId[] {
    return this.answer('tombstones', () => {
      const hidden = [...this.#part('hidden').entries(snapshot)];
      return ascending(hidden.flatMap(([graph, why]) => (why === HIDDEN_TOMBSTONES.value ? graph : [])));
    });
  }

  /** What is made of the book, kept as long as it says the same. */
  answer<Value>(question: string, make: () => Value): Value {
    const known = this.#answers.use(question);
    if (known !== undefined) return known as Value;
    const made = make();
    this.#answers.set(question, made);
    return made;
  }

  /** Makes it a book of a later state. */
  follow(snapshot: StorageSnapshot): void {
    const { tx, catalogTx } = snapshot;
    if (catalogTx > this.#catalogTx) {
      if (catalogTx - this.#seenTx > FOLLOWED_MAX) this.#parts.clear();
      else if (this.#parts.size > 0) {
        const changes = changesSince(snapshot, this.#seenTx);
        for (const part of this.#parts.values()) part.follow(snapshot, changes);
      }
      this.#answers = new BoundedMap(ANSWERS_MAX);
      this.#catalogTx = catalogTx;
      this.revision++;
    }
    this.#seenTx = Math.max(this.#seenTx, tx);
  }

  #subjects(snapshot: StorageSnapshot, name: PartName): readonly TermId[] {
    return this.answer(`subjects of ${name}`, () => this.#part(name).subjects(snapshot));
  }

  #part<Name extends PartName>(name: Name): PartNamed<Name> {
    return getOrInsert(this.#parts, name, () => PARTS[name](this.#time)) as PartNamed<Name>;
  }
}

export class GraphBooks {
  #newest: GraphBook | null = null;
  readonly #past = new BoundedMap<GraphBook>(PAST_MAX);
  readonly #staged = new WeakMap<StorageSnapshot, GraphBook>();
  /** What was made of the books, with what it rests on. */
  readonly scopes = new BoundedMap<KeptScope>(SCOPES_MAX, SCOPES_BYTES_MAX);

  /** `clock`: for what expires; the system's unless a store brings its own. */
  constructor(readonly clock: () => Instant = systemClock) {}

  /** What the registry of a snapshot says now. */
  now(snapshot: StorageSnapshot): GraphBook {
    if (snapshot.staged) return getOrInsert(this.#staged, snapshot, () => new GraphBook(snapshot));
    this.#newest ??= new GraphBook(snapshot);
    const newest = this.#newest;
    if (newest.catalogTx > snapshot.catalogTx) {
      return this.#pastBook(`state ${snapshot.catalogTx}`, () => new GraphBook(snapshot));
    }
    newest.follow(snapshot);
    return newest;
  }

  /** What it said at the transaction that is asked about. */
  at(snapshot: StorageSnapshot, time: TimeSlice): GraphBook {
    const now = this.now(snapshot);
    if (!('tx' in time) || time.tx >= now.catalogTx) return now;
    const slice: TimeSlice = { kind: 'asOf', tx: time.tx };
    if (snapshot.staged) return new GraphBook(snapshot, slice);
    return this.#pastBook(`as of ${time.tx}`, () => new GraphBook(snapshot, slice));
  }

  #pastBook(name: string, make: () => GraphBook): GraphBook {
    let book = this.#past.use(name);
    if (book === undefined) {
      book = make();
      this.#past.set(name, book);
    }
    return book;
  }
}

function systemClock(): Instant {
  return Math.floor(Date.now() / 1000);
}

/** What transactions after one did to the registry. */
function changesSince(snapshot: StorageSnapshot, since: TxId): RowChange[] {
  const registry = registryId(snapshot);
  const changes: RowChange[] = [];
  if (registry === null) return changes;
  for (let tx = since + 1; tx <= snapshot.catalogTx; tx++) {
    for (const { op, rows, columns } of snapshot.changes(tx, registry)) {
      for (let row = 0; row < rows; row++) {
        if (idIn(columns.g, row) !== registry) continue;
        changes.push({ op, s: idIn(columns.s, row), p: idIn(columns.p, row), o: idIn(columns.o, row) });
      }
    }
  }
  return changes;
}

/** The ids of all members at once, where the meta graph says of each that it is one. */
function takeIncluded(members: Members, included: readonly TermId[]): boolean {
  if (included.length !== members.iris.length) return false;
  members.sorted = included;
  members.known = true;
  return true;
}

/** Looks up the members one by one, by their IRIs. */
function findMembers(snapshot: StorageSnapshot, members: Members): void {
  if (members.ids.length === 0) members.ids = members.iris.map(() => null);
  const { iris, ids } = members;
  let found = 0;
  for (const [at, iri] of iris.entries()) {
    if (ids[at] !== null) continue;
    ids[at] = snapshot.encode(terms.namedNode(iri));
    if (ids[at] !== null) found++;
  }
  if (found > 0) members.sorted = ascending(new Set(ids.filter((id) => id !== null)));
  members.known = !ids.includes(null);
}

/** True when a graph has rows at a time; reads no more of them than it takes to say so. */
export function holdsRows(snapshot: StorageSnapshot, graph: TermId, time: TimeSlice): boolean {
  const request = { graphs: { kind: 'one', graph }, pattern: {}, time } as const;
  const { rows, exact } = snapshot.estimate(request);
  if (exact) return rows > 0;
  const cursor = snapshot.scan({ ...request, columns: [], unordered: true });
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      if ((batch.selection?.length ?? batch.rows) > 0) return true;
    }
    return false;
  } finally {
    cursor.close();
  }
}
