/**
 * The text of an update to our algebra. What the grammar leaves open is settled here: labels of blank
 * nodes are scoped to the request as to a document (semantics text 8.2), and one label stands in one
 * WHERE only. A text without any operation is an update that changes nothing.
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { PayloadHash, resolveLabel, scopeDigits, scopeText } from '../../rdf/blank-node-scope.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
import type { Algebra } from '../algebra/algebra.js';
import { collectPatternVariables } from '../algebra/mentioned.js';
import type { GraphName, GraphTarget, ParsedUpdate, UpdateOperation } from '../algebra/update.js';
import { tooDeep } from './guard.js';
import { findInCode, positionAt } from './position.js';
import { nodesBeforeTemplate } from './template-nodes.js';
import { translateWhere } from './translate.js';
import { translateTemplate } from './translate-triples.js';
import { type ParseOptions, parseWithTraqula, type TraqulaAlgebra, type TraqulaUpdate } from './traqula.js';

type Pattern = TraqulaAlgebra.Pattern;
type Modify = Extract<UpdateOperation, { kind: 'modify' }>;

/** The parser writes labels of the text behind the first, and numbers anonymous nodes behind the second. */
const [WRITTEN, ANONYMOUS] = ['e_', 'g_'];

export function parseUpdate(text: string, options: ParseOptions = {}): ParsedUpdate {
  try {
    return parse(text, options);
  } catch (error) {
    throw error instanceof RangeError ? tooDeep('its expressions or blocks nest too deeply') : ofUpdate(error);
  }
}

/** The parser takes every text for a query until it has read it. */
function ofUpdate(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.position?.source !== 'query') return error;
  const { code, message, position, hint, cause } = error;
  return new SvcError(code, message.replace(/^the query /, 'the update '), {
    position: { ...position, source: 'update' },
    ...(hint === undefined ? {} : { hint: hint.replace('the query', 'the update') }),
    cause,
  });
}

function parse(text: string, options: ParseOptions): ParsedUpdate {
  const result = parseWithTraqula(text, options);
  if (result.kind === 'query') {
    throw new SvcError('invalid_request', 'the text is a query, not an update', { hint: 'ask it with read (query)' });
  }
  const labels = new RequestLabels(text, result.operations);
  const operations = result.operations.map((operation) => translateOperation(operation, text, labels));
  refuseSharedLabels(operations, text);
  return { operations };
}

function translateOperation(operation: TraqulaUpdate, text: string, labels: RequestLabels): UpdateOperation {
  switch (operation.kind) {
    case 'insertdata':
      return { kind: 'insertData', quads: operation.quads.map((pattern) => labels.quad(pattern)) };
    case 'deletedata':
      return { kind: 'deleteData', quads: operation.quads.map((pattern) => labels.quad(pattern)) };
    case 'deletewhere':
      return modify(operation.quads, [], groupOf(operation.quads), text, { with: null, using: null, baseIri: null });
    case 'modify':
      return modify(operation.delete, operation.insert, operation.where, text, operation);
    case 'graphs':
      return graphOperation(operation.operation);
  }
}

function modify(
  gone: readonly Pattern[],
  made: readonly Pattern[],
  where: TraqulaAlgebra.Operation,
  text: string,
  dataset: Pick<Modify, 'with' | 'using'> & { readonly baseIri: string | null },
): Modify {
  const { algebra, translation } = translateWhere(where, text, dataset.baseIri);
  const deletes = translateTemplate(gone, algebra, translation);
  const named = nodesBeforeTemplate(made, deletes.input, translation);
  const inserts = translateTemplate(named.patterns, named.input, translation);
  return {
    kind: 'modify',
    delete: deletes.template,
    insert: inserts.template,
    where: inserts.input,
    with: dataset.with,
    using: dataset.using,
  };
}

/** The quads of DELETE WHERE as the group that they are: patterns, and GRAPH around those that name one. */
function groupOf(quads: readonly Pattern[]): TraqulaAlgebra.Operation {
  const graphs = new Map<string, { readonly graph: Term; readonly patterns: Pattern[] }>();
  for (const quad of quads) {
    const graph = quad.graph as Term;
    const group = getOrInsert(graphs, `${graph.termType} ${graph.value}`, () => ({ graph, patterns: [] }));
    group.patterns.push({ ...quad, graph: terms.defaultGraph() } as Pattern);
  }
  const inputs = [...graphs.values()].map(({ graph, patterns }) => {
    const group = { type: 'bgp', patterns };
    return graph.termType === 'DefaultGraph' ? group : { type: 'graph', name: graph, input: group };
  });
  return { type: 'join', input: inputs } as TraqulaAlgebra.Operation;
}

function graphOperation(operation: Extract<TraqulaUpdate, { kind: 'graphs' }>['operation']): UpdateOperation {
  const silent = operation.silent ?? false;
  switch (operation.type) {
    case 'load':
      return { kind: 'load', source: operation.source.value, into: operation.destination?.value ?? null, silent };
    case 'clear':
    case 'drop':
      return { kind: operation.type, target: targetOf(operation.source), silent };
    case 'create':
      return { kind: 'create', graph: operation.source.value, silent };
    default:
      return { kind: operation.type, from: nameOf(operation.source), to: nameOf(operation.destination), silent };
  }
}

function targetOf(source: TraqulaAlgebra.Clear['source']): GraphTarget {
  switch (source) {
    case 'DEFAULT':
      return { kind: 'default' };
    case 'NAMED':
      return { kind: 'named' };
    case 'ALL':
      return { kind: 'all' };
    default:
      return { kind: 'graph', iri: source.value };
  }
}

function nameOf(graph: TraqulaAlgebra.Add['source']): GraphName {
  return graph === 'DEFAULT' ? null : graph.value;
}

/** Stored labels for the blank nodes of INSERT DATA: those of a document with the bytes of the request. */
class RequestLabels {
  readonly #digits: string;
  readonly #anonymous = new Map<string, number>();

  constructor(text: string, operations: readonly TraqulaUpdate[]) {
    const payload = new PayloadHash();
    payload.update(new TextEncoder().encode(text));
    this.#digits = scopeDigits(scopeText({ sha256: payload.digest() }));
    const found = new Set<string>();
    for (const operation of operations) {
      if (operation.kind === 'insertdata') for (const quad of operation.quads) collectAnonymous(quad as Term, found);
    }
    // The parser counts on from text to text, in the order in which the nodes stand.
    const sorted = [...found].sort((a, b) => Number(a.slice(ANONYMOUS.length)) - Number(b.slice(ANONYMOUS.length)));
    for (const [number, label] of sorted.entries()) this.#anonymous.set(label, number);
  }

  quad(pattern: Pattern): Quad {
    const [s, p, o] = [pattern.subject, pattern.predicate, pattern.object].map((term) => this.#stored(term as Term));
    return terms.quad(
      s as Quad['subject'],
      p as Quad['predicate'],
      o as Quad['object'],
      pattern.graph as Quad['graph'],
    );
  }

  #stored(term: Term): Term {
    if (term.termType === 'Quad') {
      const [s, p, o] = [term.subject, term.predicate, term.object].map((part) => this.#stored(part));
      return terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object']);
    }
    if (term.termType !== 'BlankNode') return term;
    const number = this.#anonymous.get(term.value);
    const provisional = number === undefined ? `-${writtenLabel(term.value)}` : `a${number}`;
    return terms.blankNode(resolveLabel(provisional, this.#digits, 'document'));
  }
}

function collectAnonymous(term: Term, into: Set<string>): void {
  if (term.termType === 'BlankNode' && term.value.startsWith(ANONYMOUS)) into.add(term.value);
  if (term.termType !== 'Quad') return;
  for (const part of [term.subject, term.predicate, term.object]) collectAnonymous(part, into);
}

function writtenLabel(label: string): string {
  return label.startsWith(WRITTEN) ? label.slice(WRITTEN.length) : label;
}

/** A label names one node of one group: two WHERE clauses can't share it (SPARQL 1.1, 19.6). */
function refuseSharedLabels(operations: readonly UpdateOperation[], text: string): void {
  const seen = new Set<string>();
  for (const operation of operations) {
    if (operation.kind !== 'modify') continue;
    const labels = labelsOf(operation.where);
    for (const label of labels) {
      if (!seen.has(label)) continue;
      const at = findInCode(text, `_:${label}`);
      throw new SvcError('parse_error', `the blank node label _:${label} stands in two WHERE clauses`, {
        ...(at === null ? {} : { position: positionAt(text, at) }),
        hint: 'give each its own label, or use a variable',
      });
    }
    for (const label of labels) seen.add(label);
  }
}

function labelsOf(where: Algebra): string[] {
  const names = new Set<string>();
  collectPatternVariables(where, names);
  const prefix = `_:${WRITTEN}`;
  return [...names].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
