/** The constants of a query, and which ids a lake has for them. */

import type { Control } from '../../base/control.js';
import type { Algebra, ParsedQuery } from '../../query/algebra/algebra.js';
import { childrenOf, expressionsOf } from '../../query/algebra/algebra.js';
import type { Expression } from '../../query/algebra/expression.js';
import { patternTermsOf } from '../../query/algebra/mentioned.js';
import type { Path } from '../../query/algebra/path.js';
import { plainTerm } from '../../query/algebra/slot.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { foldedTerm, termKey, termToString } from '../../rdf/canonical/lines.js';
import { type Term, terms } from '../../rdf/terms.js';
import type { LakeEngine } from '../lake-engine.js';
import { termOf } from './answers.js';
import type { Dialect } from './dialects/dialect.js';

/** Terms that a query names, by their canonical text. */
export function constantsOf({ algebra, dataset }: ParsedQuery): Map<string, Term> {
  const found = new Map<string, Term>();
  const add = (given: Term): void => {
    const term = plainTerm(given);
    if (!/^(NamedNode|Literal|Quad)$/.test(term.termType)) return;
    found.set(keyOf(term), term);
  };
  const addIri = (iri: string): void => add(terms.namedNode(iri));
  const enter = (node: Algebra): void => {
    for (const term of patternTermsOf(node)) if (term?.kind === 'term') add(term.term);
    if (node.kind === 'values') for (const row of node.rows) for (const term of row) if (term !== null) add(term);
    if (node.kind === 'closure') addPath(node.path, addIri);
    for (const expression of expressionsOf(node)) enterExpression(expression);
    for (const child of childrenOf(node)) enter(child);
  };
  const enterExpression = (expression: Expression): void => {
    if (expression.kind === 'term') add(expression.term);
    if (expression.kind === 'exists') enter(expression.pattern);
    if ('args' in expression) for (const arg of expression.args) enterExpression(arg);
  };
  enter(algebra);
  for (const iri of [META_GRAPH_IRI, REGISTRY_GRAPH_IRI]) addIri(iri);
  for (const iri of [...(dataset?.defaultGraphs ?? []), ...(dataset?.namedGraphs ?? [])]) addIri(iri);
  return found;
}

function addPath(path: Path, add: (iri: string) => void): void {
  if (path.kind === 'predicate') add(path.iri);
  if (path.kind === 'negated') for (const iri of [...(path.forward ?? []), ...(path.backward ?? [])]) add(iri);
  if ('path' in path) addPath(path.path, add);
  if ('paths' in path) for (const one of path.paths) addPath(one, add);
}

const keyOf = (term: Term): string => termKey(foldedTerm(term));

const NAMES = ['id', 'kind', 'text', 'datatype', 'lang', 'dir'] as const;

/** Which of them the lake has, asked in one go. */
export async function findConstants(
  query: ParsedQuery,
  engine: LakeEngine,
  dialect: Dialect,
  control: Control,
): Promise<(term: Term) => bigint | null> {
  const wanted = constantsOf(query);
  const ids = new Map<string, bigint>();
  if (wanted.size > 0) {
    const texts = [
      ...new Set([...wanted.values()].map((term) => (term.termType === 'Quad' ? termToString(term) : term.value))),
    ].map((text) => dialect.text(text));
    const sql = `SELECT id, kind, text, datatype, lang, dir FROM ${dialect.table('terms')} WHERE text IN (${texts.join(', ')})`;
    const columns = { variable: '', fields: Object.fromEntries(NAMES.slice(1).map((name) => [name, name])) };
    for await (const rows of engine.rows(sql, NAMES, control)) {
      for (const row of rows) {
        const term = termOf(columns, (name) => row[NAMES.indexOf(name as (typeof NAMES)[number])] ?? null);
        if (term !== null) ids.set(keyOf(term), BigInt(row[0] as bigint));
      }
    }
  }
  return (term) => ids.get(keyOf(plainTerm(term))) ?? null;
}
