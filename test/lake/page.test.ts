/** docs/lake.md: its commands print what it shows; its programs run where what they need is. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { blocks, runCommands } from '../pages.js';
import { PYTHON, without } from './python.js';

const PAGE = readFileSync(join(CHECKOUT, 'docs/lake.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'svc-lake-page-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const [SQL = ''] = blocks(PAGE, 'sql');
/** The block in DuckDB of Python, whose extensions are packages. */
const IN_DUCKDB = `
import duckdb, glob, pathlib
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
folder = pathlib.Path(duckdb.__file__).parent.parent
for path in sorted(glob.glob(f"{folder}/duckdb_extension*/**/*.duckdb_extension", recursive=True)):
    connection.execute(f"LOAD '{path}'")
print(connection.execute("""${SQL}""").fetchall())
`;

test('the commands of docs/lake.md print what it shows', () => {
  runCommands(folder, PAGE, 6);
});

const PROGRAMS = [
  ['pandas', blocks(PAGE, 'python')[0], 's,p,o\nhttp://example.org/ann,http://example.org/age,41\n'],
  ['pyiceberg', blocks(PAGE, 'python')[1], '1 3\n2 2\n'],
  ['polars', blocks(PAGE, 'python')[2], '2\n'],
  ['duckdb_extension_iceberg', IN_DUCKDB, "[('http://example.org/ann', 41.0)]\n"],
] as const;

for (const [module, program, shown] of PROGRAMS) {
  test(`the program of docs/lake.md for ${module} reads the lake`, { skip: without(module) }, () => {
    const { stdout, stderr, status } = spawnSync(PYTHON as string, ['-c', program as string], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.ok(stdout.startsWith(shown), stdout);
  });
}
