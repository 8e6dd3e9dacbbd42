/** What is measured of freezing: a graph of some size, and a store with many frozen graphs. */
import type { DataSet } from '../data/data-set.js';

/** Transactions in which the graph is loaded. */
export const TRANSACTIONS = 10;

/** Steps of a freeze as its progress names them; what follows the last is taking the rows out. */
export const FREEZE_STEPS = ['measured', 'building', 'written', 'compared', 'verified', 'frozen'] as const;
export const THAW_STEPS = ['compared', 'thawed'] as const;

/**
 * Times in milliseconds: `freeze.wall`, `freeze.cpu` of all threads and `freeze.own` of the first one, and the same of each step
 * (`freeze.written.cpu`); of queries `count.before`, `count.frozen`, `count.after`.
 */
export type FreezeFigures = Record<string, number>;

export interface FreezeCase {
  readonly data: DataSet;
  readonly runs: FreezeFigures[];
  readonly errors: string[];
  median: FreezeFigures | null;
}

export interface ManyCase {
  readonly packs: number;
  readonly runs: FreezeFigures[];
  readonly errors: string[];
  median: FreezeFigures | null;
}

export const QUERIES = {
  count: 'SELECT (COUNT(*) AS ?n) FROM <GRAPH> { ?s ?p ?o }',
  group: 'SELECT ?type (COUNT(*) AS ?n) FROM <GRAPH> { ?s a ?type } GROUP BY ?type',
  join: 'SELECT (COUNT(*) AS ?n) FROM <GRAPH> { ?s a ?type ; <http://www.w3.org/2000/01/rdf-schema#label> ?label }',
  texts: 'SELECT ?s ?label FROM <GRAPH> { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?label }',
} as const;
export type QueryName = keyof typeof QUERIES;
