/** The rows of the table of errors that are about episodes. */
import assert from 'node:assert/strict';
import { json } from '../support.js';
import { type RowTest, refuses } from './support.js';

/** An episode whose second node, or only edge, is what is given. */
const withNode = (node: object) => ({ name: 'refused', nodes: [{ name: 'a', type: 'Host' }, node] });
const withEdge = (edge: object) => ({ ...withNode({ name: 'b' }), edges: [{ source: 'a', target: 'b', ...edge }] });

const EPISODE_ROUTES: Record<string, RowTest> = {
  '/episode relation with undeclared prefix': async (servers) => {
    const server = await servers.plain();
    const refusesRelation = (relation: unknown, error: RegExp) =>
      refuses(server, () => server.post('/episode', withEdge({ relation })), {
        status: 400,
        code: 'invalid_request',
        error,
      });
    for (const relation of ['ex:runs_on', 'http://ex.org/runs_on', 'OWL:sameAs', 'mailto:x', ':x', 'https:runs']) {
      await refusesRelation(relation, /edges\[0\]\.relation: .* is not declared; .*in angle brackets/);
    }
    for (const relation of [
      'runs on',
      ' runs_on',
      'läuft',
      'a/b',
      'a\nb',
      'skos:',
      'owl:same As',
      'svc:a/b',
      '<runs_on>',
      '<a b:c>',
      '<http://x',
      '<http://x> ',
      '<>',
      '',
    ]) {
      await refusesRelation(relation, /^edges\[0\]\.relation: /);
    }
    await refusesRelation(undefined, /^missing 'edges\[0\].relation' parameter$/);
    for (const relation of [null, 5, ['runs_on']]) await refusesRelation(relation, /relation/);
    const response = await server.post('/episode', withEdge({ relation: 'ex:runs_on' }));
    assert.match(String((await json(response)).hint), /\/set/);
  },
  '/episode node type comma-separated': async (servers) => {
    const server = await servers.plain();
    for (const type of ['A,B', 'A, B', ',', '<http://ex.org/A>,<http://ex.org/B>']) {
      const expected = { status: 400, code: 'invalid_request', error: /^nodes\[1\]\.type: .*one class/ };
      await refuses(server, () => server.post('/episode', withNode({ name: 'b', type })), expected);
    }
    for (const type of ['Web App', 'ex:App', '', 'Gerät', '<App>']) {
      const expected = { status: 400, code: 'invalid_request', error: /^nodes\[1\]\.type: / };
      await refuses(server, () => server.post('/episode', withNode({ name: 'b', type })), expected);
    }
  },
};

const RETRACTION: Record<string, RowTest> = {
  '/episode/retract with on_orphan: refuse': async (servers) => {
    const server = await servers.plain();
    const nodes = [{ name: 'the shared one', type: 'Host' }];
    assert.equal((await server.post('/episode', { name: 'orphan-1', nodes })).status, 200);
    assert.equal((await server.post('/episode', { name: 'orphan-2', nodes })).status, 200);
    const expected = { status: 400, code: 'invalid_request', error: /the_shared_one; nothing was changed$/ };
    for (const mode of ['on_orphan', 'orphan_policy']) {
      await refuses(server, () => server.post('/episode/retract', { episode: 'orphan-1', [mode]: 'refuse' }), expected);
    }
    for (const mode of ['', 'keep', 'REFUSE', 5]) {
      const told = { status: 400, code: 'invalid_request', error: /preserve, refuse, allow/ };
      await refuses(server, () => server.post('/episode/retract', { episode: 'orphan-1', on_orphan: mode }), told);
    }
    await refuses(server, () => server.post('/episode/retract', { source: 'x' }), {
      status: 400,
      code: 'invalid_request',
      error: /^missing 'episode' parameter$/,
    });
    await refuses(server, () => server.post('/episode/retract', { episode: 'a', name: 'b' }), {
      status: 400,
      code: 'invalid_request',
      error: /'name' and 'episode' are one field/,
    });
  },
};

export const EPISODE_ROWS: Readonly<Record<string, RowTest>> = { ...EPISODE_ROUTES, ...RETRACTION };
