/** Who asks for something to be read or written. Plain data: it crosses threads as it is. */

import type { Authenticated } from './control.js';
import { SvcError } from './errors.js';

/** Graphs by what their IRIs begin with. */
export interface GraphPattern {
  readonly prefix: string;
  /** IRIs of graphs that are not meant, or what theirs begin with, followed by `*`. */
  readonly except: readonly string[];
}

export interface Principal {
  /** What a token proved; null: there was none, or the caller uses the library. */
  readonly authenticated: Authenticated | null;
  /** IRIs of the graphs that the principal may read, ROOT's among them if it may read ROOT; null = every graph. */
  readonly readable: readonly string[] | null;
  /** Graphs that it may read besides; absent or empty: none. Means nothing to who may read every graph. */
  readonly patterns?: readonly GraphPattern[] | undefined;
  /** By which rules of reading mean it; absent: there are none. What it keeps beside the events is kept by this name. */
  readonly reader?: string | undefined;
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

/** Names that the service gives to graphs, among them those of copies of others: no pattern means them. */
const GIVEN = 'urn:svc:';
/** Behind the IRI of a graph: the graph of what follows from it. */
const COMPANION = /#inferred$/;

/** Whether a pattern means a graph; what follows from a graph goes with it. */
export function meansGraph({ prefix, except }: GraphPattern, iri: string): boolean {
  if (iri.startsWith(GIVEN) || !iri.startsWith(prefix)) return false;
  const asserted = iri.replace(COMPANION, '');
  return !except.some((one) =>
    one.endsWith('*')
      ? asserted.startsWith(one.slice(0, -1)) || iri.startsWith(one.slice(0, -1))
      : asserted === one || iri === one,
  );
}

/** Whether a graph of that name may be read, whether there is one or not. */
export function mayRead({ readable, patterns = [] }: Principal, iri: string): boolean {
  return readable === null || readable.includes(iri) || patterns.some((pattern) => meansGraph(pattern, iri));
}
