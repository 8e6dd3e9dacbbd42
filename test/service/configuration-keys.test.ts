/** Every key of the configuration: what it takes and refuses, from a file and from the environment. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { loadConfiguration } from '../../engine/service/configuration/configuration.js';
import { configurationSchema } from '../../engine/service/configuration/keys.js';
import type { SchemaNode } from '../../engine/service/requests/schema.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-keys-'));
after(() => rmSync(folder, { recursive: true }));

interface Values {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const PATH: Values = { good: ['a/b', '/x'], bad: ['', ' ', 'a\u0000b', 3] };
const TOKEN: Values = { good: ['a', 'k'.repeat(40)], bad: ['', 'a b', 'a\tb', 'é', 1] };
const FLAG: Values = { good: [true, false], bad: ['yes', 1] };
const IRI: Values = { good: ['urn:a:b', 'http://e/x'], bad: ['', 'nope', 'http://x/a b', 1] };
const MS: Values = { good: [1, 2_147_483_647], bad: [0, -1, 1.5, 2_147_483_648, 'soon'] };
const COUNT: Values = { good: [1, 3], bad: [0, -1, 1.5, 1e12, 'many'] };
const WORDS: Values = { good: [[], ['a-b']], bad: ['a', [''], ['a b'], [1]] };

const READ_GRAPHS: Values = {
  good: [[], ['ROOT', '*', 'http://example.org/g', 'http://example.org/open/*', 'urn:svc:fork:a']],
  bad: ['ROOT', ['root'], ['http://e/*/x'], ['urn:svc:*'], ['urn:svc:graph:registry'], ['urn:svc:graph:meta'], [1]],
};

/** By key; in TOML and in JSON these are written alike. */
const VALUES: Readonly<Record<string, Values>> = {
  store_path: PATH,
  base_ns: {
    good: ['http://svc.local/ontology/', 'urn:x:', 'http://e/é#'],
    bad: ['', 'no iri', 'nope', 'http://x/a b', 'http://x/<', '/a/', 1],
  },
  'server.bind': {
    good: ['127.0.0.1:0', '[::1]:3030', 'localhost:1'],
    bad: ['', 'nonsense', '127.0.0.1', '127.0.0.1:70000', '::1:3030', '[nonsense]:1', 'a b:1', 'http://a:1', 3030],
  },
  'server.public_url': {
    good: ['https://graph.example.org', 'http://h/kg/', 'https://h:8443'],
    bad: ['', 'graph.example.org', 'ftp://h/', 'https://h/?a', 'https://h/#a', 'https://me:secret@h/', 'https://a b/'],
  },
  'server.allowed_hosts': {
    good: [[], ['graph.example.org', '10.0.0.7:8080', '[::1]']],
    bad: ['graph.example.org', ['*'], ['*.example.org'], ['http://h'], ['h/x'], ['']],
  },
  'server.trusted_proxies': {
    good: [[], ['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1']],
    bad: ['127.0.0.1', ['10.0.0.0/33'], ['proxy'], ['fd00::/129'], ['*'], ['127.0.0.1:80'], ['']],
  },
  'server.auth_token': TOKEN,
  'server.auth_token_file': PATH,
  'server.previous_auth_token': TOKEN,
  'server.crew_credentials_file': PATH,
  'server.require_token_for_reads': FLAG,
  'server.read_only': FLAG,
  'server.cors_allowed_origins': {
    good: [[], ['http://app.example', 'https://app.example:8443', 'http://[::1]:9', 'chrome-extension://abcdef']],
    bad: [
      'http://app.example',
      ['*'],
      ['nonsense'],
      ['http://evil.test/'],
      ['http://evil.test/a'],
      ['HTTP://app.example'],
      ['http://app.example:80'],
      ['http://*.example'],
      ['null'],
      [''],
      ['http://a b'],
    ],
  },
  'server.read_pool_size': { good: [0, 4, 128], bad: [-1, 129, 1.5, 'four'] },
  'server.reader_age_max_ms': MS,
  'server.client_requests_max': COUNT,
  'server.slow_query_ms': MS,
  'server.max_body_bytes': { good: [1, 67_108_864], bad: [0, 1e12, 'large'] },
  'labels.min_freshness': { good: ['fresh', 'stale'], bad: ['', 'hour', 'FRESH', 1] },
  'labels.min_durability': { good: ['backed', 'soleRecord'], bad: ['', 'disk', 1] },
  'labels.min_trust_rank': { good: [], bad: [1.5, 'high', 1e12] },
  'labels.min_trust_chain': { good: [], bad: ['', 'chain', 'urn:a b'] },
  'labels.deny_policy_tokens': { good: [[], ['pii']], bad: ['a', [''], ['a b'], [1]] },
  'labels.extra_kinds': WORDS,
  'query.memory_budget_mb': { good: [1, 1024], bad: [0, -1, 1.5, 1e12, 'much'] },
  'query.threads': { good: [1, 8, 64], bad: [0, 65, 1.5, 'all'] },
  'query.spill_max_mb': { good: [1, 10_240], bad: [0, 1e12, 'much'] },
  'query.spill_directory': PATH,
  'query.subclass_inference': FLAG,
  'query.named_graph_paths': { good: ['evaluate', 'refuse'], bad: ['', 'allow', true] },
  'archives.dir': PATH,
  'archives.as_of': { good: ['refuse', 'allow'], bad: ['', 'ask', true] },
  'archives.open_max': { good: [1, 16, 4096], bad: [0, 4097, 1.5, 'many'] },
  'update.load_from': PATH,
  'update.timeout_ms': MS,
  'search.default_limit': COUNT,
  'search.text_backend': { good: ['index', 'substring'], bad: ['', 'words'] },
  'search.max_limit': { good: [10, 1000], bad: COUNT.bad },
  'search.max_sparql_rows': COUNT,
  'search.query_timeout_ms': MS,
  'search.label_predicates': { good: [[], ['http://e/name']], bad: ['http://e/name', [''], ['a b'], [1]] },
  'search.max_join_rows': { good: [1, 1e12], bad: [0, 1.5, 'many'] },
  'shacl.validate_on_write': FLAG,
  'shacl.timeout_ms': MS,
  'features.owl': FLAG,
  'features.reactive_reasoner': FLAG,
  'features.ann': FLAG,
  'features.onnx': FLAG,
  'owl.validate_on_write': FLAG,
  'owl.reactive_materialize': FLAG,
  'governance.enforce_on_write': { good: [true, false], bad: ['yes'] },
  'governance.validate_placement': { good: [true, false], bad: ['yes'] },
  'governance.enforce_authority': { good: [true, false], bad: ['yes'] },
  'governance.read_rules[].principal': {
    good: ['anonymous', 'shared', 'everyone', 'http://example.org/ana'],
    bad: ['', 'nobody', 'a b', 1],
  },
  'governance.read_rules[].graphs': READ_GRAPHS,
  'governance.read_rules[].except': READ_GRAPHS,
  'signing.key_path': PATH,
  'signing.verifier': IRI,
  'events.retention_days': { good: [1, 36_500], bad: [0, 36_501, 1.5, 'long'] },
  'resolution.enabled': FLAG,
  'resolution.strict_mode': FLAG,
  'resolution.threshold': { good: [0, 0.5, 1], bad: [-0.1, 1.1, 'high'] },
  'resolution.top_k': COUNT,
  'embedding.provider': { good: ['none'], bad: ['', 'openai', 1, 'http', 'onnx'] },
  'embedding.url': {
    good: ['http://h:1/v1', 'https://h/'],
    bad: ['', 'nope', 'ftp://h/', 'http://me:secret@h/', 'http://h/?a'],
  },
  'embedding.model': { good: ['small'], bad: ['', ' ', 1] },
  'embedding.api_key_env': { good: ['KEY', 'OPENAI_API_KEY'], bad: ['', 'sk-1', 'a b', 1] },
  'embedding.timeout_ms': MS,
  'embedding.model_path': PATH,
  'embedding.tokenizer_path': PATH,
  'embedding.auto_embed': FLAG,
  'embedding.embed_batch_size': { good: [1, 2048], bad: [0, -1, 1.5, 2049, 'many'] },
  'embedding.dimension': { good: [1, 384], bad: [0, 65_537, 'wide'] },
  'embedding.max_sequence_length': { good: [3, 512], bad: [0, 2, 65_537, 'long'] },
  'vector.backend': { good: ['brute', 'ann'], bad: ['', 'faiss'] },
  'vector.path': { good: [], bad: ['a/b', '', 3] },
  'follow.primary': { good: ['https://h', 'http://127.0.0.1:3030/kg'], bad: ['', 'nope', 'ftp://h/', 'https://h/?a'] },
  'follow.auth_token': TOKEN,
  'federation.remotes[].name': { good: ['far', 'north-1_B'], bad: ['', ' ', 1, 'local', 'a.b', 'a b', 'x'.repeat(65)] },
  'federation.remotes[].url': {
    good: ['http://h/', 'https://h:1/a//'],
    bad: ['', 'nope', 'ftp://h/', 'http://me:secret@h/', 'http://h/?a'],
  },
  'federation.remotes[].auth_token': TOKEN,
  'federation.remotes[].timeout_ms': MS,
  'federation.remotes[].labels.freshness': { good: ['fresh', 'stale'], bad: ['', 'hour'] },
  'federation.remotes[].labels.durability': { good: ['backed', 'soleRecord'], bad: ['', 'disk'] },
  'federation.remotes[].labels.trust.iri': IRI,
  'federation.remotes[].labels.trust.chain': IRI,
  'federation.remotes[].labels.trust.rank': { good: [-1, 7], bad: [1.5, 'high'] },
  'federation.remotes[].labels.policy': WORDS,
  'federation.remotes[].labels.kind': { good: ['archive'], bad: ['', 'a b', 'bogus'] },
  'federation.service_endpoints[].url': { good: ['http://h/sparql'], bad: ['', 'nope', 'ftp://h/', 'http://h/#a'] },
  'federation.service_endpoints[].timeout_ms': MS,
  'federation.service_endpoints[].auth_token': TOKEN,
  'share.identifier_policy': PATH,
  'subscriptions.allow_private_targets': FLAG,
  'mcp.extra_tools': FLAG,
  'mcp.answer_tokens_max': { good: [200, 4000], bad: [0, 199, 1.5, 1e12, 'many'] },
  'mcp.tools': { good: [['svc_query']], bad: ['svc_query', [''], [1]] },
};

function* leaves(node: SchemaNode, path: string): Generator<string> {
  const entry = node.items?.properties === undefined ? node : node.items;
  if (entry.properties === undefined) {
    yield path;
    return;
  }
  const below = entry === node ? path : `${path}[]`;
  for (const [key, child] of Object.entries(entry.properties))
    yield* leaves(child, below === '' ? key : `${below}.${key}`);
}

const HTTP = { 'embedding.provider': 'http', 'embedding.model': 'm', 'embedding.url': 'http://h/' };

/** What a key needs beside it. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'server.previous_auth_token': { 'server.auth_token': 'current' },
  'embedding.url': { 'embedding.provider': 'http', 'embedding.model': 'm' },
  'embedding.model': { 'embedding.provider': 'http', 'embedding.url': 'http://h/' },
  'embedding.api_key_env': HTTP,
  'embedding.timeout_ms': HTTP,
  'embedding.auto_embed': HTTP,
  'embedding.model_path': { 'embedding.provider': 'onnx', 'embedding.tokenizer_path': 't.json' },
  'embedding.tokenizer_path': { 'embedding.provider': 'onnx', 'embedding.model_path': 'm.onnx' },
  'federation.remotes[].name': { 'federation.remotes[].url': 'http://h/' },
  'federation.service_endpoints[].timeout_ms': { 'federation.service_endpoints[].url': 'http://h/' },
  'federation.service_endpoints[].auth_token': { 'federation.service_endpoints[].url': 'http://h/' },
};
const READ_RULE = { 'governance.read_rules[].principal': 'anonymous', 'governance.read_rules[].graphs': ['ROOT'] };
const REMOTE = { 'federation.remotes[].name': 'r', 'federation.remotes[].url': 'http://h/' };
const TRUST = { iri: 'urn:i', chain: 'urn:c', rank: 1 };

function besides(key: string): Readonly<Record<string, unknown>> {
  if (BESIDE[key] !== undefined) return BESIDE[key];
  if (key.startsWith('governance.read_rules')) return READ_RULE;
  const trust = key.includes('.trust.')
    ? Object.entries(TRUST).map(([one, value]) => [`${key.replace(/\w+$/, one)}`, value])
    : [];
  return key.startsWith('federation.remotes') ? { ...REMOTE, ...Object.fromEntries(trust) } : {};
}

/** The key itself stands in line 2. */
function tomlOf(key: string, value: unknown): string {
  const given = { ...besides(key), [key]: value };
  const inList = /^(.*)\[\]\.(.*)$/.exec(key);
  const lines = Object.entries(given)
    .sort(([one], [other]) => Number(other === key) - Number(one === key))
    .map(
      ([name, one]) =>
        `${inList === null ? name : name.slice((inList[1] as string).length + 3)} = ${JSON.stringify(one)}`,
    );
  return [inList === null ? '[svc]' : `[[svc.${inList[1]}]]`, ...lines, ''].join('\n');
}

let files = 0;

async function load(toml: string, environment: Readonly<Record<string, string>> = {}) {
  const path = join(folder, `${files++}.toml`);
  writeFileSync(path, toml);
  return { path, loaded: loadConfiguration({ path, environment }) };
}

async function refusal(loading: Promise<unknown>): Promise<SvcError> {
  const error = await loading.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SvcError, String(error));
  assert.equal(error.code, 'configuration');
  return error;
}

test('every key has values here, and no other has', () => {
  assert.deepEqual(Object.keys(VALUES).sort(), [...leaves(configurationSchema, '')].sort());
});

test('of every key good values are taken, and bad ones refused with file, line and key', async () => {
  for (const [key, { good, bad }] of Object.entries(VALUES)) {
    for (const value of good) await (await load(tomlOf(key, value))).loaded;
    assert.ok(bad.length > 0, key);
    for (const value of bad) {
      const { path, loaded } = await load(tomlOf(key, value));
      const what = `${key} = ${JSON.stringify(value)}`;
      const { message, position } = await refusal(loaded).catch((error: Error) =>
        assert.fail(`${what}: ${error.message}`),
      );
      assert.deepEqual([position?.source, position?.line], [path, 2], what);
      assert.ok(message.includes(`svc.${key.replace('[]', '[0]')}`), `${what}: ${message}`);
      assert.ok(!message.includes('secret'), message);
    }
  }
});

test('the same from the environment names the variable', async () => {
  for (const [key, { bad }] of Object.entries(VALUES)) {
    const variable = `SVC_${key
      .replace(/\[\].*$/, '')
      .replaceAll('.', '_')
      .toUpperCase()}`;
    for (const value of bad) {
      const inList = /\[\]\.(.*)$/.exec(key)?.[1];
      // A list may be words with commas between them, a text may look like a number.
      if (inList === undefined && (typeof value === 'number') !== ['integer', 'number'].includes(typeOf(key))) continue;
      if (typeOf(key) === 'array' && typeof value === 'string') continue;
      const text =
        inList !== undefined
          ? JSON.stringify([{ [inList]: value }])
          : typeof value === 'string'
            ? value
            : JSON.stringify(value);
      if (typeOf(key) === 'boolean' && text === '1') continue;
      const { loaded } = await load('', { [variable]: text });
      const { message } = await refusal(loaded).catch((error: Error) =>
        assert.fail(`${variable}=${text}: ${error.message}`),
      );
      assert.ok(message.startsWith(`${variable}: `), message);
    }
  }
});

function typeOf(key: string): string {
  let node: SchemaNode | undefined = configurationSchema;
  for (const part of key.replaceAll('[]', '').split('.')) node = (node?.items ?? node)?.properties?.[part];
  return node?.type ?? '';
}

test('an empty token of the environment is no token, and is named', async () => {
  const { message } = await refusal((await load('', { SVC_AUTH_TOKEN: '' })).loaded);
  assert.match(message, /^SVC_AUTH_TOKEN: bad value of svc\.server\.auth_token; expected a token/);
});

test('what keys have to do with each other is told at the place of one of them', async () => {
  for (const [toml, line, message] of [
    ['[svc.server]\nprevious_auth_token = "old"\n', 2, /previous_auth_token needs a current token/],
    ['[svc.server]\nauth_token = "a"\nauth_token_file = "f"\n', 3, /give one of them/],
    ['[svc.labels]\nmin_trust_chain = "urn:c"\n', 2, /give both or none/],
    ['[svc.search]\nmax_limit = 5\n', 2, /default_limit is 10, more than svc\.search\.max_limit, which is 5/],
    ['[svc.search]\n\ndefault_limit = 5000\n', 3, /default_limit is 5000/],
    [
      '[[svc.federation.remotes]]\nname = "a"\nurl = "http://a/"\n[[svc.federation.remotes]]\nname = "a"\nurl = "http://b/"\n',
      5,
      /remotes\[1\]\.name: "a" stands there twice/,
    ],
    [
      '[[svc.federation.remotes]]\nname = "a"\nurl = "http://a/"\n[svc.federation.remotes.labels]\n',
      4,
      /remotes\[0\]\.labels: it declares nothing/,
    ],
    [
      '[[svc.federation.remotes]]\nname = "a"\nurl = "http://a/"\n[svc.federation.remotes.labels]\nkind = "bogus"\n',
      5,
      /remotes\[0\]\.labels\.kind: there is no kind "bogus"/,
    ],
  ] as const) {
    const { path, loaded } = await load(toml);
    const error = await refusal(loaded);
    assert.deepEqual([error.position?.source, error.position?.line], [path, line], toml);
    assert.match(error.message, message);
  }
  const rotating = await load('[svc.server]\nprevious_auth_token = "old"\n', { SVC_AUTH_TOKEN: 'new' });
  assert.equal((await rotating.loaded).configuration.server.previous_auth_token, 'old');
  const two = await load('[svc.server]\nauth_token_file = "f"\n', { SVC_AUTH_TOKEN: 'new' });
  assert.match((await refusal(two.loaded)).message, /give one of them/);
});
