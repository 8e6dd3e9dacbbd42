/** Runs a SPARQL update, all of it in one transaction. */

import { findingLists, judgedLists } from '../../gates/findings.js';
import { iri, Type } from '../../requests/schema.js';
import { baseField, writtenFields } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

export const update = defineOperation({
  name: 'update',
  summary: 'Run a SPARQL update: all of it in one transaction, or nothing',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object({
    update: Type.String({ minLength: 1, description: 'SPARQL Update text' }),
    ...writtenFields,
    using_graph_uri: Type.Optional(Type.Array(iri({ minLength: 1 }), 'graphs that patterns read as the default graph')),
    using_named_graph_uri: Type.Optional(Type.Array(iri({ minLength: 1 }), 'graphs that GRAPH ranges over')),
    base: Type.Optional(baseField),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: 'deadline; may lower update.timeout_ms, never raise it' }),
    ),
  }),
  response: Type.Object({
    tx_id: Type.Integer(),
    inserted: Type.Integer('statements that were not open before and are now'),
    deleted: Type.Integer('statements that were open before and are not any more'),
    graphs: Type.Array(Type.String(), 'graphs that changed'),
    ...findingLists,
  }),
  async handler({ store, configuration, control }, request) {
    const { timeout_ms: timeoutMax, load_from: loadFrom } = configuration.update;
    const result = await store.update(request.update, {
      ...control,
      timestamp: request.timestamp,
      actor: request.actor,
      usingGraphs: request.using_graph_uri,
      usingNamedGraphs: request.using_named_graph_uri,
      baseIri: request.base,
      loadFrom,
      timeoutMs: Math.min(request.timeout_ms ?? timeoutMax, timeoutMax),
      memoryBudgetBytes: configuration.query.memory_budget_mb * 1024 * 1024,
      joinRowsMax: configuration.search.max_join_rows,
      threads: configuration.query.threads,
    });
    const { tx, inserted, deleted, graphs } = result;
    const body = { tx_id: tx, inserted, deleted, graphs, ...judgedLists(result) };
    return { kind: 'body', body, notes: { written: inserted + deleted } };
  },
  projections: {
    http: [{ method: 'POST', path: '/update', request: 'protocol' }],
    mcp: {
      tool: 'update',
      description: [
        'Run a SPARQL 1.1 update: INSERT DATA, DELETE DATA, DELETE/INSERT WHERE, CREATE, DROP, CLEAR and the rest, separated by semicolons.',
        'All of it is one transaction, or nothing is written. What is deleted stays in the history.',
        'Answers {"tx_id", "inserted", "deleted", "graphs"}; tx_id 0 means that nothing changed.',
      ],
      example: { update: 'INSERT DATA { <http://ex.org/ann> <http://ex.org/age> 31 }', actor: 'ann' },
      parameters: { update: {}, timestamp: {}, actor: {}, timeout_ms: {} },
      destructive: true,
      idempotent: false,
      extra: true,
    },
    cli: {
      creates: true,
      command: 'update',
      argument: { field: 'update', name: 'sparql', summary: 'the update; - is standard input' },
      errorLabel: 'update error',
      notes: [
        'Operations run in order; each sees what the ones before it did. An error in one leaves nothing of any.',
        'LOAD reads files below update.load_from of the configuration, and nothing where that is not set.',
      ],
      examples: [
        'svc update "INSERT DATA { <http://example.org/ann> <http://example.org/age> 31 }"',
        'svc update "DELETE WHERE { ?s <http://example.org/old> ?o }"',
        'svc update --file changes.ru --actor ann',
      ],
      options: { timestamp: 't', actor: 'name', base: 'iri', timeout_ms: 'n' },
      text: ({ tx_id: tx, inserted, deleted, graphs }) => {
        if (tx === 0) return 'nothing changed (tx 0)\n';
        if (inserted + deleted === 0) return `graphs made or dropped: ${graphs.join(' ')} (tx ${tx})\n`;
        const where = graphs.length === 1 ? `in ${graphs[0]}` : `in ${graphs.length} graphs`;
        return `inserted ${inserted}, deleted ${deleted} ${where} (tx ${tx})\n`;
      },
    },
  },
});
