/**
 * Reads every file of a lake through and compares it with what `lake.json` says: that it is there, its length, its hash.
 * What stands in the rows is not decoded; the files were made of the rows that were counted.
 */

import { createHash } from 'node:crypto';
import { type Control, throwIfStopped } from '../base/control.js';
import type { LakeContent, StoredPart } from './lake-file.js';
import { TABLE_NAMES } from './lake-file.js';
import type { LakeTarget } from './target/target.js';

const REPORT_MS = 100;

export interface LakeProblem {
  readonly where: string;
  readonly what: string;
}

export interface LakeCheck {
  readonly files: number;
  readonly bytes: number;
  readonly problems: readonly LakeProblem[];
}

export async function verifyLake(target: LakeTarget, content: LakeContent, control: Control): Promise<LakeCheck> {
  const started = performance.now();
  const parts: StoredPart[] = [content.termIds];
  for (const table of TABLE_NAMES) parts.push(...content.tables[table], ...content.retired[table]);
  const total = parts.reduce((sum, part) => sum + part.bytes, 0);
  const problems: LakeProblem[] = [];
  let [bytes, reported] = [0, started];
  for (const part of parts) {
    const what = await faultOf(target, part, (read) => {
      throwIfStopped(control, 'the check');
      bytes += read;
      const now = performance.now();
      if (now - reported < REPORT_MS) return;
      reported = now;
      control.onProgress?.({ phase: 'verify', done: bytes, total, unit: 'bytes', elapsedMs: now - started });
    });
    if (what !== null) problems.push({ where: part.path, what });
  }
  for (const table of TABLE_NAMES) {
    const path = `${table}/metadata/version-hint.text`;
    const hint = await target.read(path);
    if (hint !== null && Buffer.from(hint.bytes).toString('utf8') === String(content.exports.length)) continue;
    problems.push({ where: path, what: `does not name the last export; export again` });
  }
  return { files: parts.length, bytes, problems };
}

async function faultOf(target: LakeTarget, part: StoredPart, onRead: (bytes: number) => void): Promise<string | null> {
  const hash = createHash('sha256');
  let length = 0;
  if (!(await target.has(part.path))) return 'is missing';
  for await (const piece of target.stream(part.path)) {
    hash.update(piece);
    length += piece.length;
    onRead(piece.length);
  }
  if (length !== part.bytes) return `has ${length} bytes in place of ${part.bytes}`;
  return hash.digest('hex') === part.sha256 ? null : 'has another hash';
}
