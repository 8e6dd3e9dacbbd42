/** The W3C suite of SHACL: core, and SHACL-SPARQL. */

import { Runner } from './run.js';
import { testSuites } from './sparql/suite-test.js';

testSuites('validator', new Runner([]), () => true, { shacl: 121 });
