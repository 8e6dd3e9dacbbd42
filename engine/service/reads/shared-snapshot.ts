/** A snapshot for one of several uses: whoever is done with it leaves it open for the others. */

import { DelegatingSnapshot } from '../../storage/seam/delegating-snapshot.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { StoreSnapshot } from './snapshot.js';

class UnclosedSnapshot extends DelegatingSnapshot {
  constructor(private readonly inner: StorageSnapshot) {
    super();
  }

  protected use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    return ask(this.inner);
  }

  override close(): void {
    // Whoever opened it closes it.
  }
}

/** What a query closes when it is answered, without the snapshot behind it. */
export function sharedSnapshot(snapshot: StorageSnapshot): StoreSnapshot {
  return new StoreSnapshot(new UnclosedSnapshot(snapshot), CURRENT, () => undefined);
}
