/**
 * Speculation (semantics of graphs, 5.3): what a store would answer if a change had been written.
 *
 *  1. The change is put on a stage that is never written (`StorageEngine.suppose`), beside the newest state on the disk. It
 *     takes no turn of the pipeline, so that no write waits for it, nor it for a write, and a store that is open for reading
 *     has it too.
 *  2. The maintainers complete it, as they complete a write: what follows from the change stands on the stage as well.
 *  3. The caller reads the store with the stage.
 *  4. The stage is dropped, whatever came of that. Nobody else has seen anything of it, and nothing of it is left: neither
 *     transactions, events nor terms.
 *
 * It is no write: authority is not asked, gates do not judge it, and no refusal of it is recorded.
 */

import { throwIfStopped } from '../../base/control.js';
import type { StorageEngine, TransactionOptions } from '../../storage/seam/engine.js';
import { SupposedEngine } from '../reads/supposed-engine.js';
import { FrozenGuard } from './frozen-guard.js';
import { StageContext } from './maintainers.js';
import { type MaintainerSettings, maintainersOf } from './store-maintainers.js';
import type { StageChange, WriteControl } from './write-control.js';

/** Actor and source of what is only supposed. */
const SPECULATE = 'speculate';

/** Maintainers read the registry with their first write, whatever its state is called; they know nothing of others. */
const NO_WRITES = { registryState: 0, drops: 0 };

export interface Supposition {
  readonly change: StageChange<unknown>;
  /** When it holds; absent = now. */
  readonly options: Pick<TransactionOptions, 'timestamp' | 'validFrom'>;
  /** What completes the writes of the store. */
  readonly settings: MaintainerSettings;
  readonly control: WriteControl;
  /** It may be read for so long: it holds a view of the file. */
  readonly ageMaxMs: number;
}

/** The longest delay of a timer. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** `read` is given the store as it would be, until what it returns has settled. */
export async function speculate<Result>(
  engine: StorageEngine,
  { change, options, settings, control, ageMaxMs }: Supposition,
  read: (supposed: SupposedEngine) => Result | Promise<Result>,
): Promise<Result> {
  const stage = engine.suppose({ ...options, actor: SPECULATE, source: SPECULATE });
  try {
    const context = new StageContext(stage, control, NO_WRITES);
    const guarded = new FrozenGuard({ snapshot: () => stage.before() }).stage(stage, 0);
    const { owl, maintainers } = maintainersOf(engine, settings);
    await change(owl.watch(guarded), context.registry, context.events, (next) => context.begin(next));
    throwIfStopped(control, 'the speculation');
    for (const maintainer of maintainers) {
      await maintainer.maintain(context);
      throwIfStopped(control, 'the speculation');
    }
    const supposed = new SupposedEngine(engine, stage, ageMaxMs);
    const timer = setTimeout(() => supposed.expire(), Math.min(DELAY_MAX_MS, ageMaxMs)).unref();
    try {
      return await read(supposed);
    } finally {
      clearTimeout(timer);
    }
  } finally {
    stage.discard();
  }
}
