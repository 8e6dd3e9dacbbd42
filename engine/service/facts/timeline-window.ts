/** What a timeline reads: a window of the log, as far as it was written when the first page was asked for. */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import type { Instant, TxId } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { TimesPart, TransactionTime } from '../../storage/seam/transaction-times.js';

/** Work between two looks at the clock, in parts. */
const PARTS_AT_ONCE = 64;

export interface TimelineStore {
  readonly engine: Pick<StorageEngine, 'timesOfGroup' | 'timesBetween' | 'transactionsWith'>;
  readonly snapshot: StorageSnapshot;
  /** The reader may read some graphs only: a transaction counts when it changed one of them. */
  readonly isNarrowed: boolean;
}

/** What is asked for of the log. */
export interface TimelineWindow {
  readonly from: Instant;
  /** Not itself. */
  readonly to: Instant;
  readonly type: string | null;
  readonly watermark: TxId;
}

/** The entries of some parts that lie in the window, in no order. */
export async function* entriesOf(
  { engine }: TimelineStore,
  parts: readonly TimesPart[],
  window: TimelineWindow,
  control: Control,
): AsyncGenerator<TransactionTime> {
  for (const [at, part] of parts.entries()) {
    if (at % PARTS_AT_ONCE === PARTS_AT_ONCE - 1) {
      throwIfStopped(control, 'the timeline');
      await breathe();
    }
    for (const time of engine.timesBetween(part.from, Math.min(part.to, window.watermark))) {
      const { timestamp, type } = time;
      if (timestamp >= window.from && timestamp < window.to && (window.type === null || window.type === type))
        yield time;
    }
  }
}
