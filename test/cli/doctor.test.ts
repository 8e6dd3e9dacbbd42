/** `svc doctor`: what it finds, what it advises, its exit code; and that it leaves everything as it was. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { openStore } from '../../engine/service/host/open-store.js';
import { findProblems } from '../../engine/service/requests/check-schema.js';
import { type EnvironmentFacts, judgeEnvironment } from '../../interfaces/cli/doctor/environment.js';
import { type Finding, type Report, reportSchema, showBytes } from '../../interfaces/cli/doctor/finding.js';
import { judgeStore, type StoreFacts } from '../../interfaces/cli/doctor/store.js';
import { startServer } from '../../interfaces/http/serve.js';
import { inFolder, svc } from './svc.js';

/** The report of a run, whose exit code and counts must agree with it. */
async function doctor(cwd: string, words: readonly string[] = [], environment: Record<string, string> = {}) {
  const { code, out, err } = await svc(['doctor', '--json', ...words], { cwd, environment });
  assert.equal(err, '');
  const report = JSON.parse(out) as Report;
  assert.deepEqual([...findProblems(reportSchema, report)], []);
  const count = (level: string) => report.findings.filter((finding) => finding.level === level).length;
  assert.deepEqual([report.problems, report.warnings], [count('problem'), count('warning')]);
  assert.deepEqual([code, report.ok], [report.problems === 0 ? 0 : 1, report.problems === 0]);
  return report;
}

function find({ findings }: { readonly findings: readonly Finding[] }, area: string, check: string): Finding {
  const found = findings.find((finding) => finding.area === area && finding.check === check);
  assert.ok(found !== undefined, `${area}: ${check}`);
  return found;
}

/** Every file below a folder with its bytes and times. */
function trace(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const { mtimeMs, size, mode, ino } = statSync(path);
      const bytes = statSync(path).isFile() ? readFileSync(path, 'base64') : '';
      return [path, mtimeMs, size, mode, ino, bytes].join(' ');
    });
}

/** A free address that nobody uses: `server.bind` of a configuration. */
const NOWHERE = { SVC_SERVER_BIND: '127.0.0.1:0' };

async function makeStore(path: string): Promise<void> {
  const store = await openStore(path);
  await store.update('INSERT DATA { <http://e/a> <http://e/p> 1 }', { timestamp: '2026-01-02' });
  await store.update('INSERT DATA { <http://e/a> <http://e/p> 2 }', { timestamp: '2026-01-03' });
  await store.close();
}

test(
  'a store in order: what it is, its last transaction, its delta; nothing is written, not even a lock',
  inFolder(async (cwd) => {
    await makeStore(join(cwd, 'graph.db'));
    rmSync(join(cwd, 'graph.db-lock'), { force: true });
    const before = trace(cwd);
    const report = await doctor(cwd, ['--db', 'graph.db'], NOWHERE);
    assert.match(find(report, 'store', 'file').message, /^graph\.db: format \d+, .*; its pages are in order$/);
    assert.equal(find(report, 'store', 'last transaction').message, 'tx 2 of 2026-01-03T00:00:00Z');
    assert.equal(find(report, 'store', 'delta').message, '2 transaction(s) since the last fold');
    assert.equal(find(report, 'store', 'writer').message, 'nobody writes to it');
    const none = 'none is kept yet; the next write keeps http://svc.local/ontology/';
    assert.equal(find(report, 'store', 'base_ns').message, none);
    for (const finding of report.findings.filter(({ area }) => area === 'store')) assert.equal(finding.level, 'ok');
    const text = await svc(['doctor', '--db', 'graph.db'], { cwd, environment: NOWHERE });
    assert.deepEqual([text.code, text.err], [0, '']);
    assert.match(
      text.out,
      /^environment\n {2}ok {7}Node: [\s\S]*\nstore\n {2}ok {7}file: graph\.db: [\s\S]*\n0 problem\(s\), /,
    );
    assert.deepEqual(trace(cwd), before);
  }),
);

test(
  'a missing store: a warning where nobody named one, a problem where one was named; none is made',
  inFolder(async (cwd) => {
    const unnamed = find(await doctor(cwd, [], NOWHERE), 'store', 'file');
    assert.deepEqual(
      [unnamed.level, unnamed.message, unnamed.advice],
      ['warning', 'there is no store at .svc/svc.db', 'svc knot FILE --db .svc/svc.db makes one'],
    );
    const named = await doctor(cwd, ['--db', 'deep/down/x.db'], NOWHERE);
    assert.equal(find(named, 'store', 'file').level, 'problem');
    assert.deepEqual(readdirSync(cwd), []);
    assert.match(find(await doctor(cwd, ['--db', ':memory:'], NOWHERE), 'store', 'file').message, /^in memory/);
  }),
);

test(
  'a foreign file, a damaged one, and a folder are problems, with what to do',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'text.db'), 'this is a text that is no store of any kind whatever');
    await makeStore(join(cwd, 'graph.db'));
    const bytes = readFileSync(join(cwd, 'graph.db'));
    writeFileSync(join(cwd, 'cut.db'), bytes.subarray(0, 3 * 4096));
    const cases: [string, RegExp, RegExp][] = [
      ['text.db', /^text\.db is not a store of svc/, /--db/],
      ['cut.db', /^cut\.db is damaged/, /svc repair/],
      ['.', /it is a directory$/, /--db/],
    ];
    for (const [path, message, advice] of cases) {
      const found = find(await doctor(cwd, ['--db', path], NOWHERE), 'store', 'file');
      assert.equal(found.level, 'problem');
      assert.match(found.message, message);
      assert.match(found.advice ?? '', advice);
    }
  }),
);

test(
  'who writes: a running process is named, and goes on; the lock of one that is gone is a warning',
  inFolder(async (cwd) => {
    const path = join(cwd, 'graph.db');
    const store = await openStore(path);
    await store.update('INSERT DATA { <http://e/a> <http://e/p> 1 }');
    const held = find(await doctor(cwd, ['--db', 'graph.db'], NOWHERE), 'store', 'writer');
    assert.equal(held.level, 'ok');
    assert.match(held.message, new RegExp(`^process ${process.pid} on `));
    await store.update('INSERT DATA { <http://e/a> <http://e/p> 2 }');
    const lock = readFileSync(`${path}-writer`, 'utf8');
    await store.close();
    writeFileSync(`${path}-writer`, lock.replace(`"pid":${process.pid}`, '"pid":4194303'));
    const dead = find(await doctor(cwd, ['--db', 'graph.db'], NOWHERE), 'store', 'writer');
    assert.equal(dead.level, 'warning');
    assert.match(dead.message, /ended without giving the lock back$/);
    assert.match(readFileSync(`${path}-writer`, 'utf8'), /4194303/);
  }),
);

const LONG = 'k'.repeat(40);

test(
  'the configuration: which file counts, and what is wrong in it, by the rules of svc serve',
  inFolder(async (cwd) => {
    mkdirSync(join(cwd, '.svc'));
    const cases: [string, string, 'ok' | 'warning' | 'problem', RegExp][] = [
      ['', 'source', 'ok', /config\.toml$/],
      ['store = "x"', 'source', 'problem', /config\.toml:2: unknown key svc\.store/],
      ['[svc.server', 'source', 'problem', /config\.toml:/],
      ['', 'token', 'ok', /^none: whoever reaches a server may write$/],
      [`server.auth_token = "${LONG}"`, 'token', 'ok', /^set: writes need it$/],
      ['server.auth_token = "short"', 'token', 'warning', /^set, but of less than 16 characters$/],
      ['server.auth_token = "two words of a token"', 'source', 'problem', /config\.toml:2: .*without white space/],
      ['server.auth_token_file = "none"', 'token', 'problem', /none can't be read/],
      [
        `server.auth_token = "${LONG}"\nserver.auth_token_file = "f"`,
        'source',
        'problem',
        /config\.toml:3: .*give one of them/,
      ],
      ['server.crew_credentials_file = "none.json"', 'named credentials', 'warning', /^inactive: /],
      ['server.bind = "127.0.0.1:0"', 'address', 'ok', /^127\.0\.0\.1:0: this machine only$/],
      [
        'server.bind = "[::]:0"',
        'address',
        'problem',
        /config\.toml:2: \[::\]:0 is reachable from elsewhere.*svc serve refuses it$/,
      ],
      [`server.bind = "0.0.0.0:0"\nserver.auth_token = "${LONG}"`, 'address', 'ok', /writes need a token$/],
      ['server.bind = "3030"', 'source', 'problem', /expected host:port/],
      [
        'server.bind = "0.0.0.0:0"\nserver.auth_token = "short"',
        'address',
        'problem',
        /config\.toml:3: svc\.server\.auth_token: the token has less than 16 characters.*svc serve refuses it$/,
      ],
      ['server.require_token_for_reads = true', 'address', 'problem', /there is no token that reads could need/],
    ];
    for (const [text, check, level, message] of cases) {
      const bound = text.includes('bind') || text.startsWith('[') ? '' : '\nserver.bind = "127.0.0.1:0"';
      writeFileSync(join(cwd, '.svc/config.toml'), `[svc]\n${text}${bound}\n`);
      const report = await doctor(cwd);
      const found = find(report, 'configuration', check);
      assert.equal(found.level, level, `${text}: ${found.message}`);
      assert.match(found.message, message);
      assert.ok(found.level === 'ok' || found.advice !== null, text);
      assert.ok(!JSON.stringify(report).includes(LONG), 'tokens are never shown');
    }
    const absent = find(await doctor(cwd, ['--config', 'none.toml']), 'configuration', 'source');
    assert.deepEqual(
      [absent.level, absent.message],
      ['problem', "none.toml: the configuration can't be read: no such file"],
    );
    writeFileSync(join(cwd, '.svc/config.toml'), '');
    const over = find(await doctor(cwd, [], NOWHERE), 'configuration', 'source');
    assert.match(over.message, /config\.toml; from the environment: SVC_SERVER_BIND$/);
  }),
);

async function listening(answer: RequestListener, work: (bind: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test(
  'the address: nobody, somebody else, svc with this store, svc with another one',
  inFolder(async (cwd) => {
    await makeStore(join(cwd, 'graph.db'));
    await makeStore(join(cwd, 'other.db'));
    let free = '';
    const strangers: RequestListener[] = [
      (_, answer) => answer.end('hello'),
      (_, answer) => answer.end('{"version": 3}'),
      (_, answer) => answer.end('[1]'),
      (_, answer) => answer.writeHead(500).end('{"version":"1","features":{}}'),
      (_, answer) => answer.destroy(),
      (_, answer) => void answer.end(Buffer.alloc(1_000_000, 32)),
    ];
    for (const stranger of strangers) {
      await listening(stranger, async (bind) => {
        free = bind;
        const found = find(await doctor(cwd, [], { SVC_SERVER_BIND: bind }), 'server', 'port');
        assert.deepEqual([found.level, found.message], ['warning', `something else than svc listens at ${bind}`]);
      });
    }
    const nobody = find(await doctor(cwd, [], { SVC_SERVER_BIND: free }), 'server', 'port');
    assert.deepEqual([nobody.level, nobody.message], ['ok', `nobody listens at ${free}: free for svc serve`]);

    const refusal = '{"error":"unauthorized","reason":"missing_or_invalid_bearer_token"}';
    await listening(
      (_, answer) => answer.writeHead(401).end(refusal),
      async (bind) => {
        const found = find(await doctor(cwd, [], { SVC_SERVER_BIND: bind }), 'server', 'port');
        assert.deepEqual(
          [found.level, found.message],
          ['ok', `svc listens at ${bind}, and tells nothing without its token`],
        );
      },
    );
    const configuration = withDefaults({ server: { bind: '127.0.0.1:0', read_pool_size: 1 } });
    const path = join(cwd, 'graph.db');
    const server = await startServer({ path, configuration, insecure: false, quiet: true, write: () => undefined });
    try {
      const bound = { SVC_SERVER_BIND: `127.0.0.1:${server.address.port}` };
      const same = await doctor(cwd, ['--db', 'graph.db'], bound);
      assert.match(find(same, 'server', 'port').message, /^svc \S+ listens at 127\.0\.0\.1:\d+$/);
      assert.deepEqual(
        [find(same, 'server', 'store').level, find(same, 'server', 'store').message],
        ['ok', 'the server has graph.db at tx 2, as this one is'],
      );
      const other = find(await doctor(cwd, ['--db', 'other.db'], bound), 'server', 'store');
      assert.deepEqual(
        [other.level, other.message],
        ['warning', 'the server has graph.db at tx 2; looked at here: other.db at tx 2'],
      );
      const none = find(await doctor(cwd, [], bound), 'server', 'store');
      assert.match(none.message, /looked at here: none$/);
    } finally {
      await server.close();
    }
  }),
);

const SOUND: EnvironmentFacts = {
  node: '20.19.0',
  engines: '>=20.19',
  platform: 'linux-x64',
  processors: 2,
  nativeTrouble: null,
  openFilesMax: 4096,
  memoryBytes: 2 ** 34,
  freeMemoryBytes: 2 ** 33,
  now: new Date('2026-05-01T00:00:00Z'),
  spill: { path: 'spill', trouble: null, freeBytes: 2 ** 40 },
};

test('the machine: each rule, by what it has and lacks', () => {
  const cases: [Partial<EnvironmentFacts>, string, string][] = [
    [{ node: '20.18.9' }, 'Node', 'problem'],
    [{ node: '18.20.0' }, 'Node', 'problem'],
    [{ node: '22.0.0' }, 'Node', 'ok'],
    [{ nativeTrouble: 'No native build was found' }, 'platform', 'problem'],
    [{ openFilesMax: 256 }, 'open files', 'warning'],
    [{ openFilesMax: null }, 'open files', 'ok'],
    [{ memoryBytes: 2 ** 29 }, 'memory', 'warning'],
    [{ now: new Date('1970-01-01T00:10:00Z') }, 'clock', 'problem'],
    [{ spill: { path: 'spill', trouble: 'it may not be written', freeBytes: 2 ** 40 } }, 'temporary files', 'problem'],
    [{ spill: { path: 'spill', trouble: null, freeBytes: 2 ** 20 } }, 'temporary files', 'warning'],
  ];
  const judge = (facts: Partial<EnvironmentFacts>) => judgeEnvironment({ ...SOUND, ...facts }, withDefaults({}));
  assert.deepEqual(new Set(judge({}).map(({ level }) => level)), new Set(['ok']));
  for (const [facts, check, level] of cases) {
    for (const finding of judge(facts)) {
      assert.equal(finding.level, finding.check === check ? level : 'ok', `${finding.check}: ${finding.message}`);
      assert.equal(finding.advice === null, finding.level === 'ok', finding.check);
    }
  }
});

/** Transactions of late, so many seconds apart. */
const busy = (seconds: number) =>
  Array.from({ length: 10 }, (_, at) => ({ timestamp: 1_699_999_000 + seconds * at, statements: 1000 }));

test('the store: room, rights, the clock, and a delta that nobody folds', () => {
  const baseNamespace = 'http://e/';
  const inspection = {
    fileBytes: 2 ** 30,
    format: 2,
    lastTx: 9,
    lastTimestamp: 1_700_000_000,
    unfolded: 0,
    runs: 3,
    storedRows: 3_000_000,
    recent: [],
    baseNamespace,
  };
  const sound: StoreFacts = {
    baseNamespace,
    path: 'g.db',
    named: true,
    inspection,
    writer: null,
    writable: true,
    freeBytes: 2 ** 40,
    now: new Date('2026-05-01T00:00:00Z'),
  };
  const cases: [Partial<StoreFacts>, string, string][] = [
    [{ freeBytes: 2 ** 20 }, 'disk', 'problem'],
    [{ freeBytes: 2 ** 29 }, 'disk', 'warning'],
    [{ writable: false }, 'rights', 'warning'],
    [{ now: new Date('2021-01-01T00:00:00Z') }, 'last transaction', 'warning'],
    [{ inspection: { ...inspection, unfolded: 10_001 } }, 'delta', 'warning'],
    [{ inspection: { ...inspection, lastTx: 0, lastTimestamp: null } }, 'last transaction', 'ok'],
    [{ inspection: { ...inspection, baseNamespace: null } }, 'base_ns', 'ok'],
    [{ baseNamespace: 'http://other/' }, 'base_ns', 'problem'],
    [{ inspection: { ...inspection, baseNamespace: 'nope' } }, 'base_ns', 'warning'],
    [{ freeBytes: 2 ** 31, inspection: { ...inspection, recent: busy(60) } }, 'forecast', 'warning'],
    [{ inspection: { ...inspection, recent: busy(60) } }, 'forecast', 'ok'],
    [{ inspection: { ...inspection, recent: busy(0) } }, 'forecast', 'ok'],
  ];
  for (const [facts, check, level] of cases) {
    const findings = judgeStore({ ...sound, ...facts });
    assert.equal(findings.find((finding) => finding.check === check)?.level, level, check);
    assert.equal(findings.filter((finding) => finding.level !== 'ok').length, level === 'ok' ? 0 : 1, check);
  }
});

test('sizes are told in the largest unit that fits', () => {
  const cases: [number, string][] = [
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1.0 KiB'],
    [1.5 * 2 ** 30, '1.5 GiB'],
    [2 ** 52, '4096.0 TiB'],
  ];
  for (const [bytes, text] of cases) assert.equal(showBytes(bytes), text);
});

test(
  'what doctor does not do is refused by name',
  inFolder(async (cwd) => {
    const labels = await svc(['doctor', 'labels'], { cwd });
    assert.deepEqual([labels.code, labels.out], [1, '']);
    assert.match(labels.err, /^error: there is no store at .*svc\.db/);
    const other = await svc(['doctor', 'teeth'], { cwd });
    assert.deepEqual([other.code, other.err], [2, 'error: svc doctor knows nothing of "teeth"\n']);
    assert.equal((await svc(['doctor', '--url', 'http://127.0.0.1:1'], { cwd })).code, 1);
  }),
);
