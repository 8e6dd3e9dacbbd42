/** What `ontology` does, as a command for each action. */

import { type CommandOperation, commandForm } from '../definition/operation.js';
import { loadedResponse, ontology, ontologyList, ontologyListResponse, removedResponse } from './ontologies.js';

const name = { field: 'name', name: 'name', summary: 'name of the ontology' };
const written = { timestamp: 't', actor: 'name' };

/** Of the families that entail something. */
function families(counts: Readonly<Record<string, number>>): string {
  const found = Object.entries(counts).filter(([key, count]) => key.endsWith('_inferences') && count > 0);
  return found.length === 0
    ? 'none'
    : found.map(([key, count]) => `${key.replace('_inferences', '')} ${count}`).join(', ');
}

const load = commandForm(ontology, {
  summary: 'Load an ontology, and write what it entails',
  response: loadedResponse,
  cli: {
    command: 'ontology load',
    positional: [name, { field: 'turtle', name: 'file', summary: 'the ontology, in Turtle; - is standard input' }],
    files: ['turtle'],
    creates: true,
    takesBase: true,
    defaults: { action: 'load' },
    notes: ['Needs the feature owl: --features owl, SVC_FEATURES=owl, or owl = true under [svc.features].'],
    examples: ['svc ontology load animals animals.ttl --features owl'],
    options: written,
    text: (body) =>
      `Loaded ontology '${body.name}'\n${JSON.stringify(body.axioms)}\nMaterialized: ${body.materialized.total} facts (${families(body.materialized)})\n`,
  },
});

const list = commandForm(ontologyList, {
  summary: 'List the loaded ontologies',
  response: ontologyListResponse,
  cli: {
    command: 'ontology list',
    examples: ['svc ontology list --features owl'],
    options: { limit: 'n', offset: 'n' },
    text: ({ ontologies, count, truncated }) => {
      if (count === 0) return 'No ontologies loaded.\n';
      const lines = ontologies.map((one) => `${one.name}  (loaded ${one.loaded_at})\n`);
      return `${lines.join('')}${truncated ? 'and more\n' : ''}`;
    },
  },
});

const remove = commandForm(ontology, {
  summary: 'Remove an ontology, and what follows no more',
  response: removedResponse,
  cli: {
    command: 'ontology remove',
    positional: [name],
    defaults: { action: 'remove' },
    examples: ['svc ontology remove animals --features owl'],
    options: written,
    text: (body) => (body.removed ? `Removed ontology '${body.name}'\n` : `ontology '${body.name}' not found\n`),
    succeeded: ({ removed }) => removed,
  },
});

export const ONTOLOGY_COMMANDS: readonly CommandOperation[] = [load, list, remove];
