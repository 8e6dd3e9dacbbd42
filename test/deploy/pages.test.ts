/** The commands of the pages about deployment, upgrades and other stores print what the pages show. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';

const PAGES: readonly (readonly [string, number])[] = [
  ['docs/deploy.md', 3],
  ['docs/upgrade.md', 6],
  ['docs/migrate/fuseki.md', 4],
  ['docs/migrate/graphdb.md', 4],
  ['docs/migrate/oxigraph.md', 4],
];

for (const [path, commandsMin] of PAGES) {
  test(
    `the commands of ${path} print what it shows`,
    inFolder((folder) => runCommands(folder, readFileSync(join(CHECKOUT, path), 'utf8'), commandsMin)),
  );
}

test('what the pages link to is there', () => {
  for (const path of [...PAGES.map(([page]) => page), 'CHANGELOG.md', 'SECURITY.md']) {
    const page = readFileSync(join(CHECKOUT, path), 'utf8');
    for (const [, target] of page.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)) {
      assert.ok(existsSync(join(CHECKOUT, dirname(path), target as string)), `${path}: ${target}`);
    }
  }
});

test('the alerts of docs/deploy.md are those of the rules', () => {
  const rules = readFileSync(join(CHECKOUT, 'deploy/prometheus/alerts.yml'), 'utf8');
  const page = readFileSync(join(CHECKOUT, 'docs/deploy.md'), 'utf8');
  const named = [...page.matchAll(/`(Svc[A-Za-z]+)`/g)].map(([, name]) => name as string);
  const ruled = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);
  assert.deepEqual([...new Set(named)].sort(), ruled.sort());
});
