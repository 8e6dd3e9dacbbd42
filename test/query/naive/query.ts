/** Queries by the naive evaluator: text and quads in, an answer out. */

import { type ParseOptions, parseWithTraqula, type TraqulaAlgebra } from '../../../engine/query/parse/traqula.js';
import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import { type DatasetNames, datasetOf, distinctQuads } from './dataset.js';
import { evaluate, type Scope } from './evaluate.js';
import { EMPTY, type Solution } from './solutions.js';

export type NaiveAnswer =
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'rows'; readonly variables: readonly string[]; readonly rows: readonly Solution[] }
  | { readonly kind: 'graph'; readonly quads: readonly Quad[] };

export function naiveQuery(text: string, quads: readonly Quad[], options: ParseOptions = {}): NaiveAnswer {
  const parsed = parseWithTraqula(text, options);
  if (parsed.kind !== 'query') throw new Error('the text holds an update');
  const { algebra } = parsed;
  if (algebra.type !== 'from') return answer(algebra, scopeOf(text, quads, null));
  const names = {
    defaultGraphs: algebra.default.map(({ value }) => value),
    namedGraphs: algebra.named.map(({ value }) => value),
  };
  return answer(algebra.input, scopeOf(text, quads, names));
}

export function scopeOf(text: string, quads: readonly Quad[], names: DatasetNames | null): Scope {
  const dataset = datasetOf(quads, names);
  const written = new Set(Array.from(text.matchAll(/[?$](\w+)/g), ([, name]) => name as string));
  return { dataset, graph: dataset.default, outer: EMPTY, written };
}

function answer(node: TraqulaAlgebra.Operation, scope: Scope): NaiveAnswer {
  const { form, slices } = formOf(node);
  if (form.type === 'ask') return { kind: 'boolean', value: slices(evaluate(form.input, scope)).length > 0 };
  if (form.type === 'construct') {
    const rows = slices(evaluate(form.input, scope));
    return { kind: 'graph', quads: instantiate(form.template, rows) };
  }
  const rows = evaluate(node, scope);
  return { kind: 'rows', variables: projectionOf(node), rows };
}

type Slices = (rows: Solution[]) => Solution[];

function formOf(node: TraqulaAlgebra.Operation): { form: TraqulaAlgebra.Operation; slices: Slices } {
  if (node.type !== 'slice') return { form: node, slices: (rows) => rows };
  const { form, slices } = formOf(node.input);
  const end = node.length === undefined ? undefined : node.start + node.length;
  return { form, slices: (rows) => slices(rows).slice(node.start, end) };
}

function projectionOf(node: TraqulaAlgebra.Operation): string[] {
  if (node.type === 'project') return node.variables.map(({ value }) => value);
  if ('input' in node && !Array.isArray(node.input)) return projectionOf(node.input as TraqulaAlgebra.Operation);
  throw new Error(`no projection in ${node.type}`);
}

/** A template once a solution; what is no quad is left out. Blank nodes are new for each solution. */
export function instantiate(template: readonly TraqulaAlgebra.Pattern[], rows: readonly Solution[]): Quad[] {
  const quads = rows.flatMap((row, index) =>
    template.flatMap(({ subject, predicate, object, graph }): Quad[] => {
      const [s, p, o, g] = [subject, predicate, object, graph].map((term) => fill(term as Term, row, index));
      if (!s || !p || !o || !g) return [];
      if (s.termType === 'Literal' || s.termType === 'Quad' || p.termType !== 'NamedNode') return [];
      if (g.termType !== 'DefaultGraph' && g.termType !== 'NamedNode' && g.termType !== 'BlankNode') return [];
      return [terms.quad(s as never, p, o as never, g)];
    }),
  );
  return distinctQuads(quads);
}

function fill(term: Term, row: Solution, index: number): Term | null {
  if (term.termType === 'Variable') return row.get(term.value) ?? null;
  if (term.termType === 'BlankNode') return terms.blankNode(`new.${index}.${term.value}`);
  return term;
}
