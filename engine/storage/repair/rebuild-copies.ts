/** Log records that are not folded and their copies: each is made again from the other. Where both are damaged, `rebuildHead` tells what is lost. */

import { isSoundRecord } from '../log/copies.js';
import { readHead } from '../log/head.js';
import { unlessDamaged } from '../seam/findings.js';
import type { Rebuilding } from './rebuilding.js';

export function rebuildCopies(rebuilding: Rebuilding): void {
  const { file, manifest } = rebuilding;
  const from = copiesFrom(rebuilding) ?? Number.POSITIVE_INFINITY;
  const last = Math.max(file.lastKey('log') ?? 0, file.lastKey('log_copies') ?? 0);
  for (let tx = manifest.foldedTx + 1; tx <= last; tx++) {
    const [own, copy] = [file.readCopy('log', tx), file.readCopy('log_copies', tx)];
    const [isSound, isCopySound] = [isSoundRecord(own, tx), isSoundRecord(copy, tx)];
    if (!isSound && isCopySound) {
      file.write(() => file.put('log', tx, copy as Buffer));
      rebuilding.rebuilt.push(`the log record of transaction ${tx}, from its copy`);
    } else if (isSound && (copy === undefined ? tx >= from : !copy.equals(own as Buffer))) {
      file.write(() => file.put('log_copies', tx, own as Buffer));
      rebuilding.rebuilt.push(`the copy of the log record of transaction ${tx}`);
    }
  }
}

/** From which transaction on there are copies; after a repair of the head all records that are not folded have one. */
export function copiesFrom({ file, manifest }: Rebuilding): number | undefined {
  const head = unlessDamaged(() => readHead(file, manifest, undefined));
  return head === null ? manifest.foldedTx + 1 : head.copiesFrom;
}
