/**
 * How long the disk will do, if writes go on as they did of late. It is a guess, and says so: what a statement takes is
 * the mean of the whole file, and the transactions of late are those that the end of the log holds. Maintenance needs room
 * for a while that this does not count.
 */

import type { StoreInspection } from '../../../engine/storage/admin/inspect.js';
import { type Finding, findingsOf, showBytes } from './finding.js';

const { ok, warning } = findingsOf('store');

/** Fewer tell nothing. */
const TRANSACTIONS_MIN = 5;
/** So much more or less may come. */
const UNCERTAINTY = 3;
const DAY_S = 86_400;
const DAYS_MIN = 14;
/** Each statement stands in three orders. */
const ORDERS = 3;
/** What a statement takes where no run says it: about what it is of small values. */
const STATEMENT_BYTES = 60;

function rounded(value: number): string {
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return (Math.floor(value / digits) * digits).toLocaleString('en-US');
}

/** Null where the log tells too little. */
export function judgeForecast({ recent, storedRows, fileBytes }: StoreInspection, freeBytes: number): Finding | null {
  const [first, last] = [recent[0], recent.at(-1)];
  const statements = recent.reduce((sum, one) => sum + one.statements, 0);
  if (first === undefined || last === undefined || recent.length < TRANSACTIONS_MIN || statements === 0) return null;
  const statementBytes = storedRows === 0 ? STATEMENT_BYTES : (ORDERS * fileBytes) / storedRows;
  const transactionBytes = (statements / recent.length) * statementBytes;
  const transactions = freeBytes / transactionBytes;
  const rate = `${showBytes(Math.ceil(transactionBytes))} a transaction by the last ${recent.length}`;
  const many = `${rounded(transactions / UNCERTAINTY)} to ${rounded(transactions * UNCERTAINTY)} more transactions`;
  const spanS = last.timestamp - first.timestamp;
  if (spanS <= 0) return ok('forecast', `about ${rate}: room for ${many}; at which pace they come is not known`);
  const days = (transactions * spanS) / (recent.length - 1) / DAY_S;
  const [least, most] = [days / UNCERTAINTY, days * UNCERTAINTY];
  const message = `about ${rate}: room for ${many}, ${rounded(least)} to ${rounded(most)} days at their pace`;
  if (least >= DAYS_MIN) return ok('forecast', message);
  return warning('forecast', message, 'make room in time, or move the store to a larger disk');
}
