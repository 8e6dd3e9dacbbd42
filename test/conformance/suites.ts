/** The suites beside the checkout, in the order in which they run. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCase } from './cases.js';
import { readJsonLdManifest, readTurtleManifest } from './manifests.js';

export interface Suite {
  readonly name: string;
  /** The folder under `conformance`. */
  readonly folder: string;
  read(folder: string): Promise<TestCase[]>;
}

const turtleSuite = (name: string, groups: readonly string[]): Suite => ({
  name,
  folder: name,
  async read(folder) {
    const cases: TestCase[] = [];
    for (const group of groups) {
      const file = join(folder, group, 'manifest.ttl');
      cases.push(...(await readTurtleManifest({ suite: name, file, folder })));
    }
    return cases;
  },
});

/** The first manifest includes those of all groups, but for those that follow. */
const sparqlSuite = (name: string, ...manifests: readonly string[]): Suite => ({
  name,
  folder: name,
  async read(folder) {
    const cases: TestCase[] = [];
    for (const manifest of manifests) {
      cases.push(...(await readTurtleManifest({ suite: name, file: join(folder, manifest), folder })));
    }
    return cases;
  },
});

export const SUITES: readonly Suite[] = [
  turtleSuite('rdf11', ['rdf-n-triples', 'rdf-n-quads', 'rdf-turtle', 'rdf-trig', 'rdf-xml']),
  turtleSuite('rdf12', ['rdf-n-triples', 'rdf-n-quads', 'rdf-turtle', 'rdf-trig', 'rdf-xml']),
  turtleSuite('rdf-canon', ['']),
  sparqlSuite('sparql10', 'manifest.ttl'),
  sparqlSuite('sparql11', 'manifest-all.ttl', 'http-rdf-update/manifest.ttl'),
  sparqlSuite('sparql12', 'manifest.ttl'),
  sparqlSuite('shacl', 'manifest.ttl', 'sparql/component/nodeValidator-001.ttl'),
  {
    name: 'jsonld',
    folder: 'jsonld',
    async read(folder) {
      return ['toRdf', 'fromRdf'].flatMap((group) =>
        readJsonLdManifest('jsonld', group, join(folder, `${group}-manifest.jsonld`)),
      );
    },
  },
];

/** Suites that nothing runs yet, and what they need. */
export const NOT_RUN_YET: readonly (readonly [folder: string, needs: string])[] = [
  ['rdf11/rdf-mt', 'entailment'],
  ['rdf12/rdf-semantics', 'entailment'],
];

export function suiteFolder(root: string, suite: Suite): string | null {
  const folder = join(root, suite.folder);
  return existsSync(folder) ? folder : null;
}
