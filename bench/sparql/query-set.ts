/**
 * Sets of queries: templates in files, over one kind of data. Names in `%` are parameters; their values come from the
 * data by the queries in `parameters/`, so that templates have answers on any data. Every LIMIT stands
 * under a total order: answers of different stores are comparable.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { CHECKOUT } from '../harness/machine.js';
import type { DataName } from './data.js';

export interface QuerySet {
  readonly name: string;
  readonly data: DataName;
  readonly title: string;
}

export const QUERY_SETS: readonly QuerySet[] = [
  { name: 'bsbm', data: 'bsbm', title: 'BSBM: explore and business intelligence' },
  { name: 'shop', data: 'bsbm', title: 'Analytics over the BSBM data' },
  { name: 'watdiv', data: 'watdiv', title: 'WatDiv: linear, star, snowflake, complex; triangles and paths' },
  { name: 'social', data: 'watdiv', title: 'Analytics over the WatDiv data' },
  { name: 'fibo', data: 'fibo', title: 'Analytics over FIBO' },
  { name: 'schemaorg', data: 'schemaorg', title: 'Analytics over 19 releases of schema.org, a graph each' },
];

export const FORMS = ['SELECT', 'ASK', 'CONSTRUCT', 'DESCRIBE'] as const;
export type Form = (typeof FORMS)[number];

/** A file of a set. */
export interface Template {
  readonly name: string;
  /** From the comment at its beginning. */
  readonly title: string;
  readonly text: string;
  readonly form: Form;
}

/** A template with values for its parameters. */
export interface Query extends Template {
  /** E01, and from the second instance on E01#2 ... */
  readonly label: string;
}

/** Values by parameter name, as SPARQL writes them. */
export type Parameters = Readonly<Record<string, string>>;

export function readTemplates({ name }: QuerySet): readonly Template[] {
  return readFolder(folderOf(name));
}

/** The queries that give the values of the parameters. */
export function readParameterQueries({ name }: QuerySet): readonly Template[] {
  const folder = join(folderOf(name), 'parameters');
  return existsSync(folder) ? readFolder(folder) : [];
}

function folderOf(set: string): string {
  return join(CHECKOUT, 'bench/queries', set);
}

function readFolder(folder: string): readonly Template[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.rq'));
  names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return groupExploreFirst(names).map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const title = /^# (.*)$/m.exec(text)?.[1] ?? '';
    return { name: file.slice(0, -'.rq'.length), title, text, form: formOf(text, file) };
  });
}

/** E before B: the explore queries are the first of their set. */
function groupExploreFirst(names: readonly string[]): readonly string[] {
  const explore = names.filter((name) => name.startsWith('E'));
  return [...explore, ...names.filter((name) => !name.startsWith('E'))];
}

function formOf(text: string, file: string): Form {
  const body = text.replace(/^\s*(#.*|(PREFIX|BASE)\b.*)$/gim, '');
  const form = FORMS.find((one) => new RegExp(`^\\s*${one}\\b`).test(body));
  if (form === undefined) throw new SvcError('configuration', `${file} is no query`);
  return form;
}

/** One instance of each template for each of the first parameters. A template without parameters has one instance. */
export function instantiate(
  templates: readonly Template[],
  parameters: readonly Parameters[],
  instances: number,
  say: (line: string) => void,
): readonly Query[] {
  return templates.flatMap((template) => {
    const missing = namesIn(template).filter((name) => parameters[0]?.[name] === undefined);
    if (missing.length > 0) {
      say(`${template.name} is left out: the data has no ${missing.join(', ')}`);
      return [];
    }
    const count = namesIn(template).length > 0 ? instances : 1;
    return Array.from({ length: count }, (_, at) => ({
      ...template,
      label: at === 0 ? template.name : `${template.name}#${at + 1}`,
      text: template.text.replace(PARAMETER, (_, name: string) => parameters[at]?.[name] as string),
    }));
  });
}

const PARAMETER = /%(\w+)%/g;

function namesIn({ text }: Template): readonly string[] {
  return [...text.matchAll(PARAMETER)].map(([, name]) => name as string);
}
