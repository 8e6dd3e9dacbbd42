/**
 * Behaviour of the storage seam, one table of cases for every implementation. Each case gets an
 * empty store; data comes in through `stageLoad` and `publish` alone.
 */

import { test } from 'node:test';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import type { Case } from './scan-case.js';
import { DOCUMENT_CASES } from './scan-cases-documents.js';
import { LOAD_CASES } from './scan-cases-loads.js';
import { PATTERN_CASES } from './scan-cases-patterns.js';
import { PROBE_CASES } from './scan-cases-probes.js';
import { SOURCE_CASES } from './scan-cases-sources.js';
import { STAGED_LOAD_CASES } from './scan-cases-staged-loads.js';
import { TERM_CASES } from './scan-cases-terms.js';
import { TIME_CASES } from './scan-cases-time.js';

export const CASES: readonly Case[] = [
  ...PATTERN_CASES,
  ...TERM_CASES,
  ...DOCUMENT_CASES,
  ...LOAD_CASES,
  ...STAGED_LOAD_CASES,
  ...TIME_CASES,
  ...PROBE_CASES,
  ...SOURCE_CASES,
];

export interface ScanCasesOptions {
  /** Name of a case -> why this implementation does not pass it yet. */
  readonly skip?: Readonly<Record<string, string>>;
}

export function scanCases(name: string, open: () => Promise<StorageEngine>, options: ScanCasesOptions = {}): void {
  for (const reason of Object.keys(options.skip ?? {})) {
    if (!CASES.some((it) => it.name === reason)) throw new Error(`no case is called ${JSON.stringify(reason)}`);
  }
  for (const { name: title, run } of CASES) {
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

/** The same store; when it is closed, its snapshots are closed first, so that a case need not. */
export function closingSnapshots(engine: StorageEngine): StorageEngine {
  const snapshots: StorageSnapshot[] = [];
  return {
    path: engine.path,
    readOnly: engine.readOnly,
    events: engine.events,
    packs: engine.packs,
    replication: engine.replication,
    indexTexts: (kinds) => engine.indexTexts(kinds),
    changeIndexes: (change) => engine.changeIndexes(change),
    snapshot: () => {
      const snapshot = engine.snapshot();
      snapshots.push(snapshot);
      return snapshot;
    },
    stageLoad: (sources, options, control) => engine.stageLoad(sources, options, control),
    stage: (options) => engine.stage(options),
    suppose: (options) => engine.suppose(options),
    transactions: (range) => engine.transactions(range),
    transactionsWith: (ids) => engine.transactionsWith(ids),
    timesOfGroup: (group) => engine.timesOfGroup(group),
    timesBetween: (from, to) => engine.timesBetween(from, to),
    baseNamespace: (fallback) => engine.baseNamespace(fallback),
    transactionsOf: (source) => engine.transactionsOf(source),
    fold: (control) => engine.fold(control),
    stats: () => engine.stats(),
    verify: (control) => engine.verify(control),
    backup: (target, options, control) => engine.backup(target, options, control),
    attach: (name, path) => engine.attach(name, path),
    detach: (name) => engine.detach(name),
    close: async () => {
      for (const snapshot of snapshots) snapshot.close();
      await engine.close();
    },
  };
}
