/** What EXPLAIN tells of the requests of an operator that asks other stores. */

import type { OperatorStatistics, RequestWork } from '../../runtime/operator.js';

/** Requests that EXPLAIN shows one by one. */
const REQUESTS_SHOWN_MAX = 100;

export function noteRequest(statistics: OperatorStatistics, request: RequestWork): void {
  statistics.requests ??= [];
  statistics.requestsMade = (statistics.requestsMade ?? 0) + 1;
  if (statistics.requests.length < REQUESTS_SHOWN_MAX) statistics.requests.push(request);
}
