/** Who asks for something to be read or written. Plain data: it crosses threads as it is. */

import type { Authenticated } from './control.js';

export interface Principal {
  /** What a token proved; null: there was none, or the caller uses the library. */
  readonly authenticated: Authenticated | null;
  /** IRIs of the graphs that the principal may read, ROOT's among them if it may read ROOT; null = every graph. */
  readonly readable: readonly string[] | null;
  /** Principals on whose behalf it is written, the outermost first; absent or empty: nobody was named. */
  readonly chain?: readonly string[] | undefined;
}

/** Nobody in particular, who may read every graph. */
export const ANYONE: Principal = { authenticated: null, readable: null };
