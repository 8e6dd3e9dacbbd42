/** Random updates leave the state that the naive evaluator leaves; random queries about the past see the past. */

import { testRandomCases } from './differential/random-test.js';

testRandomCases('random updates leave one state', 'update', 200);
testRandomCases('random queries about the past have one answer', 'history', 400);
