/**
 * The snapshots that a store has given out. None is held for longer than the age cap: pinned readers
 * would make the file grow without bound. What takes longer asks for a renewing one.
 */

import type { StorageEngine } from '../../storage/seam/engine.js';
import { ExpiringSnapshot } from '../../storage/seam/expiring-snapshot.js';
import { RenewingSnapshot } from '../../storage/seam/renewing-snapshot.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export const READER_AGE_MAX_MS = 300_000;
/** The longest delay of a timer. */
const DELAY_MAX_MS = 2 ** 31 - 1;
/** Renewed at this part of the cap, so that a step that takes long does not reach the cap itself. */
const RENEWAL_PART = 0.5;

export interface SnapshotFigures {
  readonly open: number;
  /** Age of the oldest; 0 when none is open. */
  readonly oldestAgeMs: number;
}

export class SnapshotKeeper {
  /** Oldest first. */
  readonly #snapshots = new Set<ExpiringSnapshot>();
  #timer: NodeJS.Timeout | null = null;

  /** `seen`: a snapshot as those see it who are given it. */
  constructor(
    private readonly engine: StorageEngine,
    private readonly ageMaxMs: number = READER_AGE_MAX_MS,
    private readonly seen: (snapshot: StorageSnapshot) => StorageSnapshot = (snapshot) => snapshot,
  ) {}

  open(): ExpiringSnapshot {
    const snapshot = new ExpiringSnapshot(this.seen(this.engine.snapshot()), {
      ageMaxMs: this.ageMaxMs,
      onClose: (closed) => this.#snapshots.delete(closed),
    });
    this.#snapshots.add(snapshot);
    if (this.#timer === null) this.#watch();
    return snapshot;
  }

  openRenewing(): StorageSnapshot {
    return new RenewingSnapshot(() => this.open(), { renewAfterMs: this.ageMaxMs * RENEWAL_PART });
  }

  get figures(): SnapshotFigures {
    const oldest = this.#oldest();
    return {
      open: this.#snapshots.size,
      oldestAgeMs: oldest === null ? 0 : Math.round(performance.now() - oldest.openedAt),
    };
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const snapshot of [...this.#snapshots]) snapshot.close();
  }

  #oldest(): ExpiringSnapshot | null {
    for (const snapshot of this.#snapshots) return snapshot;
    return null;
  }

  /** One timer for the oldest; it does not keep the process alive. */
  #watch(): void {
    const oldest = this.#oldest();
    if (oldest === null) {
      this.#timer = null;
      return;
    }
    const left = Math.max(0, oldest.openedAt + this.ageMaxMs - performance.now());
    this.#timer = setTimeout(() => this.#expireOld(), Math.min(DELAY_MAX_MS, Math.ceil(left)));
    this.#timer.unref();
  }

  #expireOld(): void {
    const bound = performance.now() - this.ageMaxMs;
    for (const snapshot of [...this.#snapshots]) if (snapshot.openedAt <= bound) snapshot.expire();
    this.#watch();
  }
}
