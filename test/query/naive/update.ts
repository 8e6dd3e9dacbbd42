/** SPARQL 1.1 Update by the naive evaluator: each operation makes a new list of quads. */

import { type ParseOptions, parseWithTraqula, type TraqulaAlgebra } from '../../../engine/query/parse/traqula.js';
import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import { distinctQuads, quadKey } from './dataset.js';
import { evaluate } from './evaluate.js';
import { matchPatterns } from './patterns.js';
import { instantiate, scopeOf } from './query.js';
import { EMPTY, join, type Solution } from './solutions.js';

type Pattern = TraqulaAlgebra.Pattern;

export function naiveUpdate(text: string, quads: readonly Quad[], options: ParseOptions = {}): Quad[] {
  const parsed = parseWithTraqula(text, options);
  if (parsed.kind !== 'update') throw new Error('the text holds a query');
  let state = distinctQuads(quads);
  /** Graphs that the request has made and that may be empty. */
  const created = new Set<string>();
  parsed.operations.forEach((operation, index) => {
    switch (operation.kind) {
      case 'insertdata':
        // The same label is the same blank node in the whole request.
        state = change(
          state,
          [],
          instantiate(operation.quads, [EMPTY]).map((quad) => relabelled(quad, 'data')),
        );
        break;
      case 'deletedata':
        state = change(state, instantiate(operation.quads, [EMPTY]), []);
        break;
      case 'deletewhere':
        state = change(state, instantiate(operation.quads, matchQuads(operation.quads, text, state)), []);
        break;
      case 'modify': {
        const using = operation.using ?? (operation.with === null ? null : withDataset(operation.with, state));
        const rows = evaluate(operation.where, scopeOf(text, state, using));
        const into = (template: readonly Pattern[]) =>
          instantiate(template, rows).map((quad) => inGraph(quad, operation.with));
        state = change(
          state,
          into(operation.delete),
          into(operation.insert).map((quad) => relabelled(quad, `${index}`)),
        );
        break;
      }
      case 'graphs':
        state = manage(operation.operation, state, created);
        break;
    }
  });
  return state;
}

/** WITH replaces the default graph and leaves the named ones as they are. */
function withDataset(name: string, state: readonly Quad[]): { defaultGraphs: string[]; namedGraphs: string[] } {
  const namedGraphs = new Set(state.map(({ graph }) => graph.value).filter((value) => value !== ''));
  return { defaultGraphs: [name], namedGraphs: [...namedGraphs] };
}

function change(state: readonly Quad[], gone: readonly Quad[], added: readonly Quad[]): Quad[] {
  const keys = new Set(gone.map(quadKey));
  return distinctQuads([...state.filter((quad) => !keys.has(quadKey(quad))), ...added]);
}

function relabelled(quad: Quad, scope: string): Quad {
  const label = <T extends Term>(term: T): T =>
    term.termType === 'BlankNode' && term.value.startsWith('new.')
      ? (terms.blankNode(`${scope}.${term.value}`) as unknown as T)
      : term;
  return terms.quad(label(quad.subject), quad.predicate, label(quad.object), quad.graph);
}

function inGraph(quad: Quad, name: string | null): Quad {
  if (name === null || quad.graph.termType !== 'DefaultGraph') return quad;
  return terms.quad(quad.subject, quad.predicate, quad.object, terms.namedNode(name));
}

/** The pattern of DELETE WHERE: each quad against the graph that it names. */
function matchQuads(patterns: readonly Pattern[], text: string, state: readonly Quad[]): Solution[] {
  const { dataset } = scopeOf(text, state, null);
  const found = patterns.map((pattern) => {
    const graph = pattern.graph as Term;
    if (graph.termType === 'DefaultGraph') return matchPatterns([pattern], dataset.default, EMPTY);
    if (graph.termType === 'NamedNode')
      return matchPatterns([pattern], dataset.named.get(graph.value)?.triples ?? [], EMPTY);
    return [...dataset.named.values()].flatMap(({ name, triples }) =>
      join(matchPatterns([pattern], triples, EMPTY), [new Map([[graph.value, name]])]),
    );
  });
  return found.reduce(join, [EMPTY]);
}

type Management = Exclude<TraqulaAlgebra.Update, TraqulaAlgebra.DeleteInsert>;

function manage(operation: Management, state: readonly Quad[], created: Set<string>): Quad[] {
  switch (operation.type) {
    case 'create':
      created.add(operation.source.value);
      return [...state];
    case 'clear':
    case 'drop': {
      const { source } = operation;
      const isMeant = (name: string): boolean => {
        if (source === 'ALL') return true;
        if (source === 'DEFAULT' || source === 'NAMED') return (name === '') === (source === 'DEFAULT');
        return name === source.value;
      };
      if (operation.type === 'drop') for (const name of created) if (isMeant(name)) created.delete(name);
      return state.filter(({ graph }) => !isMeant(graph.value));
    }
    case 'add':
    case 'copy':
    case 'move':
      return transfer(operation, state, created);
    default:
      throw new Error(`no ${operation.type} here`);
  }
}

/** From a graph that does not exist these fail, and a failure that is SILENT changes nothing. */
function transfer(
  operation: TraqulaAlgebra.Add | TraqulaAlgebra.Move | TraqulaAlgebra.Copy,
  state: readonly Quad[],
  created: Set<string>,
): Quad[] {
  const { type, source, destination } = operation;
  const [from, to] = [source, destination].map((name) => (name === 'DEFAULT' ? '' : name.value)) as [string, string];
  const found = state.filter(({ graph }) => graph.value === from);
  const exists = from === '' || created.has(from) || found.length > 0;
  if (from === to || !exists) return [...state];
  const target = to === '' ? terms.defaultGraph() : terms.namedNode(to);
  const copied = found.map(({ subject, predicate, object }) => terms.quad(subject, predicate, object, target));
  const kept = state.filter(({ graph }) => {
    if (graph.value === to) return type === 'add';
    return graph.value !== from || type !== 'move';
  });
  if (type === 'move') created.delete(from);
  return distinctQuads([...kept, ...copied]);
}
