/** `svc search` from the command line: bad input in its words, and what it says of a store without an index. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { fakeService } from '../search/embeddings/fake-service.js';
import { DIMENSION, ownProvider } from '../service/embedding/own-provider.js';
import { inFolder, svcHere } from './svc.js';

const NOTE = /^note: no index of texts: .* svc fold --texts words,parts makes one\n$/;

test(
  'a store of many texts without an index says how to make one, until it has one or none is wanted',
  inFolder(async (cwd) => {
    const facts = Array.from({ length: 5000 }, (_, at) => `<urn:s${at}> <urn:p> "text ${at}" .\n`);
    writeFileSync(join(cwd, 'data.nt'), facts.join(''));
    await svcHere(['knot', 'data.nt'], { cwd });
    const search = () => svcHere(['search', '4711'], { cwd });
    const first = await search();
    assert.deepEqual([first.code, first.out], [0, '1.00  urn:s4711  urn:s4711\n']);
    assert.match(first.err, NOTE);
    assert.match((await svcHere(['search', '4711', '--json'], { cwd })).err, NOTE);
    writeFileSync(join(cwd, 'svc.toml'), '[svc.search]\ntext_backend = "substring"\n');
    assert.equal((await svcHere(['search', '4711', '--config', 'svc.toml'], { cwd })).err, '');
    await svcHere(['fold', '--texts', 'none'], { cwd });
    assert.equal((await search()).err, '');
    await svcHere(['fold', '--texts', 'words,parts'], { cwd });
    const indexed = await search();
    assert.deepEqual([indexed.out, indexed.err], [first.out, '']);
  }),
);

test(
  'bad input is told in the words of the command',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'data.nt'), '<urn:s> <urn:p> "text" .');
    await svcHere(['knot', 'data.nt'], { cwd });
    for (const [words, told] of [
      [['search', 'x', '--type', 'nope'], /^error: --type: <nope> is relative/],
      [['search', '  '], /^error: text is white space; expected a text to search for/],
      [['search', 'x'.repeat(9000)], /^error: text has 9000 characters; a text is searched for by at most 8192/],
      [['search', 'x', '--ranking', 'bogus'], /^error: --ranking is "bogus"; expected one of default, reciprocal/],
      [['search', 'x', '--offset', '-1'], /--offset/],
    ] as const) {
      const { code, out, err } = await svcHere(words, { cwd });
      assert.deepEqual([code === 0, out], [false, ''], words.join(' ').slice(0, 50));
      assert.match(err, told);
      // A small store needs no index.
      assert.ok(!err.includes('note:'));
    }
  }),
);

test('where vectors can have no part, the answer is by text, and why is told behind it', async (t) => {
  const service = await fakeService(t, DIMENSION);
  await inFolder(async (cwd) => {
    const store = await openStore(join(cwd, 'kb.db'), { embeddings: { provider: ownProvider() } });
    await store.load({
      text: '<urn:s> <http://www.w3.org/2000/01/rdf-schema#label> "amber stone" .',
      format: 'ntriples',
    });
    await store.embedBackfill();
    await store.close();
    const keys = `provider = "http"\nurl = "${service.url}"\ndimension = ${DIMENSION}\n`;
    for (const [model, told] of [
      ['words', /^$/],
      ['other', /^note: by text alone, without vectors: the vectors of the store are of the model words, and .* other/],
    ] as const) {
      writeFileSync(join(cwd, 'svc.toml'), `[svc.embedding]\n${keys}model = "${model}"\n`);
      const asked = ['search', 'amber', '--config', 'svc.toml', '--db', 'kb.db'];
      const { code, out, err } = await svcHere(asked, { cwd });
      assert.deepEqual([code, out], [0, '1.00  urn:s  amber stone\n']);
      assert.match(err, told);
      // The body says it itself.
      assert.equal((await svcHere([...asked, '--json'], { cwd })).err, '');
    }
  })();
});
