/** A store file as a primary that tells its changes, and as a follower that takes them. */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { Delta } from '../delta/delta.js';
import { UncommittedLayer } from '../delta/uncommitted-layer.js';
import { readEpoch } from '../dictionary/epoch.js';
import type { TxId } from '../ids/layout.js';
import { lastEventOf as lastOffsetOf } from '../indexes/last-event.js';
import { changesOf, type IndexChange } from '../indexes/secondary-index.js';
import { readHead } from '../indexes/vectors/vector-records.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { copyPagesTo } from '../lmdb/page-copy.js';
import { putRole, readRole } from '../lmdb/replication-role.js';
import { readStoreId } from '../lmdb/store-id.js';
import { decodeChanges } from '../log/changes.js';
import type { Head, Validity } from '../log/head.js';
import { LogChain, putChain } from '../log/log-chain.js';
import { LogReader } from '../log/log-reader.js';
import { encodeLogRecord } from '../log/record.js';
import { applyBeside } from '../replication/applied-beside.js';
import { checkChanges, checkContinues, eventsOf, rowsOf, validityOf } from '../replication/applied-change.js';
import { decodeBeside } from '../replication/beside-change.js';
import { readPlace, VectorDigest } from '../replication/beside-place.js';
import { StoreBesideTeller } from '../replication/beside-teller.js';
import { assertTellable, type ChangeView, eventsUpTo, lastEventOf, readChange } from '../replication/change-reader.js';
import { decodeShipped, encodeShipped, type ShippedChange } from '../replication/shipped-change.js';
import type { Manifest } from '../runs/manifest.js';
import { GroupedChanges } from '../seam/changes-by-graph.js';
import { unlessDamaged } from '../seam/findings.js';
import type {
  BesidePlace,
  BesideTeller,
  ChangesPiece,
  FollowedPlace,
  Replication,
  ReplicationRole,
  ReplicationState,
  TakeBytes,
} from '../seam/replication.js';
import type { StorageSnapshot } from '../seam/scan.js';
import { timeOf } from '../seam/transaction-times.js';
import type { SnapshotContext } from '../snapshot/context.js';
import type { CommitRecord, Committer } from './committer.js';
import { LARGE_ROWS, LARGE_TERM_BYTES, type RowsToPublish } from './publish-stage.js';

export interface ReplicationHost {
  readonly file: LmdbFile;
  readonly seed: readonly [bigint, bigint];
  readonly context: SnapshotContext;
  readonly committer: Committer;
  snapshot(): StorageSnapshot;
  assertOpen(): void;
  read<Result>(read: (manifest: Manifest, head: Head, transaction: ReadTransaction) => Result): Result;
  /** Nobody else writes until it settles. */
  publishing(rows: RowsToPublish): Promise<void>;
  /** Nobody else writes until `work` returns; when it throws, what it has applied to the delta is forgotten. */
  applying(
    work: (delta: Delta, snapshotAt: (tx: TxId, layer: UncommittedLayer) => StorageSnapshot) => Promise<void>,
  ): Promise<void>;
}

export class LmdbReplication implements Replication {
  readonly #host: ReplicationHost;
  readonly #chain: LogChain;
  readonly #digest = new VectorDigest();
  #role: ReplicationRole;

  constructor(host: ReplicationHost) {
    this.#host = host;
    this.#chain = new LogChain(host.file);
    this.#role = readRole(host.file);
  }

  /** Why the store is not to be written as a primary is; null = it may be. */
  get refusal(): SvcError | null {
    const { role, primary, epoch, fencedBy } = this.#role;
    const { path } = this.#host.file;
    if (role === 'follower') {
      const where = primary === null ? 'its primary' : primary;
      return new SvcError(
        'store_read_only',
        `${path} is a follower of ${where}: it is written there, and only read here`,
        {
          hint: `write to ${where}, or make this copy the primary with \`svc promote\``,
        },
      );
    }
    if (fencedBy === null) return null;
    const message = `${path} is the primary of epoch ${epoch}, and a follower was promoted to epoch ${fencedBy}: it writes no more`;
    return new SvcError('store_read_only', message, { hint: 'write to the new primary' });
  }

  state(): ReplicationState {
    const { file, seed } = this.#host;
    return this.#host.read((_, { lastTx, nextTermNumber }, transaction) => ({
      ...readRole(file, transaction),
      lineage: readStoreId(file, transaction) ?? '',
      numbering: readEpoch(file, seed),
      tx: lastTx,
      terms: nextTermNumber,
    }));
  }

  newest(): TxId {
    return this.#host.read((_, { lastTx }) => lastTx);
  }

  async hashAt(tx: TxId): Promise<string> {
    this.#host.assertOpen();
    return this.#chain.hashAt(tx);
  }

  async changesAfter({ tx, terms }: FollowedPlace, bytesMax: number, control: Control): Promise<ChangesPiece> {
    this.#host.assertOpen();
    let hash = await this.#chain.hashAt(tx);
    const { file, context } = this.#host;
    const transaction = file.beginRead();
    const log = new LogReader(file);
    let delta: Delta | null = null;
    try {
      const { manifest, head } = context.state(transaction);
      delta = context.deltas.get(manifest, head, transaction).pin();
      const view: ChangeView = { context, manifest, transaction, delta, snapshot: () => this.#host.snapshot() };
      let events = lastEventOf(log, tx, transaction);
      const changes: Buffer[] = [];
      let [at, next, bytes] = [tx, terms, 0];
      while (at < head.lastTx && bytes < bytesMax) {
        const read = await toEnd(readChange(view, log, at + 1, next), control);
        at++;
        next = read.terms;
        hash = await this.#chain.hashAt(at);
        const told = eventsUpTo(view, events, read.record);
        events = lastEventOf(log, at, transaction);
        const shipped = encodeShipped({ record: read.record, events: told, hash, changes: read.changes });
        changes.push(shipped);
        bytes += shipped.length;
      }
      return { changes, place: { tx: at, terms: next }, lastTx: head.lastTx };
    } finally {
      log.release();
      delta?.unpin();
      file.release(transaction);
    }
  }

  async apply(sent: readonly Uint8Array[]): Promise<void> {
    this.#host.assertOpen();
    this.#assertFollows();
    if (sent.length === 0) return;
    let small: ShippedChange[] = [];
    for (const bytes of sent) {
      const change = decodeShipped(bytes);
      if (!isLargeChange(change)) {
        small.push(change);
        continue;
      }
      await this.#applySmall(small);
      small = [];
      await this.#applyLarge(change);
    }
    await this.#applySmall(small);
  }

  #assertFollows(): void {
    if (this.#role.role === 'follower') return;
    throw new SvcError('log_diverged', `${this.#host.file.path} is a primary: it takes no changes of another`);
  }

  /** To the delta, all of them in one commit. */
  async #applySmall(changes: readonly ShippedChange[]): Promise<void> {
    if (changes.length === 0) return;
    let hash = await this.#chain.hashAt(this.#host.committer.head.lastTx);
    await this.#host.applying((delta, snapshotAt) => {
      const { committer, file, context } = this.#host;
      let tx = committer.head.lastTx;
      let lastEvent = committer.head.lastEvent ?? 0;
      const records: CommitRecord[] = [];
      const indexed: IndexChange[] = [];
      for (const change of changes) {
        checkContinues(change, { tx, hash });
        const { record } = change;
        const events = eventsOf(change, lastEvent);
        decodeChanges(context.memory, change.changes, record.id, record.source, (decoded) => {
          checkChanges(context.memory, change, decoded, delta.terms.next);
          const validity = validityOf(context.memory, decoded);
          records.push({
            tx: record.id,
            bytes: encodeLogRecord(record, change.changes),
            validity,
            lastEvent: events.last,
            catalog: true,
          });
          const rows = rowsOf(context.memory, decoded);
          delta.note(timeOf(record));
          delta.apply(decoded);
          const { id, timestamp, source } = record;
          const one = {
            ...{ tx: id, timestamp, source, events, store: file },
            changes: () => new GroupedChanges({ count: decoded.rowCount + decoded.closeCount, rows: () => rows }),
            snapshot: () => snapshotAt(id, UncommittedLayer.empty(context.memory, delta.terms.next)),
          };
          indexed.push(...changesOf(committer.indexes, [one]));
        });
        tx = record.id;
        hash = change.hash;
        lastEvent = events.last;
      }
      const reached = { tx, hash };
      indexed.push((writer) => putChain(writer, reached));
      const durable = committer.add(records, indexed, delta.terms.next);
      return durable.then(() => this.#chain.note(reached));
    });
  }

  /** To runs, as the primary has put it. */
  async #applyLarge(change: ShippedChange): Promise<void> {
    const { committer, context } = this.#host;
    const { head } = committer;
    const before = { tx: head.lastTx, hash: await this.#chain.hashAt(head.lastTx) };
    checkContinues(change, before);
    const { record, hash } = change;
    const { memory } = context;
    const delta = new Delta(memory, before.tx, head.nextTermNumber);
    const layer = new UncommittedLayer(delta.rows, delta.tombstones, delta.terms);
    let validity: Validity = { begin: null, end: null };
    try {
      decodeChanges(memory, change.changes, record.id, record.source, (decoded) => {
        checkChanges(memory, change, decoded, head.nextTermNumber);
        validity = validityOf(memory, decoded);
        delta.apply(decoded);
      });
      const events = eventsOf(change, head.lastEvent ?? 0);
      const reached = { tx: record.id, hash };
      await this.#host.publishing({
        ...{ firstTx: record.id, lastTx: record.id, layer, catalog: true },
        records: () => [{ record, bytes: encodeLogRecord(record), validity, events }],
        more: [(writer) => putChain(writer, reached)],
      });
      this.#chain.note(reached);
    } finally {
      layer.unpin();
    }
  }

  besidePlace(): BesidePlace {
    const { file } = this.#host;
    return this.#host.read((_, head, transaction) => {
      const { epoch, generation, ends, own } = readPlace(file, transaction);
      const event = lastOffsetOf(file, head, transaction);
      const vectors = unlessDamaged(() => readHead(file, transaction));
      const digest = vectors === null ? null : this.#digest.of(file, vectors.rows, transaction);
      const isSame = vectors !== null && vectors.generation === own;
      return { epoch, generation: isSame ? generation : -1, rows: vectors?.rows ?? 0, digest, ends, event };
    });
  }

  tellBeside(from: BesidePlace): BesideTeller {
    this.#host.assertOpen();
    const { file } = this.#host;
    const host = {
      ...{ file, digest: this.#digest },
      read: <Result>(work: (head: Head, transaction: ReadTransaction) => Result) =>
        this.#host.read((_, head, transaction) => work(head, transaction)),
    };
    return new StoreBesideTeller(host, from);
  }

  async applyBeside(bytes: Uint8Array): Promise<boolean> {
    this.#host.assertOpen();
    this.#assertFollows();
    const change = decodeBeside(bytes);
    const { committer, file } = this.#host;
    const { lastTx, lastEvent = 0 } = committer.head;
    if (change.tx !== lastTx) {
      throw new SvcError(
        'log_diverged',
        `what lies beside transaction ${change.tx} was sent, and ${lastTx} is the newest`,
      );
    }
    const outcome: { error?: unknown } = {};
    // What it throws does not undo what others write with it.
    await committer.addChange(
      () => {
        try {
          applyBeside(file, change, lastEvent);
        } catch (error) {
          outcome.error = error;
        }
      },
      Math.max(lastEvent, change.last),
    );
    if ('error' in outcome) throw outcome.error;
    return change.vectors?.anew === true;
  }

  assertTold(tx: TxId): void {
    this.#host.read((_, { lastTx }, transaction) => {
      if (tx < lastTx) assertTellable(new LogReader(this.#host.file).entry(tx + 1, transaction).record);
    });
  }

  async learnEpoch(epoch: number): Promise<void> {
    this.#host.assertOpen();
    if (epoch <= Math.max(this.#role.epoch, this.#role.fencedBy ?? 0)) return;
    const role = { ...this.#role, ...(this.#role.role === 'follower' ? { epoch } : { fencedBy: epoch }) };
    await this.#host.committer.addChange((writer) => putRole(writer, role));
    this.#role = role;
  }

  copyTo(take: TakeBytes, control: Control): Promise<void> {
    this.#host.assertOpen();
    return copyPagesTo(this.#host.file, take, control);
  }

  snapshot(): StorageSnapshot {
    return this.#host.snapshot();
  }
}

/** As a stage of the same size is (`publish-stage.ts`). */
function isLargeChange({ record, changes }: ShippedChange): boolean {
  return record.quadsAdded + record.quadsRetracted >= LARGE_ROWS || changes.length >= LARGE_TERM_BYTES;
}

/** Runs to the end, giving way to the event loop. */
async function toEnd<Result>(work: Generator<void, Result>, control: Control): Promise<Result> {
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      throwIfStopped(control, 'the reading of changes');
      await breathe();
    }
  } finally {
    work.return(undefined as never);
  }
}
