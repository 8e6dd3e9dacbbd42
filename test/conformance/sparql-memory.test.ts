/** The W3C suites of SPARQL: syntax, and evaluation over stores in memory. */

import { memorySubject } from './sparql/subjects.js';
import { testSuites } from './sparql/suite-test.js';

testSuites(memorySubject(), () => true);
