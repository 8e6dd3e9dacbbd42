/** What a command says of a search that was to go by meaning, too, and could not. */

import type { Answer, Body } from '../../../engine/service/operations/definition/operation.js';

/** Null where vectors had their part, or there is no provider. */
export function vectorNote(answer: Answer<Body>): string | null {
  if (answer.kind !== 'body') return null;
  const { embeddings } = (answer.body.summary ?? answer.body) as {
    readonly embeddings?: { readonly error?: string } | undefined;
  };
  return embeddings?.error === undefined ? null : `note: by text alone, without vectors: ${embeddings.error}\n`;
}
