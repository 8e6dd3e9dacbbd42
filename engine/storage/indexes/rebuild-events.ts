/** Takes away values of the event log that can't be read; which they were is said. Offsets stay as they are. */

import { unseal } from '../lmdb/sealed.js';
import { type Rebuilding, unlessDamaged } from '../repair/rebuilding.js';

const KEYS_READ = 4096;

export function rebuildEvents(rebuilding: Rebuilding): void {
  const { file } = rebuilding;
  const damaged: string[] = [];
  let keys = file.keysAfter('events', null, KEYS_READ) as string[];
  while (keys.length > 0) {
    for (const key of keys) {
      const sound = unlessDamaged(
        () => JSON.parse(unseal(file.readCopy('events', key), key).toString('utf8')) !== null,
      );
      if (sound === null) damaged.push(key);
    }
    keys = file.keysAfter('events', keys[keys.length - 1] as string, KEYS_READ) as string[];
  }
  if (damaged.length === 0) return;
  file.write(() => {
    for (const key of damaged) file.remove('events', key);
  });
  rebuilding.lost.push({ what: `of the event log: ${damaged.join(', ')}`, transactions: [] });
}
