/** What calls of functions have of the query that makes them. */

import type { Stop } from '../../base/control.js';
import type { Deadline } from '../../base/interrupt.js';
import type { TableFunctions } from '../functions/table-function.js';
import type { Waits } from './operator.js';

export interface CallResources {
  readonly functions: TableFunctions | undefined;
  readonly options: Stop & { readonly deadline?: Deadline | undefined };
  readonly waits: Waits;
}
