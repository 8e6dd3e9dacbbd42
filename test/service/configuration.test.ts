/** Search order, defaults, and messages that name file, line and key. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { SvcError } from '../../engine/base/errors.js';
import { loadConfiguration } from '../../engine/service/configuration/configuration.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { lineOfKey } from '../../engine/service/configuration/toml.js';

function failure(text: string): string {
  try {
    parseConfiguration(text, 'c.toml');
  } catch (error) {
    assert.ok(error instanceof SvcError);
    assert.equal(error.code, 'configuration');
    return error.describe().split('\n')[0] as string;
  }
  throw new Error('the text was accepted');
}

test('an empty file gives every default', () => {
  const configuration = parseConfiguration('', 'c.toml');
  assert.equal(configuration.store_path, '.svc/svc.db');
  assert.deepEqual(configuration.server, {
    bind: '127.0.0.1:3030',
    allowed_hosts: [],
    trusted_proxies: [],
    require_token_for_reads: false,
    read_only: false,
    cors_allowed_origins: [],
    read_pool_size: 4,
    reader_age_max_ms: 300_000,
    max_body_bytes: 67108864,
  });
  assert.deepEqual(configuration.query, {
    memory_budget_mb: 1024,
    spill_max_mb: 10_240,
    subclass_inference: true,
    named_graph_paths: 'evaluate',
  });
  assert.equal(configuration.search.max_sparql_rows, 10000);
  assert.equal(configuration.search.max_join_rows, undefined);
  assert.deepEqual(configuration.federation, { remotes: [], service_endpoints: [] });
  assert.equal(configuration.mcp.extra_tools, false);
});

test('given values stand beside the defaults of the others', () => {
  const configuration = parseConfiguration(
    `[svc]\nstore_path = "x.db"\nquery.memory_budget_mb = 64\n[svc.server]\nread_only = true\n
     [[svc.federation.remotes]]\nname = "a"\nurl = "http://a.example/"\n`,
    'c.toml',
  );
  assert.equal(configuration.store_path, 'x.db');
  assert.equal(configuration.query.memory_budget_mb, 64);
  assert.equal(configuration.query.subclass_inference, true);
  assert.equal(configuration.server.read_only, true);
  assert.equal(configuration.server.read_pool_size, 4);
  assert.deepEqual(
    configuration.federation.remotes.map((remote) => ({ ...remote })),
    [{ name: 'a', url: 'http://a.example/' }],
  );
});

test('what is wrong is told with file, line and key', () => {
  assert.match(
    failure('[svc]\n\nstore_pth = "x"\n'),
    /^c\.toml:3: unknown key svc\.store_pth; known here: store_path, /,
  );
  assert.match(
    failure('[svc.server]\nbind = "a"\nread_only = "yes"\n'),
    /^c\.toml:3: bad value of svc\.server\.read_only: "yes"; expected true or false$/,
  );
  assert.match(
    failure('[svc]\nserver.read_pool_size = -1\n'),
    /^c\.toml:2: bad value of svc\.server\.read_pool_size: -1; expected an integer of at least 0 and at most 128$/,
  );
  assert.match(failure('[svc.query]\nnamed_graph_paths = "no"\n'), /^c\.toml:2: .*expected one of evaluate, refuse$/);
  assert.match(
    failure('store_path = "x"\n'),
    /^c\.toml:1: unknown key store_path; every key stands under the table \[svc\]$/,
  );
  assert.match(failure('[svc]\na = """\n[svc.server]\n"""\nb = = 1\n'), /^c\.toml:5:\d+: not valid TOML: /);
  assert.match(
    failure('[[svc.federation.remotes]]\nname = "a"\nurl = "u"\n[[svc.federation.remotes]]\nname = "b"\n'),
    /^c\.toml:4: missing key svc\.federation\.remotes\[1\]\.url; expected a string/,
  );
  assert.match(failure('[svc.labels]\nmin_trust_chain = "urn:c"\n'), /^c\.toml:2: .*give both or none$/);
});

/** All that a person may come to see of a failure. */
function wholeFailure(text: string): string {
  try {
    parseConfiguration(text, 'c.toml');
  } catch (error) {
    assert.ok(error instanceof SvcError);
    return `${error.describe()}\n${JSON.stringify(error.position)}\n${inspect(error)}`;
  }
  throw new Error('the text was accepted');
}

test('what is wrong with a secret is told without it', () => {
  for (const [text, message] of [
    ['[svc.server]\nauth_token = 1234567\n', /^c\.toml:2: bad value of svc\.server\.auth_token; expected a string$/m],
    ['[svc.server]\nprevious_auth_token = ["1234567"]\n', /bad value of svc\.server\.previous_auth_token; expected/],
    ['[svc.server]\nauth_token.x = "1234567"\n', /bad value of svc\.server\.auth_token; expected a string/],
    ['[svc.signing]\nkey_path = 1234567\n', /bad value of svc\.signing\.key_path; expected/],
    ['[svc]\nserver = "auth_token = 1234567"\n', /bad value of svc\.server; expected an object/],
    ['[svc.federation]\nremotes = "auth_token 1234567"\n', /bad value of svc\.federation\.remotes; expected a list/],
    [
      '[[svc.federation.service_endpoints]]\nurl = "http://a.example/"\nauth_token = 1234567\n',
      /^c\.toml:3: bad value of svc\.federation\.service_endpoints\[0\]\.auth_token; expected a string$/m,
    ],
    ['[svc.server]\nauth_token = "1234567\n', /^c\.toml:2:\d+: not valid TOML/m],
    ['[svc.server]\nauth_tokn = 1234567"\n', /^c\.toml:2:\d+: not valid TOML/m],
    ["[svc.server]\nauth_token = '''\n1234567\n''' x\n", /not valid TOML/],
    ['[svc.server]\nauth_token = "1234567"\nbind = \n', /^c\.toml:3:\d+: not valid TOML/m],
    ['[svc]\nserver = { bind = "a", auth_token = "1234567", read_only = }\n', /not valid TOML/],
  ] as const) {
    const told = wholeFailure(text);
    assert.match(told, message);
    assert.ok(!told.includes('1234567'), told);
  }
});

test('a line that is no place for secrets is quoted where it is not TOML', () => {
  for (const [text, line] of [
    ['[svc.server]\nread_pool_size = many\n', 'read_pool_size = many'],
    ['[svc]\nserver.bind = "127.0.0.1:1\n', 'server.bind = "127.0.0.1:1'],
    ['[svc]\n[svc.server\n', '[svc.server'],
  ] as const) {
    assert.ok(wholeFailure(text).includes(`\n  ${line}\n`), wholeFailure(text));
  }
});

test('a key in a multi-line string is no key', () => {
  assert.equal(lineOfKey('[svc]\na = """\nb = 1\n"""\nb = 2\n', ['svc', 'b']), 5);
});

test('the first file found wins', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-configuration-'));
  try {
    const home = join(folder, 'home');
    const here = join(folder, 'here');
    const write = (path: string, value: string): string => {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, `[svc]\nstore_path = "${value}"\n`);
      return path;
    };
    const places = { environment: {}, workingDirectory: here, homeDirectory: home };
    const found = async (more = {}): Promise<string> =>
      (await loadConfiguration({ ...places, ...more })).configuration.store_path;
    assert.equal(await found(), '.svc/svc.db');
    write(join(home, '.config/svc/config.toml'), 'home');
    assert.equal(await found(), 'home');
    write(join(here, '.svc/config.toml'), 'here');
    assert.equal(await found(), 'here');
    const variable = { environment: { SVC_CONFIG: write(join(folder, 'v.toml'), 'variable') } };
    assert.equal(await found(variable), 'variable');
    assert.equal(await found({ ...variable, path: write(join(folder, 'p.toml'), 'path') }), 'path');
    rmSync(join(here, '.svc/config.toml'));
    symlinkSync(join(folder, 'gone.toml'), join(here, '.svc/config.toml'));
    await assert.rejects(() => found(), /can't be read: no such file/);
    await assert.rejects(() => found({ path: join(folder, 'none.toml') }), /can't be read: no such file/);
    await assert.rejects(() => found({ environment: { SVC_CONFIG: folder } }), /can't be read/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('variables of the environment stand above the file, and are checked like it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-configuration-'));
  const file = join(folder, 'config.toml');
  writeFileSync(file, '[svc.server]\nbind = "127.0.0.1:4000"\nread_pool_size = 2\n');
  const environment = {
    SVC_SERVER_READ_POOL_SIZE: '3',
    SVC_AUTH_TOKEN: 'secret',
    SVC_SERVER_CORS_ALLOWED_ORIGINS: 'http://a.example, http://b.example',
    SVC_QUERY_SUBCLASS_INFERENCE: 'false',
    SVC_NOTHING_OF_OURS: 'x',
  };
  const { configuration, variables } = await loadConfiguration({ path: file, environment });
  assert.equal(configuration.server.bind, '127.0.0.1:4000');
  assert.equal(configuration.server.read_pool_size, 3);
  assert.equal(configuration.server.auth_token, 'secret');
  assert.deepEqual(configuration.server.cors_allowed_origins, ['http://a.example', 'http://b.example']);
  assert.equal(configuration.query.subclass_inference, false);
  assert.deepEqual(variables, [
    'SVC_AUTH_TOKEN',
    'SVC_QUERY_SUBCLASS_INFERENCE',
    'SVC_SERVER_CORS_ALLOWED_ORIGINS',
    'SVC_SERVER_READ_POOL_SIZE',
  ]);
  const leaked = { SVC_FEDERATION_REMOTES: '[{"name": "a", "url": "http://a.example/", "auth_token": "1234567"' };
  await assert.rejects(loadConfiguration({ workingDirectory: folder, homeDirectory: folder, environment: leaked }), {
    message: 'SVC_FEDERATION_REMOTES: bad value of svc.federation.remotes; expected a list, each entry an object',
  });
  for (const [name, text, message] of [
    ['SVC_SERVER_READ_POOL_SIZE', 'many', /SVC_SERVER_READ_POOL_SIZE: bad value of svc.server.read_pool_size/],
    ['SVC_SEARCH_QUERY_TIMEOUT_MS', '0', /SVC_SEARCH_QUERY_TIMEOUT_MS: .*at least 1/],
    ['SVC_VECTOR_BACKEND', 'faiss', /SVC_VECTOR_BACKEND: .*one of brute, ann/],
  ] as const) {
    await assert.rejects(
      loadConfiguration({ workingDirectory: folder, homeDirectory: folder, environment: { [name]: text } }),
      message,
    );
  }
});
