/** What relative IRIs of files are resolved against, what a load goes on after, and what it says at its end. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inFolder, svcHere } from './svc.js';

const E = 'http://example.org/';
const RELATIVE = '<r> <p> <#x> .\n';
const SHAPES =
  '@prefix sh: <http://www.w3.org/ns/shacl#> . <S> a sh:NodeShape ; sh:targetClass <T> ; sh:nodeKind sh:BlankNode .\n';

test(
  'a file with relative IRIs needs a base: an IRI, or the place of the file',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'r.ttl'), RELATIVE);
    const refused = await svcHere(['knot', 'r.ttl'], { cwd });
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(
      refused.err,
      /r\.ttl:1:1: .*relative IRI.*\n.*\n {2}hint: --base <iri> resolves .*--base file .*place of each file\n$/,
    );
    assert.equal((await svcHere(['knot', 'r.ttl', '--base', 'file', '--db', 'f.db'], { cwd })).code, 0);
    const place = pathToFileURL(join(realpathSync(cwd), 'r.ttl')).href;
    const of = (base: string) => `<${new URL('r', base)}> <${new URL('p', base)}> <${base}#x> .\n`;
    assert.equal((await svcHere(['export', '--db', 'f.db'], { cwd })).out, of(place));
    assert.equal((await svcHere(['knot', 'r.ttl', '--base', `${E}doc`, '--db', 'i.db'], { cwd })).code, 0);
    assert.equal((await svcHere(['export', '--db', 'i.db'], { cwd })).out, of(`${E}doc`));
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['knot', 'r.ttl', '--base', 'there'], 1, /--base is "there"; expected an absolute IRI, or file/],
      [['knot', '-', '--base', 'file'], 2, /standard input has no place\n {2}hint: .*--base <iri>/],
      [['read', 'ASK { <r> ?p ?o }', '--db', 'f.db'], 1, /relative.*\n.*\n {2}hint: .*--base <iri>/],
    ];
    for (const [words, code, message] of cases) {
      const failed = await svcHere(words, { cwd });
      assert.deepEqual([words, failed.code], [words, code]);
      assert.match(failed.err, message);
    }
  }),
);

test(
  'shapes and data of validate, shapes that are stored, and shapes of a load have a base too',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'shapes.ttl'), SHAPES);
    writeFileSync(join(cwd, 'data.ttl'), '<d> a <T> .\n');
    const words = ['validate', '--shapes', 'shapes.ttl', '--data', 'data.ttl'];
    const refused = await svcHere(words, { cwd });
    assert.match(refused.err, / is relative.*\n.*\n {2}hint: --base <iri>/);
    const judged = await svcHere([...words, '--base', `${E}`], { cwd });
    assert.deepEqual([judged.code, judged.out.split('\n')[0]], [1, 'invalid: 1 violation(s), 0 warning(s)']);
    assert.match((await svcHere(['shapes', 'load', 's', 'shapes.ttl'], { cwd })).err, /hint: --base <iri>/);
    assert.equal((await svcHere(['shapes', 'load', 's', 'shapes.ttl', '--base', E], { cwd })).code, 0);
    const gated = await svcHere(['knot', 'data.ttl', '--base', E], { cwd });
    assert.match(gated.err, /^SHACL validation failed: 1 violation\(s\)\n {2}Violation on http:\/\/example\.org\/d/);
  }),
);

test(
  'one bad document of many: nothing is loaded, and the error says how to go on; --each ends with a summary',
  inFolder(async (cwd) => {
    mkdirSync(join(cwd, 'crawl'));
    writeFileSync(join(cwd, 'crawl/a.ttl'), `<${E}a> <${E}p> 1, 2 .\n`);
    writeFileSync(join(cwd, 'crawl/b.ttl'), RELATIVE);
    writeFileSync(join(cwd, 'crawl/c.ttl'), `<${E}c> <${E}p> 1 .\n`);
    const all = await svcHere(['knot', 'crawl'], { cwd });
    assert.deepEqual([all.code, all.out], [1, '']);
    assert.match(
      all.err,
      /b\.ttl:1:1: .*\n.*\n {2}hint: .*nothing was loaded; --each loads one document a transaction/,
    );
    const each = await svcHere(['knot', 'crawl', '--each'], { cwd });
    assert.deepEqual(
      [each.code, each.out],
      [1, 'knotted 2 facts from crawl/a.ttl (tx 1)\nknotted 1 facts from crawl/c.ttl (tx 2)\n'],
    );
    assert.ok(each.err.endsWith('\n3 documents: 2 loaded, 1 failed\n'), each.err);
    assert.doesNotMatch(each.err, /nothing was loaded/);
  }),
);

test(
  'the line of a load counts what was read; what was new is told where it differs',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'a.ttl'), `<${E}a> <${E}p> 1, 2 .\n`);
    const first = await svcHere(['knot', 'a.ttl'], { cwd });
    assert.deepEqual([first.out, first.err], ['knotted 2 facts from a.ttl (tx 1)\n', '']);
    const second = await svcHere(['knot', 'a.ttl'], { cwd });
    assert.equal(second.out, 'knotted 2 facts from a.ttl (tx 2)\n');
    assert.equal(second.err, '0 new facts; the others were there already, or more than once\n');
    const json = await svcHere(['knot', 'a.ttl', '--json'], { cwd });
    assert.deepEqual([JSON.parse(json.out).count, JSON.parse(json.out).new_facts, json.err], [2, 0, '']);
  }),
);

test(
  'update, shapes load and graph create make the store as knot does; what only changes facts does not',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'shapes.ttl'), SHAPES);
    const made: readonly (readonly string[])[] = [
      ['update', `INSERT DATA { <${E}a> <${E}p> 1 }`, '--db', 'new/u.db'],
      ['shapes', 'load', 's', 'shapes.ttl', '--base', E, '--db', 'new/s.db'],
      ['graph', 'create', `${E}g`, '--db', 'new/g.db'],
    ];
    for (const words of made) {
      const { code, err } = await svcHere(words, { cwd });
      assert.deepEqual([words, code, err], [words, 0, '']);
      assert.ok(existsSync(join(cwd, words.at(-1) as string)));
    }
    const none = await svcHere(['retract', `${E}a`, '--db', 'none.db'], { cwd });
    assert.deepEqual([none.code, existsSync(join(cwd, 'none.db'))], [1, false]);
  }),
);
