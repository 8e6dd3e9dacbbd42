/**
 * Parameters of a prepared query or update: a variable of the text stands for a term that the caller
 * gives. It is replaced in the algebra, never in the text, wherever it is mentioned: in patterns,
 * expressions, EXISTS and subqueries, also in one that hides it. What reads the solutions from outside
 * (the projection, templates) finds the term in a column of its own, so that a blank node means the
 * stored node everywhere.
 */

import { SvcError } from '../../base/errors.js';
import { CheckedTerms, VERBATIM_NODES } from '../../rdf/checked-terms.js';
import { type Term, terms, XSD } from '../../rdf/terms.js';
import { type Algebra, namesOf, type ParsedQuery, termsOf } from '../algebra/algebra.js';
import { collectPatternVariables } from '../algebra/mentioned.js';
import type { ParsedUpdate, UpdateOperation } from '../algebra/update.js';
import { nameInText, substituteParameters } from './substitute.js';

/** A term, or a value that has an obvious one. */
export type ParameterValue = Term | string | number | bigint | boolean | Date;
export type Parameters = Readonly<Record<string, ParameterValue>>;

export function bindQueryParameters(query: ParsedQuery, parameters: Parameters): ParsedQuery {
  return bindQueryTerms(query, parameterTerms(query, parameters));
}

/** The terms that the parameters stand for, by the names of the variables that they replace. */
export function parameterTerms(query: ParsedQuery, parameters: Parameters): ReadonlyMap<string, Term> {
  return parameterValues(parameters, variablesOfQuery(query));
}

export function bindQueryTerms(query: ParsedQuery, values: ReadonlyMap<string, Term>): ParsedQuery {
  if (values.size === 0) return query;
  if (query.form === 'ask') return { ...query, algebra: substituteParameters(query.algebra, values) };
  // A template may name a variable that no pattern binds.
  const added = outsideVariables(query).filter((name) => values.has(name) && !query.variables.includes(name));
  const variables = [...query.variables, ...added];
  return { ...query, variables, algebra: bindProjection(query.algebra, values, variables) };
}

export function bindUpdateParameters(update: ParsedUpdate, parameters: Parameters): ParsedUpdate {
  const names = new Set(update.operations.flatMap((operation) => [...variablesOfOperation(operation)]));
  const values = parameterValues(parameters, names);
  if (values.size === 0) return update;
  return { operations: update.operations.map((operation) => bindOperation(operation, values)) };
}

/** The names that a text mentions and that may be parameters. */
export function variablesOfQuery(query: ParsedQuery): Set<string> {
  const mentioned = new Set<string>([...query.variables, ...outsideVariables(query)]);
  collectPatternVariables(query.algebra, mentioned);
  return writtenNames(mentioned);
}

/** What the template of CONSTRUCT and the list of DESCRIBE name. */
function outsideVariables({ template, described }: ParsedQuery): string[] {
  return [...new Set(namesOf([...template.flatMap(termsOf), ...described]))];
}

function variablesOfOperation(operation: UpdateOperation): Set<string> {
  const mentioned = new Set<string>();
  if (operation.kind === 'modify') {
    collectPatternVariables(operation.where, mentioned);
    for (const name of templateVariables(operation)) mentioned.add(name);
  }
  return writtenNames(mentioned);
}

function templateVariables(operation: Extract<UpdateOperation, { kind: 'modify' }>): string[] {
  return [...new Set(namesOf([...operation.delete, ...operation.insert].flatMap(termsOf)))];
}

/** Without the variables that the text does not show. */
function writtenNames(mentioned: ReadonlySet<string>): Set<string> {
  return new Set([...mentioned].filter((name) => !name.startsWith('_:')).map(nameInText));
}

function bindOperation(operation: UpdateOperation, values: ReadonlyMap<string, Term>): UpdateOperation {
  if (operation.kind !== 'modify') return operation;
  const where = withColumns(substituteParameters(operation.where, values), values, templateVariables(operation));
  return { ...operation, where };
}

/** Replaces below the projection, which finds the terms in columns. */
function bindProjection(node: Algebra, values: ReadonlyMap<string, Term>, variables: readonly string[]): Algebra {
  switch (node.kind) {
    case 'slice':
    case 'distinct':
    case 'reduced':
      return { ...node, input: bindProjection(node.input, values, variables) };
    case 'project':
      return { ...node, input: withColumns(substituteParameters(node.input, values), values, variables), variables };
    default:
      throw new SvcError('internal', 'a query has no projection');
  }
}

function withColumns(node: Algebra, values: ReadonlyMap<string, Term>, names: readonly string[]): Algebra {
  return names.reduce<Algebra>((input, variable) => {
    const term = values.get(variable);
    return term === undefined ? input : { kind: 'extend', input, variable, expression: { kind: 'term', term } };
  }, node);
}

function parameterValues(parameters: Parameters, known: ReadonlySet<string>): ReadonlyMap<string, Term> {
  const values = new Map<string, Term>();
  for (const [name, value] of Object.entries(parameters)) {
    if (!known.has(name)) {
      const names = [...known].map((variable) => `?${variable}`);
      throw new SvcError(
        'invalid_request',
        `there is no variable ?${name} that the parameter '${name}' could replace`,
        {
          hint: names.length === 0 ? 'the text has no variables' : `the variables are ${names.join(', ')}`,
        },
      );
    }
    values.set(name, toTerm(name, value));
  }
  return values;
}

/** The term that a value stands for. Numbers are integers where they have no fraction, else doubles. */
export function toTerm(name: string, value: ParameterValue): Term {
  switch (typeof value) {
    case 'string':
      return checked(name, terms.literal(value));
    case 'boolean':
      return typed(String(value), 'boolean');
    case 'bigint':
      return typed(String(value), 'integer');
    case 'number':
      return ofNumber(name, value);
    case 'object':
      if (value instanceof Date) return ofDate(name, value);
      if (value !== null && typeof value.termType === 'string') return checked(name, value);
      break;
    default:
      break;
  }
  throw unfit(name, `a value of type ${value === null ? 'null' : typeof value} is no term`);
}

function ofNumber(name: string, value: number): Term {
  if (Number.isSafeInteger(value)) return typed(String(value), 'integer');
  if (Number.isInteger(value)) throw unfit(name, `the number ${value} has lost digits; give a bigint or a literal`);
  if (Number.isNaN(value)) return typed('NaN', 'double');
  if (!Number.isFinite(value)) return typed(value > 0 ? 'INF' : '-INF', 'double');
  return typed(String(value).replace('e', 'E').replace('E+', 'E'), 'double');
}

function ofDate(name: string, value: Date): Term {
  if (Number.isNaN(value.getTime())) throw unfit(name, 'the Date is no valid time');
  const text = value.toISOString();
  if (!/^\d{4}-/.test(text)) throw unfit(name, 'the Date lies outside of the years 0000 to 9999');
  return typed(text.replace('.000Z', 'Z'), 'dateTime');
}

function checked(name: string, term: Term): Term {
  return new CheckedTerms(VERBATIM_NODES, `the parameter '${name}'`, undefined, 'invalid_request').termAt(
    'object',
    term,
  );
}

function typed(text: string, type: string): Term {
  return terms.literal(text, terms.namedNode(`${XSD}${type}`));
}

function unfit(name: string, reason: string): SvcError {
  return new SvcError('invalid_request', `the parameter '${name}': ${reason}`, {
    hint: 'give an RDF/JS term, or a string, number, bigint, boolean or Date',
  });
}
