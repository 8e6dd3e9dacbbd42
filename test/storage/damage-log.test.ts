/** What verification says of logs, heads, deltas and indexes of sources that don't fit, though every checksum is right. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putSource, sourceKey } from '../../engine/storage/indexes/sources.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { encodeGraphCounts } from '../../engine/storage/runs/graph-counts.js';
import type { RunRecord } from '../../engine/storage/runs/manifest.js';
import type { VerifyProblem } from '../../engine/storage/seam/engine.js';
import { fact, write } from './stage-support.js';
import { assertSound } from './support/compare.js';
import { type Damaged, damagedCopy } from './support/damaging.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const FOLDED = 3;

/** Transactions 1 to 3 are folded, with history and dead rows; 4 to 6 are the delta. */
async function makeStore(): Promise<string> {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await write(engine, { assert: [1, 2, 3, 4, 11, 12, 13, 14, 15].map((value) => fact(value)), source: 'first' });
  await engine.fold({});
  await write(engine, { retract: [fact(1)], assert: [fact(5, 'http://e/new-graph')], source: 'second' });
  // Folded one by one, records are not sealed into a segment.
  await engine.fold({});
  await write(engine, { assert: [fact(6)], source: 'first' });
  await engine.fold({});
  await write(engine, { retract: [fact(2)], assert: [fact(7, 'http://e/later')], source: 'first' });
  await write(engine, { assert: [fact(8, 'http://e/latest')], retract: [fact(6)] });
  await write(engine, { retract: [fact(8, 'http://e/latest')] });
  await assertSound(engine);
  await engine.close();
  return path;
}

async function problemsOf(path: string): Promise<readonly VerifyProblem[]> {
  const engine = await openLmdbEngine(path, { readOnly: true });
  try {
    return (await engine.verify({})).problems;
  } finally {
    await engine.close();
  }
}

interface Case {
  readonly name: string;
  readonly damage: (file: Damaged) => void;
  readonly where: RegExp;
  readonly what: RegExp;
}

const row = (rows: bigint[][], at = 0): bigint[] => rows[at] as bigint[];

const LOG: readonly Case[] = [
  {
    name: 'metadata of the wrong kind',
    damage: (file) => file.setRecord(2, (edited) => Object.assign(edited.record, { timestamp: 'soon' })),
    where: /^transaction 2$/,
    what: /metadata is malformed/,
  },
  {
    name: 'another number of rows opened',
    damage: (file) => file.setRecord(3, (edited) => Object.assign(edited.record, { quadsAdded: 7 })),
    where: /^transaction 3$/,
    what: /holds 1 rows that it opened, and says 7/,
  },
  {
    name: 'another number of rows closed',
    damage: (file) => file.setRecord(2, (edited) => Object.assign(edited.record, { quadsRetracted: 0 })),
    where: /^transaction 2$/,
    what: /holds 1 rows that it closed, and says 0/,
  },
  {
    name: 'another sum of rows opened',
    damage: (file) => file.setRecord(5, (edited) => Object.assign(edited.record, { sum: 'abc' })),
    where: /^transaction 5$/,
    what: /opened have another sum/,
  },
  {
    name: 'another sum of rows closed',
    damage: (file) => file.setRecord(5, (edited) => Object.assign(edited.record, { closedSum: 'abc' })),
    where: /^transaction 5$/,
    what: /closed have another sum/,
  },
  {
    name: 'a row that another transaction opened',
    damage: (file) =>
      file.setRecord(4, (edited) => {
        row(edited.opened)[4] = 2n;
      }),
    where: /^transaction 4$/,
    what: /row 0 of those that it opened has the times of another/,
  },
  {
    name: 'a close by another transaction',
    damage: (file) =>
      file.setRecord(4, (edited) => {
        row(edited.closed)[5] = 3n;
      }),
    where: /^transaction 4$/,
    what: /row 0 of those that it closed has the times of another/,
  },
  {
    name: 'rows out of order',
    damage: (file) => file.setRecord(1, (edited) => edited.opened.reverse()),
    where: /^transaction 1$/,
    what: /not in order/,
  },
  {
    name: 'a term that does not exist',
    damage: (file) =>
      file.setRecord(5, (edited) => {
        row(edited.opened)[3] = (row(edited.opened)[3] as bigint) + 1000n;
      }),
    where: /^transaction 5$/,
    what: /names term \d+, which does not exist/,
  },
  {
    name: 'terms with numbers that leave a gap',
    damage: (file) =>
      file.setRecord(5, (edited) => {
        edited.firstTerm++;
      }),
    where: /^transaction 5$/,
    what: /its terms begin with number/,
  },
  {
    name: 'folded terms with the numbers of others',
    damage: (file) =>
      file.setRecord(2, (edited) => {
        edited.firstTerm = 1;
      }),
    where: /^transaction 2$/,
    what: /are not theirs|are others in the dictionary/,
  },
  {
    name: 'a folded term that is another in the dictionary',
    damage: (file) =>
      file.setRecord(2, (edited) => {
        const term = edited.terms[0] as Buffer;
        term[term.length - 1] = (term[term.length - 1] as number) ^ 1;
      }),
    where: /^transaction 2$/,
    what: /1 of its terms are others in the dictionary/,
  },
];

const HEAD: readonly Case[] = [
  {
    name: 'a head that has lost a transaction',
    damage: (file) => file.setHead({ lastTx: 5 }),
    where: /^head$/,
    what: /ends at transaction 5, but the log at 6/,
  },
  {
    name: 'a head before the last fold',
    damage: (file) => file.setHead({ lastTx: FOLDED - 1 }),
    where: /^head$/,
    what: /but 3 are folded/,
  },
  {
    name: 'another length of the log',
    damage: (file) => file.setHead({ logBytes: 1 }),
    where: /^head$/,
    what: /the head says 1$/,
  },
  {
    name: 'another next term',
    damage: (file) => file.setHead({ nextTermNumber: file.head.nextTermNumber + 1 }),
    where: /^head$/,
    what: /the next term is number/,
  },
];

const DELTA: readonly Case[] = [
  {
    name: 'a quad opened that is open in the runs',
    damage: (file) => {
      let open: bigint[] = [];
      file.setRecord(1, ({ opened }) => {
        open = row(opened, 2);
      });
      file.setRecord(4, (edited) => {
        edited.opened = [[...open.slice(0, 4), 4n, ...row(edited.opened).slice(5)]];
      });
    },
    where: /^transaction 4$/,
    what: /1 quads that it opens were open already/,
  },
  {
    name: 'a row closed that is not open',
    damage: (file) =>
      file.setRecord(6, (edited) => {
        row(edited.closed)[3] = (row(edited.closed)[3] as bigint) - 1n;
      }),
    where: /^transaction 6$/,
    what: /1 rows that it closes were not open/,
  },
  {
    name: 'a row closed under another beginning',
    damage: (file) =>
      file.setRecord(6, (edited) => {
        row(edited.closed)[6] = (row(edited.closed)[6] as bigint) - 1n;
      }),
    where: /^transaction 6$/,
    what: /1 rows that it closes were not open/,
  },
  {
    name: 'a term that the dictionary has',
    damage: (file) => {
      let known: Buffer[] = [];
      file.setRecord(2, ({ terms }) => {
        known = terms;
      });
      file.setRecord(4, (edited) => {
        edited.terms = edited.terms.map(() => Buffer.from(known[0] as Buffer));
      });
    },
    where: /^transaction 4$/,
    what: /brings the term .*, which is there already/,
  },
  {
    name: 'a term in a wrong form',
    damage: (file) =>
      file.setRecord(4, (edited) => {
        (edited.terms[0] as Buffer)[0] = 6;
      }),
    where: /^transaction 4$|^delta$/,
    what: /wrong form|malformed|damaged|has no qualifier/,
  },
];

const SOURCES: readonly Case[] = [
  {
    name: 'a source that lists a transaction of another',
    damage: (file) => file.file.write(() => putSource(file.file, 'first', [1, 2])),
    where: /^index of sources$/,
    what: /transaction 2 for a source that is not its own: first/,
  },
  {
    name: 'a source that misses a transaction',
    damage: (file) => file.file.write(() => file.file.remove('sources', sourceKey('second', 2))),
    where: /^index of sources$/,
    what: /lists 2 transactions, 3 have a source/,
  },
  {
    name: 'a transaction that is listed twice',
    damage: (file) => file.file.write(() => putSource(file.file, 'first', [3, 3])),
    where: /^index of sources$/,
    what: /transaction 3 twice/,
  },
  {
    name: 'an entry under the key of another',
    damage: (file) => {
      const entry = file.file.readCopy('sources', sourceKey('second', 2)) as Buffer;
      file.put('sources', sourceKey('third', 2), entry);
      file.file.write(() => file.file.remove('sources', sourceKey('second', 2)));
    },
    where: /^index of sources$/,
    what: /is that of another source/,
  },
];

/** Changes the first run of an order of ROOT that a test accepts. */
function changeRun(file: Damaged, change: (run: RunRecord) => RunRecord | null): void {
  const partitions = file.manifest.partitions.map((partition) => ({
    ...partition,
    runs: Object.fromEntries(
      Object.entries(partition.runs).map(([order, runs]) => [
        order,
        runs.flatMap((run) => {
          const changed = change(run);
          return changed === null ? [] : [changed];
        }),
      ]),
    ),
  }));
  file.setManifest({ partitions });
}

const RUNS: readonly Case[] = [
  {
    name: 'dead rows that come alive in all orders',
    damage: (file) => changeRun(file, ({ dead: _, ...run }) => run),
    where: /^log$/,
    what: /the SPOG runs are not those that the log opened|rows, the log opened/,
  },
  {
    name: 'history lost in all orders',
    damage: (file) => changeRun(file, (run) => (run.kind === 'history' ? null : run)),
    where: /^log$/,
    what: /history of the SPOG runs is not what the log closed|rows of history/,
  },
  {
    name: 'a graph with another number of rows',
    damage: (file) => file.put('meta', 'graphs', encodeGraphCounts(new Map([[1n, 5]]))),
    where: /^graphs$/,
    what: /the table of graphs says/,
  },
  {
    name: 'a run twice, so that quads are open twice',
    damage: (file) => {
      const partitions = file.manifest.partitions.map((partition) => ({
        ...partition,
        runs: Object.fromEntries(Object.entries(partition.runs).map(([order, runs]) => [order, [...runs, ...runs]])),
      }));
      file.setManifest({ partitions });
    },
    where: /partition/,
    what: /a quad is open twice/,
  },
  {
    name: 'an order without its runs',
    damage: (file) =>
      file.setManifest({
        partitions: file.manifest.partitions.map((one) => ({ ...one, runs: { ...one.runs, OSPG: [] } })),
      }),
    where: /partition/,
    what: /OSPG does not hold the rows of SPOG/,
  },
];

const stores = makeStore();
for (const { name, damage, where, what } of [...LOG, ...HEAD, ...DELTA, ...SOURCES, ...RUNS]) {
  test(`reported: ${name}`, async () => {
    const problems = await problemsOf(await damagedCopy(await stores, folder.fresh(), damage));
    assert.ok(
      problems.some((problem) => where.test(problem.where) && what.test(problem.what)),
      JSON.stringify(problems),
    );
  });
}

test('the store that the cases damage is sound, and so is a copy', async () => {
  assert.deepEqual(await problemsOf(await damagedCopy(await stores, folder.fresh(), () => undefined)), []);
});

test('verification stops at a signal, and reports as it goes', async () => {
  const engine = await openLmdbEngine(await stores, { readOnly: true });
  const stopped = new AbortController();
  stopped.abort();
  await assert.rejects(
    engine.verify({ signal: stopped.signal }),
    (error: { code?: string }) => error.code === 'aborted',
  );
  await engine.close();
});
