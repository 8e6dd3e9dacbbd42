/**
 * Every configuration key with what it may hold and its default; this one table gives the check of every value, the
 * static type and the defaults. Keys stand under the table `[svc]`, spelled as here. What keys have to do with each other
 * stands in `rules.ts`.
 */

import { LABEL_PREDICATES } from '../../search/labels/label-predicates.js';
import { TEXT_BACKENDS } from '../../search/match/text-matcher.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import type { Static } from '../requests/schema.js';
import { flag, integer, list, milliseconds, number, optional, table, text, word } from './kinds.js';

const freshness = () => word(['fresh', 'recomputing', 'stale']);
const durability = () => word(['backed', 'reproducible', 'soleRecord']);

/** Threads; each holds a part of the memory that queries share. */
const READERS_MAX = 128;
/** Threads of queries in a process; one query has eight at most. */
const THREADS_MAX = 64;
/** More than a text of the language can hold is no body. */
const BODY_BYTES_MAX = 536_870_888;
/** A pebibyte: bytes of so many are still exact numbers. */
const MIB_MAX = 1_073_741_824;
const COUNT_MAX = 2_147_483_647;
/** Each open file takes a descriptor and a map of memory. */
const ARCHIVES_OPEN_MAX = 4096;
const DAYS_MAX = 36_500;

const count = (byDefault: number, maximum = COUNT_MAX) => integer({ minimum: 1, maximum, default: byDefault });

const remoteLabels = table({
  freshness: optional(freshness()),
  durability: optional(durability()),
  trust: optional(
    table({ iri: text('iri'), chain: text('iri'), rank: integer({ minimum: -COUNT_MAX, maximum: COUNT_MAX }) }),
  ),
  policy: optional(list(text('labelToken'))),
  kind: optional(text('labelToken')),
});

const remote = table({
  name: text('memberName'),
  url: text('baseUrl'),
  auth_token: optional(text('token')),
  timeout_ms: optional(milliseconds()),
  labels: optional(remoteLabels),
});

const serviceEndpoint = table({
  url: text('httpUrl'),
  timeout_ms: optional(milliseconds()),
  auth_token: optional(text('token')),
});

const readRule = table({
  principal: text('reader'),
  graphs: list(text('readGraph')),
  except: optional(list(text('readGraph'))),
});

export const configurationSchema = table({
  store_path: text('path', '.svc/svc.db'),
  base_ns: text('namespace', BASE_NS_DEFAULT),
  server: table({
    bind: text('address', '127.0.0.1:3030'),
    public_url: optional(text('baseUrl')),
    allowed_hosts: list(text('hostName')),
    trusted_proxies: list(text('network')),
    auth_token: optional(text('token')),
    auth_token_file: optional(text('path')),
    previous_auth_token: optional(text('token')),
    crew_credentials_file: optional(text('path')),
    require_token_for_reads: flag(false),
    read_only: flag(false),
    cors_allowed_origins: list(text('origin')),
    read_pool_size: integer({ minimum: 0, maximum: READERS_MAX, default: 4 }),
    reader_age_max_ms: milliseconds(300_000),
    client_requests_max: optional(integer({ minimum: 1, maximum: COUNT_MAX })),
    slow_query_ms: optional(milliseconds()),
    max_body_bytes: count(67_108_864, BODY_BYTES_MAX),
  }),
  labels: table({
    min_freshness: optional(freshness()),
    min_durability: optional(durability()),
    min_trust_rank: optional(integer({ minimum: -COUNT_MAX, maximum: COUNT_MAX })),
    min_trust_chain: optional(text('iri')),
    deny_policy_tokens: list(text('labelToken')),
    extra_kinds: list(text('labelToken')),
  }),
  query: table({
    memory_budget_mb: count(1024, MIB_MAX),
    spill_max_mb: count(10_240, MIB_MAX),
    spill_directory: optional(text('path')),
    threads: optional(integer({ minimum: 1, maximum: THREADS_MAX })),
    subclass_inference: flag(true),
    named_graph_paths: word(['evaluate', 'refuse'], 'evaluate'),
  }),
  update: table({
    load_from: optional(text('path')),
    timeout_ms: milliseconds(600_000),
  }),
  archives: table({
    dir: optional(text('path')),
    as_of: word(['refuse', 'allow'], 'refuse'),
    open_max: integer({ minimum: 1, maximum: ARCHIVES_OPEN_MAX, default: 16 }),
  }),
  search: table({
    default_limit: count(10),
    max_limit: count(1000),
    max_sparql_rows: count(10_000),
    query_timeout_ms: milliseconds(30_000),
    max_join_rows: optional(integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    text_backend: word(TEXT_BACKENDS, 'index'),
    label_predicates: list(text('iri'), LABEL_PREDICATES),
  }),
  shacl: table({ validate_on_write: flag(true), timeout_ms: milliseconds(60_000) }),
  features: table({
    owl: flag(false),
    reactive_reasoner: flag(false),
    ann: optional(flag()),
    onnx: optional(flag()),
  }),
  owl: table({ validate_on_write: flag(false), reactive_materialize: flag(true) }),
  governance: table({
    enforce_on_write: flag(false),
    validate_placement: flag(false),
    enforce_authority: flag(false),
    read_rules: list(readRule),
  }),
  signing: table({ key_path: optional(text('path')), verifier: optional(text('iri')) }),
  events: table({ retention_days: optional(integer({ minimum: 1, maximum: DAYS_MAX })) }),
  resolution: table({
    enabled: flag(false),
    strict_mode: flag(false),
    threshold: number({ minimum: 0, maximum: 1, default: 0.85 }),
    top_k: count(3),
  }),
  embedding: table({
    provider: word(['none', 'http', 'onnx'], 'none'),
    url: optional(text('baseUrl')),
    model: optional(text('name')),
    api_key_env: optional(text('variable')),
    timeout_ms: milliseconds(30_000),
    model_path: optional(text('path')),
    tokenizer_path: optional(text('path')),
    auto_embed: flag(false),
    embed_batch_size: count(32, 2048),
    dimension: count(384, 65_536),
    max_sequence_length: integer({ minimum: 3, maximum: 65_536, default: 256 }),
  }),
  vector: table({
    backend: word(['brute', 'ann'], 'brute'),
    path: optional(text('path')),
  }),
  follow: table({ primary: optional(text('baseUrl')), auth_token: optional(text('token')) }),
  federation: table({
    remotes: list(remote),
    service_endpoints: list(serviceEndpoint),
  }),
  share: table({ identifier_policy: optional(text('path')) }),
  subscriptions: table({ allow_private_targets: flag(false) }),
  mcp: table({
    extra_tools: flag(false),
    answer_tokens_max: integer({ minimum: 200, maximum: COUNT_MAX, default: 4000 }),
    tools: list(text('name')),
  }),
});

export type Configuration = Static<typeof configurationSchema>;

interface KeyNode {
  readonly type?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, KeyNode>>;
}

function fill(node: KeyNode, value: unknown): unknown {
  if (node.type !== 'object') return value ?? structuredClone(node.default);
  const given = (value ?? {}) as Record<string, unknown>;
  const filled: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(node.properties ?? {})) {
    const entry = fill(child, given[key]);
    if (entry !== undefined) filled[key] = entry;
  }
  return filled;
}

/** A configuration with the defaults of every key that is not given. */
export function withDefaults(given: Readonly<Record<string, unknown>>): Configuration {
  return fill(configurationSchema as KeyNode, given) as Configuration;
}
