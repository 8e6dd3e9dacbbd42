/** What a store answers about changes that are not written. */

import type { StorageEngine } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { EntityInput } from '../facts/entity.js';
import { type Impact, type ImpactOptions, ImpactQuestion } from '../facts/impact.js';
import { settleWrite } from '../options/write-options.js';
import { speculate } from '../pipeline/speculation.js';
import type { MaintainerSettings } from '../pipeline/store-maintainers.js';
import type { SpeculateOptions } from '../reads/speculate.js';
import type { SupposedEngine } from '../reads/supposed-engine.js';
import { type Change, stageOf } from '../writes/transact.js';

/** The store as it is. */
export interface Ground {
  readonly engine: StorageEngine;
  readonly settings: MaintainerSettings;
  /** How long a view of the file may be held. */
  readonly ageMaxMs: number;
  snapshot(): StorageSnapshot;
}

/** Reads the store as it would be with some quads more, and some less. */
export async function supposeQuads<Result>(
  { engine, settings, ageMaxMs }: Ground,
  change: Change,
  options: SpeculateOptions,
  read: (supposed: SupposedEngine) => Promise<Result>,
): Promise<Result> {
  const { signal, flag } = options;
  const supposition = {
    change: await stageOf(change, signal),
    options: settleWrite(options),
    settings,
    control: { signal, flag },
    ageMaxMs,
  };
  return speculate(engine, supposition, read);
}

export async function impactOf(ground: Ground, entity: EntityInput, options: ImpactOptions): Promise<Impact> {
  const question = new ImpactQuestion(entity, options);
  const { remove = false, timestamp, signal, flag } = options;
  if (!remove) return withSnapshot(ground.snapshot(), (snapshot) => question.answer(snapshot));
  const { engine, settings, ageMaxMs } = ground;
  const supposition = {
    change: question.remove.bind(question),
    options: settleWrite({ timestamp }),
    settings,
    control: { signal, flag },
    ageMaxMs,
  };
  return speculate(engine, supposition, (supposed) =>
    withSnapshot(supposed.snapshot(), (after) =>
      withSnapshot(supposed.before(), (before) => question.answerWithout(after, before)),
    ),
  );
}
