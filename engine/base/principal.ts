/** Who asks for something to be read or written. Plain data: it crosses threads as it is. */

import type { Authenticated } from './control.js';
import { SvcError } from './errors.js';

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

/**
 * Links of a chain; each is looked up with every write. As one text they stand with commas between them, in a header, on a
 * command line and in the verdicts that are signed about a write, so that no name may hold one.
 */
export const CHAIN_MAX = 100;

/** Of one text; `what` names it in messages. No principal: undefined, since nobody's authority counts then. */
export function chainOfText(text: string, what: string): readonly string[] | undefined {
  const named = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  checkLength(named.length, what);
  return named.length === 0 ? undefined : named;
}

/** Of a list as a caller of the library gives it. */
export function checkedChain(given: unknown, what: string): readonly string[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || !given.every((one) => typeof one === 'string' && one.trim() !== '')) {
    throw new SvcError('invalid_request', `${what}: expected a list of texts that are not empty`);
  }
  checkLength(given.length, what);
  const joined: string | undefined = given.find((one: string) => one.includes(','));
  if (joined === undefined) return given;
  throw new SvcError(
    'invalid_request',
    `${what}: '${joined.slice(0, 100)}' holds a comma, which stands between principals`,
    {
      hint: 'give each principal as an entry of its own',
    },
  );
}

function checkLength(length: number, what: string): void {
  if (length <= CHAIN_MAX) return;
  const message = `${what} names ${length} principals; at most ${CHAIN_MAX} can be judged`;
  throw new SvcError('invalid_request', message, {
    hint: 'name those who delegate to each other, the outermost first',
  });
}
