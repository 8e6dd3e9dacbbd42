/** The header `X-Svc-Actor`: the actor of a write, where the body of the request has no field for it. */

import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../../engine/base/errors.js';

/** Absent = nobody is named. Node hands over each byte of a header as a character; here they are UTF-8. */
export function actorOf({ headers }: IncomingMessage): { readonly actor?: string } {
  const actor = headers['x-svc-actor'];
  if (typeof actor !== 'string') return {};
  try {
    const bytes = Buffer.from(actor, 'latin1');
    return { actor: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (cause) {
    throw new SvcError('invalid_utf8', 'X-Svc-Actor is not UTF-8', { cause });
  }
}
