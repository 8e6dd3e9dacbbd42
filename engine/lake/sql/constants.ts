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
import { TAG } from '../../storage/ids/layout.js';
import type { LakeEngine } from '../lake-engine.js';
import { termOf } from './answers.js';
import type { Dialect } from './dialects/dialect.js';
import { valueIdOf } from './scans.js';

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
    for (const term of patternTermsOf(node)) if (term?.kind === 'term' && valueIdOf(term.term) === null) add(term.term);
    if (node.kind === 'values') for (const row of node.rows) for (const term of row) if (term !== null) add(term);
    if (node.kind === 'extend' && node.expression.kind === 'term') add(node.expression.term);
    if (node.kind === 'closure') addPath(node.path, addIri);
    for (const expression of expressionsOf(node)) enterExpression(expression);
    for (const child of childrenOf(node)) enter(child);
  };
  const enterExpression = (expression: Expression): void => {
    if (expression.kind === 'term' && valueIdOf(expression.term) === null) add(expression.term);
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
/** Terms that one statement asks for by a part of its own, which prunes best. */
const PARTS_MAX = 32;
/** Ids that are kept of a lake. */
const KEPT_MAX = 100_000;

/** Which of them the lake has: those that were not looked up before are asked for in one go. */
export async function findConstants(
  query: ParsedQuery,
  engine: LakeEngine,
  dialect: Dialect,
  control: Control,
): Promise<(term: Term) => bigint | null> {
  const wanted = constantsOf(query);
  if (engine.ids.size > KEPT_MAX) engine.ids.clear();
  const { ids } = engine;
  const missing = [...wanted].filter(([key]) => !ids.has(key)).map(([, term]) => term);
  if (missing.length > 0) {
    const found = new Map<string, bigint>();
    const columns = { variable: '', fields: Object.fromEntries(NAMES.slice(1).map((name) => [name, name])) };
    for await (const rows of engine.rows(lookUpOf(missing, dialect), NAMES, control)) {
      for (const row of rows) {
        const term = termOf(columns, (name) => row[NAMES.indexOf(name as (typeof NAMES)[number])] ?? null);
        if (term !== null) found.set(keyOf(term), BigInt(row[0] as bigint));
      }
    }
    for (const term of missing) ids.set(keyOf(term), found.get(keyOf(term)) ?? null);
  }
  return (term) => ids.get(keyOf(plainTerm(term))) ?? null;
}

/** Terms of one kind have neighbouring ids and, of one load, sorted texts: both are bounds of row groups. */
function lookUpOf(missing: readonly Term[], dialect: Dialect): string {
  const from = `SELECT ${NAMES.join(', ')} FROM ${dialect.table('terms')} WHERE`;
  const within = ({ first, last }: TagRange): string =>
    `id >= ${BigInt(first) << 56n} AND id < ${BigInt(last + 1) << 56n}`;
  const textOf = (term: Term): string => dialect.text(term.termType === 'Quad' ? termToString(term) : term.value);
  const byRange = new Map<string, string[]>();
  for (const term of missing) {
    const range = within(tagsOf(term));
    byRange.set(range, [...(byRange.get(range) ?? []), textOf(term)]);
  }
  const isShort = missing.length <= PARTS_MAX;
  const parts = [...byRange].flatMap(([range, texts]) =>
    isShort
      ? texts.map((one) => `${from} ${range} AND text = ${one}`)
      : [`${from} ${range} AND text IN (${texts.join(', ')})`],
  );
  return parts.join('\nUNION ALL\n');
}

interface TagRange {
  readonly first: number;
  readonly last: number;
}

/** Of the ids of such a term. */
function tagsOf(term: Term): TagRange {
  if (term.termType === 'NamedNode') return { first: TAG.iri, last: TAG.iri };
  if (term.termType === 'Quad') return { first: TAG.triple, last: TAG.triple };
  return { first: TAG.string, last: TAG.float };
}
