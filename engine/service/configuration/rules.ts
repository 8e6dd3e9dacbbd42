/** What keys have to do with each other, checked when all of them are known, wherever each comes from. */

import { GRAPH_KINDS } from '../../query/registry/label-words.js';
import { ONNX_INSTALL, onnxLoads } from '../../search/embeddings/onnx-library.js';

type Given = Readonly<Record<string, unknown>>;

/** A rule that is broken, told at one of its keys. */
export interface BrokenRule {
  readonly path: readonly string[];
  readonly message: string;
}

function tableOf(given: Given, name: string): Given {
  return (given[name] ?? {}) as Given;
}

function repeated(names: readonly unknown[]): number {
  return names.findIndex((name, at) => names.indexOf(name) !== at);
}

/** Told at a key of a table. */
function broken(table: string, key: string, message: string): BrokenRule {
  return { path: [table, ...key.split('.')], message: `svc.${table}.${message}` };
}

/** Keys that only one provider reads, with those among them that it can't do without. */
const OF_PROVIDER = {
  http: { needs: ['url', 'model'], takes: ['api_key_env', 'timeout_ms'] },
  onnx: { needs: ['model_path', 'tokenizer_path'], takes: [] },
} as const;

/** A key of another provider would be believed to have an effect. */
function* embeddingRules(given: Given): Generator<BrokenRule> {
  const embedding = tableOf(given, 'embedding');
  const { provider = 'none', auto_embed: autoEmbed } = embedding;
  for (const [of, { needs, takes }] of Object.entries(OF_PROVIDER)) {
    for (const key of needs) {
      if (provider !== of || embedding[key] !== undefined) continue;
      yield broken('embedding', 'provider', `provider = "${of}" needs svc.embedding.${key}`);
    }
    for (const key of [...needs, ...takes]) {
      if (provider === of || embedding[key] === undefined || (key === 'model' && provider === 'onnx')) continue;
      yield broken('embedding', key, `${key} is read with svc.embedding.provider = "${of}", which is "${provider}"`);
    }
  }
  if (autoEmbed === true && provider === 'none') {
    yield broken('embedding', 'auto_embed', 'auto_embed needs svc.embedding.provider, which is "none"');
  }
  const { ann, onnx } = tableOf(given, 'features');
  const { backend, path } = tableOf(given, 'vector');
  if (provider === 'onnx' && onnx === false) {
    yield broken('embedding', 'provider', 'provider = "onnx" needs svc.features.onnx, which is false');
  }
  if (backend === 'ann' && ann === false) {
    yield broken('vector', 'backend', 'backend = "ann" needs svc.features.ann, which is false');
  }
  if (path !== undefined) {
    yield broken('vector', 'path', 'path: vectors and their lists stand inside the store file; leave the key out');
  }
  if (onnx === true && !onnxLoads()) {
    yield broken('features', 'onnx', `onnx needs a package that is not installed: ${ONNX_INSTALL}`);
  }
}

/** `given` before the defaults are filled in, its values checked. */
export function* brokenRules(given: Given): Generator<BrokenRule> {
  const { min_trust_rank: rank, min_trust_chain: chain } = tableOf(given, 'labels');
  if ((rank === undefined) !== (chain === undefined)) {
    const key = rank === undefined ? 'min_trust_chain' : 'min_trust_rank';
    yield broken('labels', key, 'min_trust_rank and svc.labels.min_trust_chain: give both or none');
  }
  const { auth_token: token, auth_token_file: file, previous_auth_token: previous } = tableOf(given, 'server');
  if (token !== undefined && file !== undefined) {
    yield broken('server', 'auth_token_file', 'auth_token and svc.server.auth_token_file: give one of them');
  }
  if (previous !== undefined && token === undefined && file === undefined) {
    const what = 'previous_auth_token needs a current token beside it, auth_token or auth_token_file';
    yield broken('server', 'previous_auth_token', what);
  }
  const { default_limit: byDefault = 10, max_limit: most = 1000 } = tableOf(given, 'search');
  if (Number(byDefault) > Number(most)) {
    const key = tableOf(given, 'search').max_limit === undefined ? 'default_limit' : 'max_limit';
    yield broken('search', key, `default_limit is ${byDefault}, more than svc.search.max_limit, which is ${most}`);
  }
  if ((tableOf(given, 'governance').read_rules as readonly unknown[] | undefined)?.length === 0) {
    const what = 'read_rules holds no rule; leave the key out where everybody may read everything';
    yield broken('governance', 'read_rules', what);
  }
  yield* embeddingRules(given);
  yield* remoteRules(given);
}

/** Answers, blank nodes and figures tell remotes by their names; what one is declared as is read as labels of graphs are. */
function* remoteRules(given: Given): Generator<BrokenRule> {
  const remotes = (tableOf(given, 'federation').remotes ?? []) as readonly Given[];
  const names = remotes.map(({ name }) => name);
  const ofRemote = (at: number, key: string, what: string) =>
    broken('federation', `remotes.${at}.${key}`, `remotes[${at}].${key}: ${what}`);
  const again = repeated(names);
  if (again >= 0) yield ofRemote(again, 'name', `${JSON.stringify(names[again])} stands there twice`);
  const local = names.indexOf('local');
  if (local >= 0) yield ofRemote(local, 'name', '"local" is the name of this store');
  const kinds = [...GRAPH_KINDS, ...((tableOf(given, 'labels').extra_kinds ?? []) as readonly string[])];
  for (const [at, { labels }] of remotes.entries()) {
    if (labels === undefined) continue;
    const { kind } = labels as Given;
    if (Object.keys(labels as Given).length === 0) {
      yield ofRemote(at, 'labels', 'it declares nothing; leave the table out for a remote that is undeclared');
    } else if (kind !== undefined && !kinds.includes(kind as string)) {
      yield ofRemote(
        at,
        'labels.kind',
        `there is no kind ${JSON.stringify(kind)}; expected one of ${kinds.join(', ')}`,
      );
    }
  }
}
