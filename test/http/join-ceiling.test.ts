/** search.max_join_rows over HTTP: a query and an update beyond it are refused, and nothing is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuses, UPDATE } from './errors/support.js';
import { json, startTestServer } from './support.js';

const PAIRS = '?a <http://j.org/p> ?x . ?b <http://j.org/p> ?y';

test('a join of more rows than search.max_join_rows is a 422 that names the setting', async (t) => {
  const server = await startTestServer(t, { search: { max_join_rows: 8 } });
  const triples = Array.from(
    { length: 12 },
    (_, at) => `<http://j.org/${at % 3}> <http://j.org/${at < 3 ? 'p' : 'o'}> ${at} .`,
  );
  assert.equal((await server.post('/knot', { turtle: triples.join(' ') })).status, 200);
  const expected = { status: 422, code: 'query_complexity', error: /more than 8 rows \(search\.max_join_rows\)/ };
  await refuses(server, () => server.post('/query', { query: `SELECT * { ${PAIRS} }` }), expected);
  const insert = `INSERT { ?a <http://j.org/q> ?b } WHERE { ${PAIRS} }`;
  await refuses(server, () => server.send('POST', '/update', insert, UPDATE), expected);
  const few = await json(await server.post('/query', { query: `SELECT * { ${PAIRS} FILTER(?x > 0) }` }));
  assert.equal(few.count, 6, 'no more than the ceiling');
  const scan = await json(await server.post('/query', { query: 'SELECT * { ?s ?p ?o }' }));
  assert.equal(scan.count, 12, 'rows of a scan are no rows of a join');
});
