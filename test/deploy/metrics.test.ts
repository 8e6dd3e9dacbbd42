/** Alerts and the board name figures that a server gives, with labels that they have. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { CHECKOUT } from '../../tools/tidy.js';
import { sharedTestServer } from '../http/support.js';

const RULES = join(CHECKOUT, 'deploy/prometheus/alerts.yml');
const ALERTS = readFileSync(RULES, 'utf8');
const EXPRESSIONS = [...ALERTS.matchAll(/^ {8}expr: (.+)$/gm)].map(([, expression]) => expression as string);

interface Board {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}
const BOARD = JSON.parse(readFileSync(join(CHECKOUT, 'deploy/grafana/svc.json'), 'utf8')) as Board;
const TARGETS = BOARD.panels.flatMap(({ targets }) => targets);

/** What Prometheus adds to every series itself, and what the script of backups writes. */
const OTHERS: readonly (readonly [string, readonly string[]])[] = [
  ['up', []],
  ['svc_backup_last_success_timestamp_seconds', []],
];
const OF_EVERY_SERIES: readonly string[] = ['job', 'instance'];

const server = sharedTestServer();
/** Names of series, each with its labels. A counter that has not counted yet has a line of its type alone. */
const offered = new Map<string, Set<string>>();

before(async () => {
  const { get, post } = await server();
  await post('/knot', { turtle: '<urn:a> <urn:p> 1 .' });
  await get('/query?query=ASK%7B%7D');
  const text = await (await get('/metrics')).text();
  for (const [name, labels] of OTHERS) offered.set(name, new Set(labels));
  for (const [, name] of text.matchAll(/^# TYPE (\w+) /gm)) offered.set(name as string, new Set());
  for (const [, name, labels] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = offered.get(name as string) ?? new Set();
    for (const [, label] of (labels ?? '').matchAll(/(\w+)="/g)) known.add(label as string);
    offered.set(name as string, known);
  }
});

/** Labels of a counter that no request of this test has moved. */
const UNMOVED: Readonly<Record<string, readonly string[]>> = { svc_subscription_deliveries_total: ['outcome'] };

interface Asked {
  readonly names: readonly string[];
  /** Of each name the labels that its braces select by. */
  readonly selected: readonly (readonly [string, string])[];
  /** Labels that sums are grouped by; every name of the sum has them. */
  readonly grouped: readonly string[];
}

function asked(expression: string): Asked {
  const bare = expression.replace(/"[^"]*"/g, '""');
  const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => (labels as string).split(/, */));
  const series = [...bare.matchAll(/\b((?:svc|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)];
  return {
    names: series.map(([, name]) => name as string),
    selected: series.flatMap(([, name, inside]) =>
      [...(inside ?? '').matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(
        ([, label]) => [name as string, label as string] as const,
      ),
    ),
    grouped,
  };
}

function holds(expression: string): void {
  const { names, selected, grouped } = asked(expression);
  assert.ok(names.length > 0, expression);
  for (const name of names) assert.ok(offered.has(name), `no server offers ${name}: ${expression}`);
  const has = (name: string, label: string) =>
    OF_EVERY_SERIES.includes(label) || offered.get(name)?.has(label) || UNMOVED[name]?.includes(label);
  for (const [name, label] of selected) assert.ok(has(name, label), `${name} has no label ${label}: ${expression}`);
  for (const label of grouped) {
    assert.ok(
      names.some((name) => has(name, label)),
      `nothing has the label ${label}: ${expression}`,
    );
  }
  for (const [open, close] of ['()', '{}', '[]']) {
    const count = (sign: string) => expression.split(sign).length;
    assert.equal(count(open as string), count(close as string), expression);
  }
}

test('every alert asks for figures that a server offers', () => {
  assert.equal(EXPRESSIONS.length, [...ALERTS.matchAll(/- alert: /g)].length);
  assert.ok(EXPRESSIONS.length >= 10);
  for (const expression of EXPRESSIONS) holds(expression);
});

test('every panel of the board asks for figures that a server offers', () => {
  assert.ok(TARGETS.length >= 15);
  for (const { expr, legendFormat } of TARGETS) {
    holds(expr);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      const { names, grouped } = asked(expr);
      const kept = grouped.length > 0 ? grouped : [...(offered.get(names[0] as string) ?? []), ...OF_EVERY_SERIES];
      assert.ok(kept.includes(label as string), `${legendFormat} of ${expr}`);
    }
  }
});

test('a figure that nobody offers is found', () => {
  assert.throws(() => holds('rate(svc_http_request_total[5m])'), /no server offers svc_http_request_total/);
  assert.throws(() => holds('svc_subscriptions{name="a"}'), /has no label name/);
  assert.throws(() => holds('sum by (user) (svc_graph_facts)'), /nothing has the label user/);
  assert.throws(() => holds('sum(svc_graph_facts'), /svc_graph_facts/);
});

test('promtool takes the rules', (t) => {
  const { status, error, stdout, stderr } = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' });
  if (error !== undefined) return t.skip('promtool is not here');
  assert.equal(status, 0, stdout + stderr);
});
