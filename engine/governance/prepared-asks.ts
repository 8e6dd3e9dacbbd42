/** ASK queries of policies, ready to be evaluated: each text is parsed once, and what is no ASK is refused by the words of its policy. */

import { SvcError } from '../base/errors.js';
import { type PreparedQuery, prepareQuery } from '../query/query.js';
import { askAbout } from './policies.js';

const PREPARED_MAX = 1000;

/** What the messages say of a query: `the claim of the policy <...>`. */
export interface AskedPolicy {
  readonly what: string;
  readonly hint: string;
}

export class PreparedAsks {
  readonly #prepared = new Map<string, PreparedQuery>();

  /** About a node, which takes the place of `$target`. Throws `invalid_request`. */
  about(query: string, target: string, asked: AskedPolicy): PreparedQuery {
    const text = askAbout(query, target);
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const prepared = prepareAsk(text, asked);
    if (this.#prepared.size >= PREPARED_MAX) this.#prepared.clear();
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

function prepareAsk(text: string, { what, hint }: AskedPolicy): PreparedQuery {
  let prepared: PreparedQuery;
  try {
    prepared = prepareQuery(text);
    prepared.check();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SvcError('invalid_request', `${what} is no query: ${reason}`, { hint, cause: error });
  }
  if (prepared.form === 'ask') return prepared;
  throw new SvcError('invalid_request', `${what} is a query of the form ${prepared.form.toUpperCase()}; expected ASK`, {
    hint,
  });
}
