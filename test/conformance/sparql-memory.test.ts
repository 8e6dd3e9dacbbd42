/** The W3C suites of SPARQL: syntax, and evaluation over stores in memory. */

import { HTTP_CHECKS } from './http/checks.js';
import { Runner } from './run.js';
import { memorySubject } from './sparql/subjects.js';
import { testSuites } from './sparql/suite-test.js';

testSuites('query', new Runner([memorySubject()]), ({ kind }) => !HTTP_CHECKS.has(kind));
