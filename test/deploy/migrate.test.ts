/** What Oxigraph dumps is loaded whole, as docs/migrate/oxigraph.md says, and counts alike in both. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Store } from 'oxigraph';
import { inFolder, svcHere } from '../cli/svc.js';

const DATA = `
PREFIX : <http://example.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT DATA {
  :ann :knows _:bob ; :age 41 ; :height 1.70 , "01"^^xsd:integer ; :note "hei\\n\\"du\\""@nb , "x" , "2020-01-01"^^xsd:date .
  _:bob :name "Bob \u00e9 \ud83d\ude00" .
  GRAPH :staff { :ann :age 41 . _:bob :boss :ann }
  GRAPH :other { :ann a :Person }
}`;
const BY_GRAPH = 'SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g';

test(
  'a dump of Oxigraph in N-Quads and in TriG is the same dataset here',
  inFolder(async (folder) => {
    const peer = new Store();
    peer.update(DATA);
    for (const [name, format] of [
      ['dump.nq', 'application/n-quads'],
      ['dump.trig', 'application/trig'],
    ] as const) {
      writeFileSync(join(folder, name), peer.dump({ format }));
      const run = (...words: string[]) => svcHere([...words, '--db', `${name}.db`], { cwd: folder });
      const loaded = await run('knot', name, '--blank-node-scope', 'store');
      assert.deepEqual([loaded.code, loaded.err], [0, ''], name);
      assert.match(loaded.out, new RegExp(`^knotted ${peer.size} facts `));
      const here = (await run('export', '--format', 'nquads')).out.split('\n').sort();
      assert.deepEqual(here, peer.dump({ format: 'application/n-quads' }).split('\n').sort(), name);
      const counts = peer.query(BY_GRAPH, { results_format: 'csv' }) as string;
      assert.equal(
        (await run('read', BY_GRAPH, '--format', 'csv')).out.replaceAll('\r', ''),
        counts.replaceAll('\r', ''),
      );
    }
  }),
);
