/**
 * Stored queries as they are defined: a template, the specs of its parameters, the graph that it reads. What a
 * definition says is checked as a whole before anything is stored (semantics of reasoning, 12.2), so that a
 * stored query fails only by the values that it is asked with.
 */

import { SvcError } from '../../base/errors.js';
import { parseQuery } from '../../query/parse/parse.js';
import { isRowName } from '../../query/registry/row-name.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { BUILT_IN_QUERIES } from './built-in.js';
import {
  countsOf,
  PARAMETER_NAME,
  PARAMETER_TYPES,
  type ParameterSpec,
  type ParameterType,
  placeholdersOf,
  render,
  substitute,
  toText,
} from './parameters.js';

export interface QueryDefinition {
  readonly name: string;
  readonly description: string | null;
  readonly template: string;
  /** A graph or a dataset; null = ROOT. */
  readonly dataset: string | null;
  readonly params: readonly ParameterSpec[];
}

/** What a request says of a query. */
export interface QueryInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly template: string;
  readonly dataset?: string | undefined;
  readonly params?: readonly unknown[] | undefined;
}

const PROBES: Readonly<Record<ParameterType, string>> = { iri: 'urn:probe', text: 'probe', int: '1' };

/** The definition of a request, or an error that says what is wrong with it. */
export function defineQuery({ name, description, template, dataset, params = [] }: QueryInput): QueryDefinition {
  if (!isRowName(name)) throw refused('the name of a query is a text of whole characters that is not empty');
  if (name === 'list' || BUILT_IN_QUERIES.some((query) => query.name === name)) {
    throw refused(`'${name}' is a built-in query and can not be stored`);
  }
  const fault = dataset === undefined ? null : iriFault(dataset);
  if (fault !== null) throw refused(`'dataset': <${dataset}> ${fault}`);
  for (const [field, value] of Object.entries({ template, description: description ?? '', dataset: dataset ?? '' })) {
    if (typeof value !== 'string') throw refused(`'${field}' is a text`);
  }
  if (!Array.isArray(params)) throw refused("'params' is a list");
  const specs = params.map(specOf);
  checkPlaceholders(template, specs);
  checkDefaults(template, specs);
  checkTemplate(template, specs);
  return { name, description: description ?? null, template, dataset: dataset ?? null, params: specs };
}

function specOf(input: unknown, at: number): ParameterSpec {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw refused(`params[${at}]: expected an object with name, type, required, default, description`);
  }
  const given = input as Readonly<Record<string, unknown>>;
  const { name, required = false, description = null } = given;
  if (typeof name !== 'string' || !PARAMETER_NAME.test(name)) {
    throw refused(`params[${at}]: 'name' is ${JSON.stringify(name)}; expected letters, digits and _`);
  }
  const type = given.type ?? given.kind ?? 'text';
  if (!PARAMETER_TYPES.includes(type as ParameterType)) {
    throw refused(`parameter '${name}': the type is ${JSON.stringify(type)}; expected ${PARAMETER_TYPES.join(', ')}`);
  }
  if (typeof required !== 'boolean') throw refused(`parameter '${name}': 'required' is true or false`);
  if (description !== null && typeof description !== 'string') {
    throw refused(`parameter '${name}': 'description' is a text`);
  }
  const fallback = given.default === undefined || given.default === null ? null : toText(given.default, name);
  if (!required && fallback === null) throw refused(`parameter '${name}' is optional and has no default`);
  return { name, type: type as ParameterType, required, default: fallback, description };
}

function checkPlaceholders(template: string, specs: readonly ParameterSpec[]): void {
  const named = specs.map(({ name }) => name);
  const twice = named.find((name, at) => named.indexOf(name) < at);
  if (twice !== undefined) throw refused(`parameter '${twice}' is declared twice`);
  const placeholders = placeholdersOf(template);
  const undeclared = placeholders.find((name) => !named.includes(name));
  if (undeclared !== undefined) throw refused(`the template has {${undeclared}}, which no parameter declares`);
  const unused = named.find((name) => !placeholders.includes(name));
  if (unused !== undefined) throw refused(`parameter '${unused}' does not stand in the template`);
}

function checkDefaults(template: string, specs: readonly ParameterSpec[]): void {
  const counts = countsOf(template);
  for (const { name, type, default: value } of specs) if (value !== null) render(type, value, name, counts.has(name));
}

function checkTemplate(template: string, specs: readonly ParameterSpec[]): void {
  const text = substitute(template, new Map(specs.map(({ name, type }) => [name, PROBES[type]])));
  try {
    parseQuery(text);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { position, hint } = error;
    throw new SvcError(error.code, `the template is no query: ${error.message}`, {
      ...(position === undefined ? {} : { position }),
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

function refused(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
