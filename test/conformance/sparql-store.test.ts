/** The W3C suites of SPARQL: evaluation over a store file, through the library and the result formats. */

import { Runner } from './run.js';
import { EVALUATIONS } from './sparql/checks.js';
import { storeSubject } from './sparql/subjects.js';
import { testSuites } from './sparql/suite-test.js';

testSuites('query-store', new Runner([storeSubject()]), ({ kind }) => EVALUATIONS.has(kind), {
  sparql10: 280,
  sparql11: 400,
  sparql12: 60,
});
