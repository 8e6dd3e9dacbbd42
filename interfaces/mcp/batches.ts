/**
 * Several messages in one POST, as versions until 2025-03-26 send them. Requests of a batch have ids of their own, since
 * answers are told apart by nothing else; and none of them can be taken back by the batch that brings it, which would
 * leave the POST without an answer to wait for.
 */

function idOf(message: unknown): unknown {
  const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** Whether two requests of the batch have the same id. */
export function repeatsIds(batch: readonly unknown[]): boolean {
  const ids = batch.map(idOf).filter((id) => id !== null);
  return new Set(ids).size < ids.length;
}

export function withoutCancellations(batch: readonly unknown[]): unknown[] {
  return batch.filter((message) => (message as { method?: unknown } | null)?.method !== 'notifications/cancelled');
}
