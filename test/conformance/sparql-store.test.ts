/** The W3C suites of SPARQL: evaluation over a store file, through the library and the result formats. */

import { EVALUATIONS } from './sparql/checks.js';
import { storeSubject } from './sparql/subjects.js';
import { testSuites } from './sparql/suite-test.js';

testSuites(storeSubject(), ({ kind }) => EVALUATIONS.has(kind));
