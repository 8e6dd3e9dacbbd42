/**
 * Behaviour of staged transactions, one table of cases for every implementation. Each case gets an
 * empty store; it is written through `stage` and `commit` (and `stageLoad` where the two meet).
 */

import { test } from 'node:test';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { Case } from './scan-case.js';
import { closingSnapshots } from './scan-cases.js';
import { STAGE_BULK_CASES } from './stage-cases-bulk.js';
import { STAGE_ENDING_CASES } from './stage-cases-ending.js';
import { STAGE_IDENTITY_CASES } from './stage-cases-ids.js';
import { STAGE_NETTING_CASES } from './stage-cases-netting.js';
import { STAGE_SEVERAL_CASES } from './stage-cases-several.js';
import { STAGE_SUPPOSED_CASES } from './stage-cases-supposed.js';
import { STAGE_TIME_CASES } from './stage-cases-time.js';
import { STAGE_TRACE_CASES } from './stage-cases-trace.js';

export const STAGE_CASES: readonly Case[] = [
  ...STAGE_NETTING_CASES,
  ...STAGE_TIME_CASES,
  ...STAGE_ENDING_CASES,
  ...STAGE_IDENTITY_CASES,
  ...STAGE_TRACE_CASES,
  ...STAGE_BULK_CASES,
  ...STAGE_SEVERAL_CASES,
  ...STAGE_SUPPOSED_CASES,
];

export interface StageCasesOptions {
  /** Name of a case -> why this implementation does not pass it yet. */
  readonly skip?: Readonly<Record<string, string>>;
}

export function stageCases(name: string, open: () => Promise<StorageEngine>, options: StageCasesOptions = {}): void {
  for (const title of Object.keys(options.skip ?? {})) {
    if (!STAGE_CASES.some((it) => it.name === title)) throw new Error(`no case is called ${JSON.stringify(title)}`);
  }
  for (const { name: title, run } of STAGE_CASES) {
    test(`${name}: ${title}`, { skip: options.skip?.[title] ?? false }, async () => {
      const openTidily = async () => closingSnapshots(await open());
      const engine = await openTidily();
      try {
        await run({ engine, open: openTidily });
      } finally {
        await engine.close();
      }
    });
  }
}
