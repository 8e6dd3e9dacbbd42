/**
 * Which rows a moment sees, as one pass over the columns of time (semantics 1.4). A row that was never
 * closed has `txTo` OPEN; its `validTo` is OPEN too unless it was asserted with an end. Selections are as
 * in `select-rows.ts`: `from` 0 = rows `[0, count)`, and `to` may be `from`.
 */
import { idAt, rowAt } from './row-order';

const OPEN: u64 = ~(<u64>0);

/** Open as transaction `tx` knew it: asserted by then, and without an end that was known then. */
export function selectAsOf(
  txFrom: usize,
  txTo: usize,
  validTo: usize,
  from: usize,
  count: u32,
  tx: u64,
  to: usize,
): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const closed = idAt(txTo, row);
    const lasts = select<bool>(idAt(validTo, row) == OPEN, closed > tx, closed == OPEN);
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += <u32>(idAt(txFrom, row) <= tx) & <u32>lasts;
  }
  return kept;
}

/** Valid at the instant `at` as transaction `tx` knew it: an end that was set later counts as none. */
export function selectAsOfValidAt(
  txFrom: usize,
  txTo: usize,
  validFrom: usize,
  validTo: usize,
  from: usize,
  count: u32,
  tx: u64,
  at: u64,
  to: usize,
): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const closed = idAt(txTo, row);
    const closedLater = <u32>(closed != OPEN) & <u32>(closed > tx);
    const begun = <u32>(idAt(txFrom, row) <= tx) & <u32>(idAt(validFrom, row) <= at);
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += begun & (closedLater | <u32>(at < idAt(validTo, row)));
  }
  return kept;
}

/** Takes the ends back that transactions after `tx` set: `txTo` and `validTo` become OPEN, in place. */
export function closeAsOf(txTo: usize, validTo: usize, from: usize, count: u32, tx: u64): void {
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const closed = idAt(txTo, row);
    if (closed == OPEN || closed <= tx) continue;
    store<u64>(txTo + ((<usize>row) << 3), OPEN);
    store<u64>(validTo + ((<usize>row) << 3), OPEN);
  }
}
