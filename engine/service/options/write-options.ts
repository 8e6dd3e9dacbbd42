/** What callers say about a write, checked and settled before the write takes its turn. */

import type { Authenticated } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { WaitWatch } from '../../base/waiting.js';
import type { TransactionOptions } from '../../storage/seam/engine.js';
import { type Time, toInstant } from './store-options.js';

/** As explanations take them (semantics of reasoning, 2.5). */
const DERIVED_SOURCE = /^(reasoner:|owl:materialize)/;

export interface WriteOptions {
  /** Time label of the transaction; absent = now. */
  readonly timestamp?: Time | undefined;
  /** From when on what is asserted holds; absent = `timestamp`. */
  readonly validFrom?: Time | undefined;
  /** Who says to write. */
  readonly actor?: string | undefined;
  /** Where the quads come from; none that begins as the sources of derived facts do, `reasoner:` and `owl:materialize`. */
  readonly source?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @internal Who asked, by the token that the service has checked. */
  readonly authenticated?: Authenticated | undefined;
  /** Principals on whose behalf it is written, the outermost first; what each of them may write is judged by `governance.enforceAuthority`. */
  readonly principalChain?: readonly string[] | undefined;
  /** @internal Told how long the write waits for its turn. */
  readonly wait?: WaitWatch | undefined;
}

export function settleWrite(options: WriteOptions): TransactionOptions {
  const { timestamp, validFrom, actor, source, authenticated } = options;
  return {
    timestamp: timestamp === undefined ? undefined : toInstant(timestamp, true, 'timestamp'),
    validFrom: validFrom === undefined ? undefined : toInstant(validFrom, false, 'valid_from'),
    actor: checkedText(actor, 'actor'),
    source: checkedSource(source),
    authenticated,
  };
}

/** What rules and ontologies have written is known by its source, and only they write it. */
function checkedSource(source: unknown): string | undefined {
  const text = checkedText(source, 'source');
  if (text === undefined || !DERIVED_SOURCE.test(text)) return text;
  throw new SvcError('invalid_request', `source: '${text}' is the source of facts that are derived`, {
    hint: "name another: what rules ('reasoner:...') and ontologies ('owl:materialize') write is written by them alone",
  });
}

export function checkedText(text: unknown, name: string): string | undefined {
  if (text === undefined || typeof text === 'string') return text;
  throw new SvcError(
    'invalid_request',
    `${name}: expected a text, not a value of type ${text === null ? 'null' : typeof text}`,
  );
}
