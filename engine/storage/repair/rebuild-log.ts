/**
 * Makes again what hangs on the log: the head, which says where the log ends.
 * A record of the delta that is damaged together with its copy is lost, and takes the transactions after it along, which build on it.
 */

import { lastEventOf } from '../indexes/last-event.js';
import { everyKey } from '../lmdb/every-key.js';
import { decodeChanges } from '../log/changes.js';
import { encodeHead, type Head, readHead } from '../log/head.js';
import { decodeLogRecord } from '../log/record.js';
import { unlessDamaged } from '../seam/findings.js';
import { copiesFrom } from './rebuild-copies.js';
import type { Rebuilding } from './rebuilding.js';

export function rebuildHead(rebuilding: Rebuilding): void {
  const { file, manifest } = rebuilding;
  const found = followLog(rebuilding);
  const last = file.lastKey('log') ?? 0;
  if (last > found.lastTx) {
    const transactions = Array.from({ length: last - found.lastTx }, (_, i) => found.lastTx + 1 + i);
    rebuilding.lost.push({
      what: `the changes of transaction ${found.lastTx + 1}, and what came after it since the last fold`,
      transactions,
    });
    file.write(() => {
      for (const tx of transactions) {
        file.remove('log', tx);
        file.remove('log_copies', tx);
      }
    });
  }
  const stated = unlessDamaged(() => readHead(file, manifest, undefined));
  const known = { ...found, logBytes: bytesOfLog(rebuilding), copiesFrom: copiesFrom(rebuilding) };
  const head: Head = { ...known, lastEvent: lastEventKnown(rebuilding, known, stated) };
  const same = stated !== null && (Object.keys(head) as (keyof Head)[]).every((key) => stated[key] === head[key]);
  if (same) return;
  file.write(() => file.put('meta', 'head', encodeHead(head)));
  rebuilding.rebuilt.push('the head');
}

/** What the log and the stored events tell, or the head where they can't be read. */
function lastEventKnown({ file }: Rebuilding, found: Head, stated: Head | null): number | undefined {
  const told = unlessDamaged(() => lastEventOf(file, found)) ?? 0;
  return Math.max(told, stated?.lastEvent ?? 0) || stated?.lastEvent;
}

/** The end of the transactions that follow each other from the last fold on, and of their terms. */
function followLog({ file, manifest, context }: Rebuilding): Omit<Head, 'logBytes'> {
  let nextTermNumber = manifest.nextTermNumber;
  let lastTx = manifest.foldedTx;
  for (;;) {
    const tx = lastTx + 1;
    const bytes = file.readCopy('log', tx);
    if (bytes === undefined) break;
    const next = unlessDamaged(() => {
      const { record, changes } = decodeLogRecord(bytes, tx);
      if (changes === null) return null;
      let end = 0;
      decodeChanges(context.memory, changes, tx, record.source, ({ firstTerm, terms }) => {
        end = terms.length === 0 ? nextTermNumber : firstTerm === nextTermNumber ? firstTerm + terms.length : 0;
      });
      return end === 0 ? null : end;
    });
    if (next === null) break;
    nextTermNumber = next;
    lastTx = tx;
  }
  return { lastTx, nextTermNumber };
}

function bytesOfLog({ file }: Rebuilding): number {
  let bytes = 0;
  for (const key of everyKey<number>(file, 'log')) bytes += file.read('log', key)?.length ?? 0;
  return bytes;
}
