/**
 * Child process: asks store files that may be damaged, one after the other, for all that they know, in
 * parts, then verifies them; prints a line of JSON for each. It has a process of its own because a crash
 * is one of the outcomes under test.
 *   node judge-answers.js <read|write> <path ...>
 */

import { createHash } from 'node:crypto';
import { SvcError } from '../../../engine/base/errors.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { COLUMNS, type StorageSnapshot, type TimeSlice } from '../../../engine/storage/seam/scan.js';
import { ALL, ORDERS, scan, shown } from '../scan-support.js';

export interface Answers {
  readonly path: string;
  /** The code of the error that opening threw. */
  readonly refused?: string;
  /** By part: a hash of the answer, or `refused <code>`. */
  readonly parts: Readonly<Record<string, string>>;
  readonly problems?: number;
  /** Errors that are not of the registry, or of a kind that damage must not have. */
  readonly wrong: readonly string[];
}

const DAMAGE = ['store_corrupt', 'store_foreign', 'store_newer'];
const SOURCES = [0, 1, 2, 3].map((i) => `source ${i}`);

const TIMES: readonly TimeSlice[] = [
  { kind: 'current' },
  { kind: 'validAt', validAt: 1250 },
  { kind: 'asOf', tx: 12 },
  { kind: 'asOfValidAt', tx: 20, validAt: 1400 },
  { kind: 'all' },
];

type Question = (engine: StorageEngine, snapshot: StorageSnapshot) => unknown;

const QUESTIONS: Record<string, Question> = {
  graphs: (_, snapshot) => snapshot.graphs().map(String),
  transactions: (engine) => engine.transactions(),
  sources: (engine) => SOURCES.map((source) => engine.transactionsOf(source)),
};
for (const time of TIMES) {
  QUESTIONS[`count ${time.kind}`] = (_, snapshot) => snapshot.count({ graphs: ALL, pattern: {}, time });
  for (const order of ORDERS) {
    QUESTIONS[`${time.kind} ${order}`] = (_, snapshot) => {
      const rows = scan(snapshot, { time, order, columns: COLUMNS });
      return shown(snapshot, rows).concat(rows.map((row) => row.slice(4).join(' ')).sort());
    };
  }
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

async function judge(path: string, readOnly: boolean): Promise<Answers> {
  const parts: Record<string, string> = {};
  const wrong: string[] = [];
  /** The code of an error that damage may have; others are kept. */
  const codeOf = (error: unknown, where: string): string => {
    if (error instanceof SvcError && DAMAGE.includes(error.code)) return error.code;
    wrong.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`);
    return 'wrong';
  };
  let engine: StorageEngine;
  try {
    engine = await openLmdbEngine(path, { readOnly, create: false });
  } catch (error) {
    return { path, refused: codeOf(error, 'opening'), parts, wrong };
  }
  try {
    for (const [name, question] of Object.entries(QUESTIONS)) {
      try {
        const snapshot = engine.snapshot();
        try {
          parts[name] = hash(question(engine, snapshot));
        } finally {
          snapshot.close();
        }
      } catch (error) {
        parts[name] = `refused ${codeOf(error, name)}`;
      }
    }
    const report = await engine.verify({});
    return { path, parts, problems: report.problems.length, wrong };
  } catch (error) {
    codeOf(error, 'verifying');
    return { path, parts, problems: 1, wrong };
  } finally {
    await engine.close();
  }
}

const [mode, ...paths] = process.argv.slice(2);
for (const path of paths) console.log(JSON.stringify(await judge(path, mode === 'read')));
