/** The part of `rdf-canonize` that we use; the package has no types of its own. */
declare module 'rdf-canonize' {
  export interface CanonizeTerm {
    termType: string;
    value: string;
    language?: string;
    datatype?: CanonizeTerm;
  }
  export interface CanonizeQuad {
    subject: CanonizeTerm;
    predicate: CanonizeTerm;
    object: CanonizeTerm;
    graph: CanonizeTerm;
  }
  export interface CanonizeOptions {
    algorithm: 'RDFC-1.0';
    messageDigestAlgorithm: string;
    canonicalIdMap: Map<string, string>;
    maxDeepIterations: number;
    signal?: AbortSignal | null;
  }
  export function canonize(dataset: CanonizeQuad[], options: CanonizeOptions): Promise<string>;
}
