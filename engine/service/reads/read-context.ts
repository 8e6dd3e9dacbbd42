/** The read context of a request as it comes in, by the configuration of the service. */

import { deadlineIn } from '../../base/interrupt.js';
import { ANYONE, type Principal } from '../../base/principal.js';
import { type ReadContext, WHOLE_SCOPE } from '../../query/read-context.js';
import { CURRENT } from '../../storage/seam/scan.js';
import type { Configuration } from '../configuration/configuration.js';

/** The setting that the deadlines of reads come from. */
export const QUERY_TIMEOUT = 'search.query_timeout_ms';

const MEGABYTE = 1024 * 1024;

/** Of everything in the present; the request narrows it. Its time runs from now on. */
export function readContext(configuration: Configuration, principal: Principal = ANYONE): ReadContext {
  const { query, search } = configuration;
  return {
    principal,
    scope: WHOLE_SCOPE,
    time: CURRENT,
    deadline: deadlineIn(search.query_timeout_ms, QUERY_TIMEOUT),
    budget: {
      memoryBytes: query.memory_budget_mb * MEGABYTE,
      spillBytesMax: query.spill_max_mb * MEGABYTE,
      spillDirectory: query.spill_directory,
      joinRowsMax: search.max_join_rows,
      threads: query.threads,
    },
  };
}
