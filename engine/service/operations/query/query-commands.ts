/** Named queries as commands: one that asks, and one for each thing that is done with those that are stored. */

import { type Static, Type } from '../../requests/schema.js';
import { type CommandOperation, commandForm } from '../definition/operation.js';
import { moreText, valueText } from '../definition/text.js';
import { ask, askResponse } from './ask.js';
import { queries, queryEntry } from './queries.js';

const RULE_PER_COLUMN = 20;
const name = { field: 'name', name: 'name', summary: 'name of the query' };
const written = { timestamp: 't', actor: 'name' };

/** `people_of <company>  Who works for a company`. */
function entryText({ name: called, params, description }: Static<typeof queryEntry>): string {
  const taken = params.map((one) => (one.required ? ` <${one.name}>` : ` [${one.name}]`)).join('');
  return `  ${called}${taken}${description === null ? '' : `  ${description}`}\n`;
}

function tableText(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = rows.map((row) =>
    columns.map((column) => (row[column] === undefined ? '(unbound)' : valueText(row[column]))).join('\t'),
  );
  const rule = '-'.repeat(RULE_PER_COLUMN * columns.length);
  return `${[columns.join('\t'), rule, ...lines].join('\n')}\n\n${rows.length} results\n`;
}

const asked = commandForm(ask, {
  summary: 'Ask a built-in or stored query by its name; without one, list them',
  response: askResponse,
  cli: {
    command: 'ask',
    positional: [{ ...name, summary: 'name of the query; list, or none: the list', optional: true }],
    json: ['params'],
    notes: ['The list shows the parameters of each query: <needed> [with a default].'],
    examples: [
      'svc ask',
      'svc ask entity_facts --params \'{"entity": "http://example.org/ann"}\'',
      'svc ask people_of --params \'{"company": "http://example.org/acme"}\' --json',
    ],
    options: { params: 'json', graph: 'iri', limit: 'n', offset: 'n' },
    text: ({ queries: listed, columns = [], rows = [], truncated = false }) => {
      if (listed !== undefined)
        return `${listed.map(entryText).join('')}${listed.length} queries\n${moreText(truncated)}`;
      return `${tableText(columns, rows)}${truncated ? 'there are more: search.max_sparql_rows\n' : ''}`;
    },
    notice: ({ ignored_params: ignored = [] }) =>
      ignored.length === 0 ? '' : `ignored, for the query has no such parameter: ${ignored.join(', ')}\n`,
  },
});

const list = commandForm(queries, {
  summary: 'List the stored queries',
  response: Type.Object({ queries: Type.Array(queryEntry), count: Type.Integer(), truncated: Type.Boolean() }),
  opens: 'read',
  cli: {
    command: 'queries list',
    defaults: { action: 'list' },
    notes: ['svc ask lists the built-in ones as well.'],
    examples: ['svc queries list'],
    options: { limit: 'n', offset: 'n' },
    text: ({ queries: stored, count, truncated }) =>
      count === 0 ? 'no queries stored\n' : `${stored.map(entryText).join('')}${count} queries\n${moreText(truncated)}`,
  },
});

const get = commandForm(queries, {
  summary: 'Print a stored query as it was loaded',
  response: Type.Object({ query: queryEntry, template: Type.String() }),
  opens: 'read',
  cli: {
    command: 'queries get',
    positional: [name],
    defaults: { action: 'get' },
    examples: ['svc queries get people_of > people_of.rq'],
    options: {},
    text: ({ template }) => (template.endsWith('\n') ? template : `${template}\n`),
  },
});

const load = commandForm(queries, {
  summary: 'Store a query under a name; the same name again replaces it',
  response: Type.Object({ loaded: Type.String(), params: Type.Integer() }),
  cli: {
    command: 'queries load',
    positional: [
      name,
      { field: 'template', name: 'file', summary: 'the query, with its parameters in braces; - is standard input' },
    ],
    files: ['template'],
    json: ['params'],
    creates: true,
    defaults: { action: 'load' },
    notes: [
      "A parameter stands as <{p}> for an IRI, '{p}' for a text, {p} for an integer; --params describes each of them.",
    ],
    examples: [
      'svc queries load people_of people_of.rq --params \'[{"name": "company", "type": "iri", "required": true}]\'',
    ],
    options: { description: 'text', params: 'json', dataset: 'iri', ...written },
    text: ({ loaded }, { documents }) => `loaded query "${loaded}" from ${documents}\n`,
  },
});

const remove = commandForm(queries, {
  summary: 'Remove a stored query',
  response: Type.Object({ removed: Type.Boolean() }),
  cli: {
    command: 'queries remove',
    positional: [name],
    defaults: { action: 'remove' },
    examples: ['svc queries remove people_of'],
    options: written,
    text: ({ removed }, { request }) =>
      removed ? `removed query "${request.name}"\n` : `query "${request.name}" not found\n`,
    succeeded: ({ removed }) => removed,
  },
});

export const QUERY_COMMANDS: readonly CommandOperation[] = [asked, list, get, load, remove];
