/** Whether a pack means by its term numbers what the store means: its newest terms, and some spread over the others, are compared. */

import { SvcError } from '../../base/errors.js';
import { makeId, TAG } from '../ids/layout.js';
import type { StorageSnapshot } from '../seam/scan.js';
import type { Pack } from './pack-reader.js';

const NEWEST_TERMS = 256;
const SPREAD_TERMS = 256;

export function assertSameTerms(pack: Pack, snapshot: StorageSnapshot, storePath: string): void {
  const transaction = pack.file.beginRead();
  try {
    const numbers = comparedNumbers(pack);
    const theirs = new Array<Buffer>(numbers.length);
    pack.terms.decode(transaction, numbers, numbers.length, (index, bytes, from, to) => {
      theirs[index] = Buffer.from(bytes.subarray(from, to));
    });
    const ids = BigUint64Array.from(numbers, (number) => makeId(TAG.iri, 0, BigInt(number)));
    const ours = new Array<Buffer>(numbers.length);
    snapshot.stored(new Uint32Array(ids.buffer), ids.length, ({ count, bytes, places, starts, ends }) => {
      for (let i = 0; i < count; i++) {
        ours[places[i] as number] = Buffer.from(bytes.subarray(starts[i] as number, ends[i] as number));
      }
    });
    const at = ours.findIndex((term, i) => !term.equals(theirs[i] as Buffer));
    if (at < 0) return;
    throw new SvcError('store_foreign', `term ${numbers[at]} of ${pack.path} is another one in ${storePath}`, {
      hint: 'the pack belongs to another past of this store',
    });
  } finally {
    pack.file.release(transaction);
  }
}

function comparedNumbers(pack: Pack): number[] {
  const chosen = new Set<number>();
  const step = Math.max(1, Math.floor(pack.terms.count / SPREAD_TERMS));
  const last = pack.layout.numbers.length - 1;
  let [segment, seen] = [0, 0];
  for (const numbers of pack.terms.numbers(undefined)) {
    for (let i = (step - (seen % step)) % step; i < numbers.length; i += step) chosen.add(numbers[i] as number);
    if (segment === last) for (const number of numbers.subarray(-NEWEST_TERMS)) chosen.add(number);
    seen += numbers.length;
    segment++;
  }
  return [...chosen].sort((a, b) => a - b);
}
