/** The W3C suites of the SPARQL protocol, the graph store protocol and the service description, against a live server. */

import { HTTP_CHECKS } from './http/checks.js';
import { Runner } from './run.js';
import { testSuites } from './sparql/suite-test.js';

testSuites('a live server', new Runner([]), ({ kind }) => HTTP_CHECKS.has(kind), { sparql11: 60 });
