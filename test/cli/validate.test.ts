/** `svc validate`: what it prints, how it ends, and that it needs no store. */

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PERSON_SHAPE, PREFIXES } from '../validate/support.js';
import { inFolder, svc } from './svc.js';

test(
  'valid and invalid data, and a file that is not there',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'shapes.ttl'), PREFIXES + PERSON_SHAPE);
    writeFileSync(join(cwd, 'bad.ttl'), `${PREFIXES}ex:al a ex:Person .`);
    writeFileSync(join(cwd, 'good.ttl'), `${PREFIXES}ex:al a ex:Person ; ex:name "Al" .`);
    const validate = async (data: string) => {
      const { code, out, err } = await svc(['validate', '--shapes', 'shapes.ttl', '--data', data], { cwd });
      return { code, out, err };
    };
    assert.deepEqual(await validate('good.ttl'), { code: 0, out: 'valid (0 warnings)\n', err: '' });
    assert.deepEqual(await validate('bad.ttl'), {
      code: 1,
      out: 'invalid: 1 violation(s), 0 warning(s)\n  [Violation] http://ex/al -- Less than 1 value (path: http://ex/name)\n',
      err: '',
    });
    const missing = await validate('none.ttl');
    assert.equal(missing.code, 1);
    assert.match(missing.err, /none\.ttl/);
    assert.ok(!existsSync(join(cwd, '.svc')));
    const without = await svc(['validate', '--data', 'bad.ttl'], { cwd });
    assert.equal(without.code, 1);
    assert.match(without.err, /no set of shapes is stored/);
  }),
);
