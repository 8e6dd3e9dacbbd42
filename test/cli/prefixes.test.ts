/** Prefixes that a store knows need no declaration, in queries and from the first answer of a session on. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inFolder, svcHere } from './svc.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';
const SHOP = 'http://example.org/shop#';
const DATA = `<${SHOP}a> <${FOAF}name> "Ann" ; <${SHOP}size> 4 .\n`;
const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix s: <${SHOP}> . s:S a sh:NodeShape ; sh:targetClass s:T .\n`;

async function filled(cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'shapes.ttl'), SHAPES);
  assert.equal((await svcHere(['knot', '-'], { cwd, input: DATA })).code, 0);
}

test(
  'a query may leave out prefixes of the data and of stored shape sets; standard error says which were taken',
  inFolder(async (cwd) => {
    await filled(cwd);
    const named = await svcHere(['read', 'SELECT ?n { ?x foaf:name ?n }', '--format', 'csv'], { cwd });
    assert.deepEqual([named.out, named.err], ['n\r\nAnn\r\n', `with PREFIX foaf: <${FOAF}>\n`]);
    assert.match((await svcHere(['read', 'ASK { ?x s:size 4 }'], { cwd })).err, /^query error: .*'s:' is not declared/);
    await svcHere(['shapes', 'load', 'shop', 'shapes.ttl'], { cwd });
    const shaped = await svcHere(['read', 'ASK { ?x s:size 4 }'], { cwd });
    assert.deepEqual([shaped.out, shaped.err], ['true\n', `with PREFIX s: <${SHOP}>\n`]);
    const declared = await svcHere(['read', `PREFIX s: <${FOAF}> ASK { ?x s:name "Ann" }`], { cwd });
    assert.deepEqual([declared.out, declared.err], ['true\n', '']);
  }),
);

test(
  'places in errors are those of the query as it was written',
  inFolder(async (cwd) => {
    await filled(cwd);
    const { code, err } = await svcHere(['read', 'SELECT * { ?x foaf:name }'], { cwd });
    assert.equal(code, 1);
    assert.match(err, /\nquery error: query:1:25: unexpected '\}'\n/);
    assert.match(
      (await svcHere(['read', 'ASK { ?x none:p 1 ; foaf:name 1 }'], { cwd })).err,
      /query:1:10: the prefix 'none:'/,
    );
  }),
);

test(
  'a session shortens names from its first table on, and knows help, quit and exit as they are',
  inFolder(async (cwd) => {
    await filled(cwd);
    await svcHere(['shapes', 'load', 'shop', 'shapes.ttl'], { cwd });
    const session = await svcHere(['repl'], {
      cwd,
      input: 'SELECT ?s ?p { ?s ?p 4 };\nquit\nSELECT * { ?never ?p ?o };\n',
    });
    assert.deepEqual([session.code, session.err], [0, '']);
    assert.equal(session.out, '?s   ?p\n---  ------\ns:a  s:size\n');
    const help = await svcHere(['repl'], { cwd, input: 'HELP\nexit;\nASK {};\n' });
    assert.match(help.out, /^A query or an update ends with .*\n[\s\S]*\n\.prefixes /);
    assert.ok(!help.out.includes('true'));
  }),
);
