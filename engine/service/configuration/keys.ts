/**
 * Every configuration key with its type, default and meaning; one schema gives the check, the
 * static type and the defaults. Keys stand under the table `[svc]`, spelled as here. A key whose
 * feature does not exist yet is known and checked; `absent.ts` says what becomes of it.
 */

import { BASE_NS_DEFAULT } from '../namespaces.js';
import { oneOf, type Static, Type } from '../schema.js';

const remoteLabels = Type.Object(
  {
    freshness: Type.Optional(Type.String()),
    durability: Type.Optional(Type.String()),
    trust: Type.Optional(
      Type.Object({ iri: Type.String(), chain: Type.String(), rank: Type.Integer() }, { additionalProperties: false }),
    ),
    policy: Type.Optional(Type.String()),
    kind: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const remote = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    url: Type.String({ minLength: 1 }),
    auth_token: Type.Optional(Type.String()),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1 })),
    labels: Type.Optional(remoteLabels),
  },
  { additionalProperties: false },
);

const serviceEndpoint = Type.Object(
  {
    url: Type.String({ minLength: 1 }),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1 })),
    auth_token: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const closed = { additionalProperties: false } as const;

export const configurationSchema = Type.Object(
  {
    store_path: Type.String({ minLength: 1, default: '.svc/svc.db' }),
    base_ns: Type.String({ minLength: 1, default: BASE_NS_DEFAULT }),
    server: Type.Object(
      {
        bind: Type.String({ minLength: 1, default: '127.0.0.1:3030' }),
        auth_token: Type.Optional(Type.String()),
        auth_token_file: Type.Optional(Type.String()),
        previous_auth_token: Type.Optional(Type.String()),
        crew_credentials_file: Type.Optional(Type.String()),
        read_only: Type.Boolean({ default: false }),
        cors_allowed_origins: Type.Array(Type.String(), { default: [] }),
        read_pool_size: Type.Integer({ minimum: 0, default: 4 }),
        reader_age_max_ms: Type.Integer({ minimum: 1, default: 300_000 }),
        max_body_bytes: Type.Integer({ minimum: 1, default: 67_108_864 }),
      },
      closed,
    ),
    labels: Type.Object(
      {
        min_freshness: Type.Optional(Type.String()),
        min_durability: Type.Optional(Type.String()),
        min_trust_rank: Type.Optional(Type.Integer()),
        min_trust_chain: Type.Optional(Type.String()),
        deny_policy_tokens: Type.Array(Type.String(), { default: [] }),
        extra_kinds: Type.Array(Type.String(), { default: [] }),
      },
      closed,
    ),
    query: Type.Object(
      {
        memory_budget_mb: Type.Integer({ minimum: 1, default: 1024 }),
        spill_max_mb: Type.Integer({ minimum: 1, default: 10_240 }),
        spill_directory: Type.Optional(Type.String({ minLength: 1 })),
        subclass_inference: Type.Boolean({ default: true }),
        named_graph_paths: { ...oneOf(['evaluate', 'refuse']), default: 'evaluate' },
      },
      closed,
    ),
    update: Type.Object(
      {
        load_from: Type.Optional(Type.String({ minLength: 1 })),
        timeout_ms: Type.Integer({ minimum: 1, default: 600_000 }),
      },
      closed,
    ),
    search: Type.Object(
      {
        default_limit: Type.Integer({ minimum: 1, default: 10 }),
        max_limit: Type.Integer({ minimum: 1, default: 1000 }),
        max_sparql_rows: Type.Integer({ minimum: 1, default: 10_000 }),
        query_timeout_ms: Type.Integer({ minimum: 1, default: 30_000 }),
        max_join_rows: Type.Optional(Type.Integer({ minimum: 1 })),
      },
      closed,
    ),
    shacl: Type.Object({ validate_on_write: Type.Boolean({ default: true }) }, closed),
    owl: Type.Object(
      {
        validate_on_write: Type.Boolean({ default: false }),
        reactive_materialize: Type.Boolean({ default: true }),
      },
      closed,
    ),
    governance: Type.Object(
      {
        enforce_on_write: Type.Boolean({ default: false }),
        validate_placement: Type.Boolean({ default: false }),
        enforce_authority: Type.Boolean({ default: false }),
      },
      closed,
    ),
    signing: Type.Object({ key_path: Type.Optional(Type.String()), verifier: Type.Optional(Type.String()) }, closed),
    events: Type.Object({ retention_days: Type.Optional(Type.Integer({ minimum: 1 })) }, closed),
    resolution: Type.Object(
      {
        enabled: Type.Boolean({ default: false }),
        strict_mode: Type.Boolean({ default: false }),
        threshold: Type.Number({ minimum: 0, maximum: 1, default: 0.85 }),
        top_k: Type.Integer({ minimum: 1, default: 3 }),
      },
      closed,
    ),
    embedding: Type.Object(
      {
        model_path: Type.Optional(Type.String()),
        tokenizer_path: Type.Optional(Type.String()),
        auto_embed: Type.Boolean({ default: false }),
        embed_batch_size: Type.Integer({ minimum: 1, default: 32 }),
        dimension: Type.Integer({ minimum: 1, default: 384 }),
        max_sequence_length: Type.Integer({ minimum: 1, default: 256 }),
      },
      closed,
    ),
    vector: Type.Object(
      {
        backend: { ...oneOf(['brute', 'ann']), default: 'brute' },
        path: Type.String({ minLength: 1, default: '.svc/vectors' }),
      },
      closed,
    ),
    federation: Type.Object(
      {
        remotes: Type.Array(remote, { default: [] }),
        service_endpoints: Type.Array(serviceEndpoint, { default: [] }),
      },
      closed,
    ),
    share: Type.Object({ identifier_policy: Type.Optional(Type.String()) }, closed),
    subscriptions: Type.Object({ allow_private_targets: Type.Boolean({ default: false }) }, closed),
    mcp: Type.Object(
      {
        extra_tools: Type.Boolean({ default: false }),
        answer_tokens_max: Type.Integer({ minimum: 200, default: 4000 }),
        tools: Type.Optional(Type.Array(Type.String())),
      },
      closed,
    ),
  },
  closed,
);

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
