/** A snapshot for one of several uses: whoever is done with it leaves it open for the others. */

import { DelegatingSnapshot } from '../../storage/seam/delegating-snapshot.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export class UnclosedSnapshot extends DelegatingSnapshot {
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
