/** What `shapes` does, as a command for each action. */

import { Type } from '../../requests/schema.js';
import { type CommandOperation, commandForm } from '../definition/operation.js';
import { shapeList, shapeListResponse, shapeSet, shapeSetResponse, shapes } from './shapes.js';

const name = { field: 'name', name: 'name', summary: 'name of the set' };
const written = { timestamp: 't', actor: 'name' };

const load = commandForm(shapes, {
  summary: 'Store SHACL shapes; every write is judged by them from then on',
  response: Type.Object({ action: Type.String(), name: Type.String(), shapes: Type.Integer(), rules: Type.Integer() }),
  cli: {
    command: 'shapes load',
    positional: [name, { field: 'turtle', name: 'file', summary: 'the shapes, in Turtle; - is standard input' }],
    files: ['turtle'],
    takesBuiltin: true,
    creates: true,
    takesBase: true,
    defaults: { action: 'load' },
    notes: [
      'builtin:governance in place of a file: the shapes of policies, verdicts, decisions and what else governs.',
    ],
    examples: ['svc shapes load person person-shapes.ttl', 'svc shapes load governance builtin:governance'],
    options: written,
    text: (body, { documents }) => `loaded shape graph "${body.name}" from ${documents}\n`,
  },
});

const list = commandForm(shapeList, {
  summary: 'List the stored sets of SHACL shapes',
  response: shapeListResponse,
  cli: {
    command: 'shapes list',
    examples: ['svc shapes list'],
    options: { limit: 'n', offset: 'n' },
    text: ({ shapes: sets, count, truncated }) => {
      if (count === 0) return 'no shapes loaded\n';
      const lines = sets.map((set) => `  ${set.name} (loaded: ${set.loaded_at})\n`);
      return `${lines.join('')}${count} shape graph(s)${truncated ? ', and more' : ''}\n`;
    },
  },
});

const get = commandForm(shapeSet, {
  summary: 'Print a stored set of SHACL shapes as it was loaded',
  response: shapeSetResponse,
  cli: {
    command: 'shapes get',
    positional: [name],
    examples: ['svc shapes get person'],
    options: {},
    text: ({ turtle }) => (turtle.endsWith('\n') ? turtle : `${turtle}\n`),
  },
});

const remove = commandForm(shapes, {
  summary: 'Remove a stored set of SHACL shapes',
  response: Type.Object({ action: Type.String(), name: Type.String(), found: Type.Boolean() }),
  cli: {
    command: 'shapes remove',
    positional: [name],
    defaults: { action: 'remove' },
    examples: ['svc shapes remove person'],
    options: written,
    text: (body) => (body.found ? `removed shape graph "${body.name}"\n` : `shape graph "${body.name}" not found\n`),
    succeeded: ({ found }) => found,
  },
});

export const SHAPE_COMMANDS: readonly CommandOperation[] = [load, list, get, remove];
