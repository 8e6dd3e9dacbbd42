/** Traqula's algebra of a whole query to ours: the form, the dataset, the modifiers. */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { Algebra, ParsedQuery, PatternTerm } from '../algebra/algebra.js';
import { collectPatternVariables } from '../algebra/mentioned.js';
import { numberSolutions } from '../algebra/number-solutions.js';
import { scopeOf } from '../algebra/scope.js';
import { PatternTranslation } from './translate-pattern.js';
import { translateTemplate } from './translate-triples.js';
import type { ServiceQuery } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';

type Operation = TraqulaAlgebra.Operation;

export interface QueryText {
  readonly text: string;
  /** The projection was written as `*`. */
  readonly star: boolean;
  readonly serviceQuery: ServiceQuery;
  readonly baseIri: string | null;
}

export function translateQuery(operation: Operation, source: QueryText): ParsedQuery {
  if (operation.type === 'from') {
    const parsed = translateQuery(operation.input, source);
    const dataset = {
      defaultGraphs: operation.default.map((name) => name.value),
      namedGraphs: operation.named.map((name) => name.value),
    };
    return { ...parsed, dataset };
  }
  const translation = new PatternTranslation(source.text, source.serviceQuery, source.baseIri);
  const form = formOf(operation);
  if (form !== null) return translateForm(operation, form, translation);
  const algebra = translation.modifiers(
    operation,
    (names, input) => (source.star ? inTextOrder(names, input) : names),
    null,
  );
  const variables = projectionOf(algebra);
  return { form: 'select', variables, algebra, dataset: null, template: [], described: [] };
}

type Form = TraqulaAlgebra.Ask | TraqulaAlgebra.Construct | TraqulaAlgebra.Describe;

/** ASK, CONSTRUCT or DESCRIBE, which stand below slices only. */
function formOf(operation: Operation): Form | null {
  if (operation.type === 'slice') return formOf(operation.input);
  return operation.type === 'ask' || operation.type === 'construct' || operation.type === 'describe' ? operation : null;
}

function translateForm(operation: Operation, form: Form, translation: PatternTranslation): ParsedQuery {
  const pattern = translation.pattern(form.input, null);
  const nothing = { dataset: null, template: [], described: [] };
  switch (form.type) {
    case 'ask':
      return { ...nothing, form: 'ask', variables: [], algebra: sliced(operation, pattern) };
    case 'construct': {
      const { template, input } = translateTemplate(form.template, sliced(operation, pattern), translation, true);
      const terms = template.flatMap(({ s, p, o, g }) => (g === null ? [s, p, o] : [s, p, o, g]));
      const variables = variablesIn(terms, input);
      return { ...nothing, form: 'construct', variables, algebra: { kind: 'project', input, variables }, template };
    }
    default: {
      const input = sliced(operation, pattern);
      const described = form.terms.map((term) => describedTerm(term as Term));
      const variables = variablesIn(described, input);
      return { ...nothing, form: 'describe', variables, algebra: { kind: 'project', input, variables }, described };
    }
  }
}

function sliced(operation: Operation, inner: Algebra): Algebra {
  if (operation.type !== 'slice') return inner;
  const input = sliced(operation.input, inner);
  return { kind: 'slice', input, offset: operation.start, limit: operation.length ?? null };
}

function describedTerm(term: Term): PatternTerm {
  return term.termType === 'Variable' ? { kind: 'variable', name: term.value } : { kind: 'term', term };
}

/** Variables that the pattern cannot bind are left out: nothing comes of them. */
function variablesIn(terms: readonly PatternTerm[], input: Algebra): string[] {
  const { variables } = scopeOf(input);
  const names = terms.flatMap((term) => (term.kind === 'variable' ? [term.name] : variablesInside(term.term)));
  return [...new Set(names)].filter((name) => variables.has(name));
}

/** Of a triple term that the template fills in itself. */
function variablesInside(term: Term): string[] {
  if (term.termType !== 'Quad') return term.termType === 'Variable' ? [term.value] : [];
  return [term.subject, term.predicate, term.object].flatMap(variablesInside);
}

/** The parser sorts the variables of `SELECT *` by name; people expect the order of the text. */
function inTextOrder(names: readonly string[], input: Algebra): string[] {
  const found = [...scopeOf(input).variables].filter((name) => names.includes(name));
  return [...found, ...names.filter((name) => !found.includes(name))];
}

function projectionOf(algebra: Algebra): readonly string[] {
  if (algebra.kind === 'project') return algebra.variables;
  if ('input' in algebra) return projectionOf(algebra.input);
  throw new SvcError('internal', 'a SELECT query has no projection');
}

/** The pattern of an update, whose variables the templates read. */
export function translateWhere(
  operation: Operation,
  text: string,
  baseIri: string | null,
): { readonly algebra: Algebra; readonly mentioned: ReadonlySet<string>; readonly translation: PatternTranslation } {
  const refuse = () => {
    throw new SvcError('invalid_request', 'SERVICE is not allowed in an update', {
      hint: 'ask the endpoint with a query first',
    });
  };
  const translation = new PatternTranslation(text, refuse, baseIri);
  const algebra = numberSolutions(translation.pattern(operation, null));
  const mentioned = new Set<string>();
  collectPatternVariables(algebra, mentioned);
  return { algebra, mentioned, translation };
}
