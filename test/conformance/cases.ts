/** What a test case is, whichever manifest it comes from, and what can become of it. */

import type { HttpCase } from './http/case.js';
import type { ShaclCase } from './shacl/case.js';
import type { SparqlCase } from './sparql/case.js';

/** A case as its manifest has it, with its files resolved. */
export interface TestCase {
  readonly suite: string;
  readonly group: string;
  /** `<suite>/<group>#<fragment>`, the name in the skip list. */
  readonly id: string;
  readonly name: string;
  /** The local name of its type, for example `TestTurtleEval`. */
  readonly kind: string;
  readonly action: string;
  readonly result: string | null;
  readonly baseIri: string;
  readonly hash: 'SHA-256' | 'SHA-384';
  readonly jsonLd: JsonLdCase | null;
  readonly sparql: SparqlCase | null;
  readonly http: HttpCase | null;
  readonly shacl: ShaclCase | null;
}

export interface JsonLdCase {
  /** The folder of the suite, and the IRI that it has on the web. */
  readonly folder: string;
  readonly folderIri: string;
  readonly errorCode: string | null;
  readonly positiveSyntax: boolean;
  readonly option: JsonLdOption;
}

export interface JsonLdOption {
  readonly specVersion?: string;
  readonly processingMode?: string;
  readonly base?: string;
  readonly rdfDirection?: 'i18n-datatype' | 'compound-literal';
  readonly expandContext?: string;
  readonly useNativeTypes?: boolean;
  readonly useRdfType?: boolean;
}

/** Thrown by a check: the case has failed, and why. */
export class Failure extends Error {}

export interface GroupCount {
  readonly suite: string;
  readonly group: string;
  passed: number;
  failed: number;
  skipped: number;
}
