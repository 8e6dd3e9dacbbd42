/** Every operation of the service, in the order in which help lists them. */

import { exportOperation } from './export.js';
import { knot } from './knot.js';
import type { Operation } from './operation.js';
import { read } from './read.js';
import { stats } from './stats.js';
import { verify } from './verify.js';

export const OPERATIONS: readonly Operation[] = [knot, read, stats, exportOperation, verify];
