/** What `datasets` does, as a command for each action. */

import { Type } from '../../requests/schema.js';
import { type CommandOperation, commandForm } from '../definition/operation.js';
import { moreText } from '../definition/text.js';
import { datasetListResponse, datasetResponse, datasets } from './datasets.js';

const name = { field: 'name', name: 'iri', summary: 'name of the dataset' };
const written = { timestamp: 't', actor: 'name' };

const list = commandForm(datasets, {
  summary: 'List the datasets',
  response: datasetListResponse,
  opens: 'read',
  cli: {
    command: 'dataset list',
    defaults: { action: 'list' },
    examples: ['svc dataset list'],
    options: { limit: 'n', offset: 'n' },
    text: ({ datasets: names, count, truncated }) =>
      count === 0 ? 'no datasets\n' : `${names.join('\n')}\n${moreText(truncated)}`,
  },
});

const show = commandForm(datasets, {
  summary: 'Show the members of a dataset, ranked ones first',
  response: datasetResponse,
  opens: 'read',
  cli: {
    command: 'dataset show',
    positional: [name],
    defaults: { action: 'show' },
    examples: ['svc dataset show http://example.org/all', 'svc dataset show urn:svc:dataset:frozen'],
    options: { limit: 'n', offset: 'n' },
    text: ({ name: shown, members, truncated = false }) => {
      const lines = members.map(({ graph, ord }) => `  ${ord ?? '-'}  ${graph}\n`);
      return `${shown}\n${lines.join('')}${members.length} member(s)\n${moreText(truncated)}`;
    },
  },
});

const create = commandForm(datasets, {
  summary: 'Name a list of graphs; the same name again replaces the list',
  response: Type.Object({ created: Type.String(), members: Type.Integer(), unregistered: Type.Array(Type.String()) }),
  cli: {
    command: 'dataset create',
    positional: [name],
    creates: true,
    defaults: { action: 'create' },
    json: ['members'],
    notes: [
      '--members is IRIs with commas between them, or a JSON list of IRIs, or of {"graph", "ord"}, where ord is the rank of the member.',
    ],
    examples: [
      'svc dataset create http://example.org/all --members \'["urn:svc:graph:root", "http://example.org/g"]\'',
      'svc dataset create http://example.org/all --members \'[{"graph": "http://example.org/g", "ord": 1}]\'',
    ],
    options: { members: 'json', allow_unregistered: '', ...written },
    text: ({ created, members }) => `created ${created}: ${members} member(s)\n`,
    notice: ({ unregistered }) => unregistered.map((graph) => `not registered yet: ${graph}\n`).join(''),
  },
});

const remove = commandForm(datasets, {
  summary: 'Remove a dataset; its graphs stay',
  response: Type.Object({ removed: Type.Boolean() }),
  cli: {
    command: 'dataset remove',
    positional: [name],
    defaults: { action: 'remove' },
    examples: ['svc dataset remove http://example.org/all'],
    options: written,
    text: ({ removed }, { request }) => (removed ? `removed ${request.name}\n` : `dataset ${request.name} not found\n`),
    succeeded: ({ removed }) => removed,
  },
});

export const DATASET_COMMANDS: readonly CommandOperation[] = [list, show, create, remove];
