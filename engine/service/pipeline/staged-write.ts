/** A write as gates and events see it: its snapshots are opened when somebody asks for them, closed before it goes on. */

import type {
  ChangeCounts,
  ChangesByGraph,
  LoadOptions,
  LoadSummary,
  StagedTransaction,
  TransactionOptions,
} from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { StageContext } from './maintainers.js';

export class StagedSnapshots {
  #before: StorageSnapshot | null = null;
  #after: StorageSnapshot | null = null;

  /** The store without the first transaction, and with the last. */
  constructor(
    private readonly first: StagedTransaction,
    private readonly last: StagedTransaction,
  ) {}

  get before(): StorageSnapshot {
    this.#before ??= this.first.before();
    return this.#before;
  }

  get after(): StorageSnapshot {
    this.#after ??= this.last.snapshot();
    return this.#after;
  }

  /** Closes those that were opened. */
  close(): void {
    this.#after?.close();
    this.#before?.close();
  }
}

/** What the write is, and what is known of it before the gates are asked. */
export interface AboutWrite {
  readonly kind: 'load' | 'transaction';
  readonly options: LoadOptions | TransactionOptions;
  /** What its first transaction opens and closes for the caller. */
  readonly counts: ChangeCounts;
  readonly registryState: number;
}

const NOBODY: readonly string[] = [];

/** All transactions of a write together, for the gates. */
export class JudgedWrite extends StagedSnapshots {
  readonly kind: AboutWrite['kind'];
  readonly options: AboutWrite['options'];
  readonly counts: ChangeCounts;
  readonly registryState: number;
  readonly summary: LoadSummary | null;
  readonly shapes: string | undefined;
  readonly chain: readonly string[];
  readonly #context: StageContext;

  constructor(context: StageContext, { kind, options, counts, registryState }: AboutWrite) {
    const { stage, control } = context;
    const [first, ...more] = stage.transactions as readonly [StagedTransaction, ...StagedTransaction[]];
    super(first, more.at(-1) ?? first);
    this.kind = kind;
    this.options = options;
    this.counts = more.length === 0 ? counts : more.reduce((sum, one) => addCounts(sum, one.counts), counts);
    this.registryState = registryState;
    this.summary = stage.loaded;
    this.shapes = control.shapes;
    this.chain = control.principal?.chain ?? NOBODY;
    this.#context = context;
  }

  get law(): StorageSnapshot {
    return this.before;
  }

  get isNarrowed(): boolean {
    return false;
  }

  get copies(): ReadonlySet<string> {
    return this.#context.registry.copies;
  }

  get changes(): ChangesByGraph {
    return this.#context.changes;
  }
}

const addCounts = (one: ChangeCounts, other: ChangeCounts): ChangeCounts => ({
  asserted: one.asserted + other.asserted,
  retracted: one.retracted + other.retracted,
});

/** The same as gates see it that judge who may read some graphs only. Its snapshots are closed with the write's own. */
export class NarrowedWrite implements Omit<JudgedWrite, 'close'> {
  readonly isNarrowed = true;
  #before: StorageSnapshot | null = null;
  #after: StorageSnapshot | null = null;

  constructor(
    private readonly write: JudgedWrite,
    private readonly narrow: (snapshot: StorageSnapshot) => StorageSnapshot,
  ) {}

  get before(): StorageSnapshot {
    this.#before ??= this.narrow(this.write.before);
    return this.#before;
  }

  get after(): StorageSnapshot {
    this.#after ??= this.narrow(this.write.after);
    return this.#after;
  }

  get law(): StorageSnapshot {
    return this.write.before;
  }

  get kind() {
    return this.write.kind;
  }

  get options() {
    return this.write.options;
  }

  get counts() {
    return this.write.counts;
  }

  get registryState() {
    return this.write.registryState;
  }

  get summary() {
    return this.write.summary;
  }

  get shapes() {
    return this.write.shapes;
  }

  get chain() {
    return this.write.chain;
  }

  get copies() {
    return this.write.copies;
  }

  get changes() {
    return this.write.changes;
  }
}
