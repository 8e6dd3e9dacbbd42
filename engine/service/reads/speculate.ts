/** What callers say of a speculation, and the store that they are shown. */

import type { Stop } from '../../base/control.js';
import type { Time } from '../options/store-options.js';

export interface SpeculateOptions extends Stop {
  /** Time label that the transaction would have: the end of what is retracted; absent = now. */
  readonly timestamp?: Time | undefined;
  /** From when on what is asserted holds; absent = `timestamp`. */
  readonly validFrom?: Time | undefined;
}
