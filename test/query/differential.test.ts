/**
 * The engine against the naive evaluator, against an engine that others have written, and against itself
 * with rewrites and planner choices switched off, on random queries.
 */

import { testRandomCases } from './differential/random-test.js';

testRandomCases('random queries have one answer', 'query', 900);
