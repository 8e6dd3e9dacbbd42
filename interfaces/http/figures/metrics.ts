/**
 * What a server counts, as Prometheus reads it. Labels are bounded: endpoints are templates of routes, clients and
 * tasks have a budget each. Requests are added up by plain counters, which a scrape hands over: it reads figures that
 * are there already and takes no connection to the store.
 *
 * `prom-client` stands behind this file: registries, histograms, the text format.
 */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FollowerStatus } from '../../../engine/follow/follower.js';
import { OUTCOMES, type Outcome } from '../../../engine/governance/verdicts.js';
import type { EmbeddingFigures } from '../../../engine/service/embedding/embedder.js';
import type { PushFigures } from '../../../engine/service/events/push-worker.js';
import type { MemberFigures } from '../../../engine/service/requests/operation-answer.js';
import { type Attribution, LabelBudget } from './attribution.js';

const BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30];

/** Counts of what the store holds, as of the last refresh. */
export interface GraphCounts {
  readonly facts: number;
  readonly entities: number;
  readonly predicates: number;
  /** Registered graphs by class and lifecycle, and current triples by class. */
  readonly graphs: readonly { readonly class: string; readonly lifecycle: string; readonly graphs: number }[];
  readonly factsByClass: readonly { readonly class: string; readonly facts: number }[];
}

export interface MeasuredRequest extends Attribution {
  readonly endpoint: string;
  readonly status: number;
  readonly seconds: number;
  /** Whether the request used the store. */
  readonly asked: boolean;
  /** From then until the work began: for a place at a reader, behind other calls of its thread, for the turn of a write. */
  readonly waitedSeconds: number;
  /** From the begin of the work until the request was over, however it ended. */
  readonly heldSeconds: number;
}

/** Requests of one client at one endpoint since the last scrape. */
interface ClientTally {
  readonly labels: { readonly client: string; readonly endpoint: string };
  requests: number;
  seconds: number;
  waitedSeconds: number;
  heldSeconds: number;
  /** Whether any of the requests used the store. */
  asked: boolean;
}

/** How often a set of labels came since the last scrape. */
interface Tally {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
}

export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #clients = new LabelBudget();
  readonly #tasks = new LabelBudget();
  readonly #byClient = { labelNames: ['client', 'endpoint'], registers: [this.#registry] } as const;
  readonly #clientRequests = this.#count('svc_http_client_requests_total', 'Requests by client', this.#byClient);
  readonly #clientSeconds = this.#count(
    'svc_http_client_request_seconds_total',
    'Seconds that requests took, by client',
    this.#byClient,
  );
  readonly #waited = this.#count(
    'svc_store_wait_seconds_total',
    'Seconds that requests waited for the store',
    this.#byClient,
  );
  readonly #held = this.#count(
    'svc_store_held_seconds_total',
    'Seconds that requests were worked on by the store',
    this.#byClient,
  );
  readonly #taskRequests = this.#count('svc_http_task_requests_total', 'Requests by work item', {
    labelNames: ['task', 'endpoint'],
    registers: [this.#registry],
  });
  readonly #requests = this.#count('svc_http_requests_total', 'Requests by status', {
    labelNames: ['endpoint', 'status'],
    registers: [this.#registry],
  });
  readonly #duration = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'How long requests took',
    labelNames: ['endpoint'],
    buckets: BUCKETS_S,
    registers: [this.#registry],
  });
  readonly #written = this.#count('svc_facts_written_total', 'Statements that requests opened or closed', {
    labelNames: [],
    registers: [this.#registry],
  });
  readonly #failures = this.#count(
    'svc_graph_counts_refresh_failures_total',
    'Refreshes of the counts of graphs that failed',
    { labelNames: [], registers: [this.#registry] },
  );
  readonly #ofMember = { labelNames: ['member'], registers: [this.#registry] } as const;
  readonly #memberRequests = this.#count(
    'svc_federation_requests_total',
    'Questions to members of the federation',
    this.#ofMember,
  );
  readonly #memberFailures = this.#count(
    'svc_federation_failures_total',
    'Questions to members of the federation that failed',
    this.#ofMember,
  );
  readonly #memberSeconds = this.#count(
    'svc_federation_seconds_total',
    'Seconds that questions to members of the federation took',
    this.#ofMember,
  );
  readonly #deliveries = this.#count('svc_subscription_deliveries_total', 'Deliveries to subscriptions by outcome', {
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #delivered = this.#count('svc_subscription_events_total', 'Events that subscriptions have taken', {
    labelNames: [],
    registers: [this.#registry],
  });
  readonly #policyChecks = this.#count('svc_policy_check_total', 'Answers of policy checks by outcome', {
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #followers = new Gauge({
    name: 'svc_followers',
    help: 'Followers that read the log, or copy the store',
    registers: [this.#registry],
  });
  #push: PushFigures = { active: 0, failing: 0, lagMax: 0 };
  /** By labels, which hold no space. */
  readonly #clientTallies = new Map<string, ClientTally>();
  readonly #taskTallies = new Map<string, Tally>();
  readonly #statusTallies = new Map<string, Tally>();
  #lastSuccess: { readonly at: number; readonly seconds: number } | null = null;

  constructor() {
    // Every outcome is there from the start, so that a rate can be told from the first check on.
    for (const outcome of OUTCOMES) this.#policyChecks.inc({ outcome }, 0);
    const peak: Gauge = new Gauge({
      name: 'svc_process_peak_rss_bytes',
      help: 'The largest resident set of the process so far',
      registers: [this.#registry],
      collect: () => peak.set(process.resourceUsage().maxRSS * 1024),
    });
    // Start time, memory and CPU of the process, by the names that Prometheus gives them.
    collectDefaultMetrics({ register: this.#registry });
    const subscriptions: Gauge = new Gauge({
      name: 'svc_subscriptions',
      help: 'Subscriptions by state',
      labelNames: ['state'],
      registers: [this.#registry],
      collect: () => {
        subscriptions.set({ state: 'active' }, this.#push.active);
        subscriptions.set({ state: 'failing' }, this.#push.failing);
      },
    });
    const lag: Gauge = new Gauge({
      name: 'svc_subscription_lag_events',
      help: 'Events that the subscription furthest behind has not taken',
      registers: [this.#registry],
      collect: () => lag.set(this.#push.lagMax),
    });
    const ready: Gauge = new Gauge({
      name: 'svc_graph_counts_ready',
      help: '1 once the counts of graphs have been taken',
      registers: [this.#registry],
      collect: () => ready.set(this.#lastSuccess === null ? 0 : 1),
    });
  }

  #count(
    name: string,
    help: string,
    rest: { readonly labelNames: readonly string[]; readonly registers: readonly Registry[] },
  ): Counter {
    return new Counter({ name, help, labelNames: [...rest.labelNames], registers: [...rest.registers] });
  }

  observe({ client, task, endpoint, status, seconds, asked, waitedSeconds, heldSeconds }: MeasuredRequest): void {
    const tally = this.#clientTally(this.#clients.fold(client), endpoint);
    tally.requests++;
    tally.seconds += seconds;
    tally.asked ||= asked;
    tally.waitedSeconds += waitedSeconds;
    tally.heldSeconds += heldSeconds;
    const label = this.#tasks.fold(task);
    countOne(this.#taskTallies, `${label} ${endpoint}`, () => ({ task: label, endpoint }));
    countOne(this.#statusTallies, `${status} ${endpoint}`, () => ({ endpoint, status: String(status) }));
    this.#duration.observe({ endpoint }, seconds);
  }

  #clientTally(client: string, endpoint: string): ClientTally {
    const key = `${client} ${endpoint}`;
    let tally = this.#clientTallies.get(key);
    if (tally === undefined) {
      const labels = { client, endpoint };
      tally = { labels, requests: 0, seconds: 0, waitedSeconds: 0, heldSeconds: 0, asked: false };
      this.#clientTallies.set(key, tally);
    }
    return tally;
  }

  #handOver(): void {
    for (const { labels, requests, seconds, waitedSeconds, heldSeconds, asked } of this.#clientTallies.values()) {
      this.#clientRequests.inc(labels, requests);
      this.#clientSeconds.inc(labels, seconds);
      if (!asked) continue;
      this.#waited.inc(labels, waitedSeconds);
      this.#held.inc(labels, heldSeconds);
    }
    for (const { labels, count } of this.#taskTallies.values()) this.#taskRequests.inc(labels, count);
    for (const { labels, count } of this.#statusTallies.values()) this.#requests.inc(labels, count);
    this.#clientTallies.clear();
    this.#taskTallies.clear();
    this.#statusTallies.clear();
  }

  /** Members are those of the configuration, so that their names are bounded by it. */
  memberAsked(member: string, ok: boolean, seconds: number): void {
    this.#memberRequests.inc({ member });
    this.#memberFailures.inc({ member }, ok ? 0 : 1);
    this.#memberSeconds.inc({ member }, seconds);
  }

  /** The same for all requests of one query to a member. */
  memberFigures({ name: member, requests, failures, seconds }: MemberFigures): void {
    this.#memberRequests.inc({ member }, requests);
    this.#memberFailures.inc({ member }, failures);
    this.#memberSeconds.inc({ member }, seconds);
  }

  delivered(isTaken: boolean, events: number): void {
    this.#deliveries.inc({ outcome: isTaken ? 'delivered' : 'failed' });
    if (isTaken) this.#delivered.inc(events);
  }

  pushStands(figures: PushFigures): void {
    this.#push = figures;
  }

  /** Those of a server that has a provider. */
  showEmbeddings(figures: () => EmbeddingFigures): void {
    const embedded: Gauge = new Gauge({
      name: 'svc_embeddings',
      help: 'Texts since the start by what became of them',
      labelNames: ['outcome'],
      registers: [this.#registry],
      collect: () => {
        embedded.set({ outcome: 'embedded' }, figures().embedded);
        embedded.set({ outcome: 'failed' }, figures().failed);
      },
    });
    const remaining: Gauge = new Gauge({
      name: 'svc_embeddings_remaining',
      help: 'Entities without a vector that the last backfill has not embedded',
      registers: [this.#registry],
      collect: () => remaining.set(figures().remaining),
    });
  }

  followed(change: 1 | -1): void {
    this.#followers.inc(change);
  }

  /** Those of a server that follows another one. */
  showFollowing(status: () => FollowerStatus): void {
    const gauge = (name: string, help: string, value: (now: FollowerStatus) => number): Gauge => {
      const made: Gauge = new Gauge({
        name: `svc_follow_${name}`,
        help,
        registers: [this.#registry],
        collect: () => made.set(value(status())),
      });
      return made;
    };
    gauge('transaction', 'The newest transaction that was applied', ({ tx }) => tx);
    gauge('primary_transaction', 'The newest transaction of the primary that is known', ({ primaryTx }) => primaryTx);
    gauge('lag_seconds', 'For how long the store has not had all of its primary', ({ lagSeconds }) => lagSeconds);
    gauge('connected', '1 while the log of the primary is read', ({ connected }) => (connected ? 1 : 0));
    gauge('applied_transactions', 'Transactions applied since the start', ({ applied }) => applied);
    gauge('commits', 'Commits that applied them', ({ commits }) => commits);
    gauge('connections', 'Connections to the primary since the start', ({ connections }) => connections);
    gauge('received_bytes', 'Bytes of the log received since the start', ({ bytes }) => bytes);
  }

  factsWritten(count: number): void {
    this.#written.inc(count);
  }

  policyChecked(outcome: Outcome): void {
    this.#policyChecks.inc({ outcome });
  }

  countsFailed(): void {
    this.#failures.inc();
  }

  /** Gauges of graphs exist from the first success on. */
  countsTaken(counts: GraphCounts, seconds: number): void {
    if (this.#lastSuccess === null) this.#addGraphGauges();
    this.#lastSuccess = { at: Date.now() / 1000, seconds };
    this.#set('svc_graph_facts', {}, counts.facts);
    this.#set('svc_graph_entities', {}, counts.entities);
    this.#set('svc_graph_predicates', {}, counts.predicates);
    this.#gauge('svc_dataset_graphs').reset();
    this.#gauge('svc_dataset_facts').reset();
    for (const one of counts.graphs) {
      this.#set('svc_dataset_graphs', { class: one.class, lifecycle: one.lifecycle }, one.graphs);
    }
    for (const one of counts.factsByClass) this.#set('svc_dataset_facts', { graph_class: one.class }, one.facts);
  }

  #addGraphGauges(): void {
    const gauge = (name: string, help: string, labelNames: string[] = [], collect?: (gauge: Gauge) => void): Gauge => {
      const made: Gauge = new Gauge({
        name,
        help,
        labelNames,
        registers: [this.#registry],
        ...(collect && { collect: () => collect(made) }),
      });
      return made;
    };
    gauge('svc_graph_facts', 'Current facts of ROOT');
    gauge('svc_graph_entities', 'Distinct subjects of ROOT');
    gauge('svc_graph_predicates', 'Distinct predicates of ROOT');
    gauge('svc_dataset_graphs', 'Registered graphs', ['class', 'lifecycle']);
    gauge('svc_dataset_facts', 'Current facts by class of graph', ['graph_class']);
    const last = () => this.#lastSuccess ?? { at: 0, seconds: 0 };
    gauge('svc_graph_counts_age_seconds', 'Age of the counts of graphs', [], (one) => {
      one.set(Math.max(Date.now() / 1000 - last().at, 0));
    });
    gauge('svc_graph_counts_last_success_timestamp_seconds', 'When the counts of graphs were taken', [], (one) => {
      one.set(last().at);
    });
    gauge('svc_graph_counts_refresh_duration_seconds', 'How long the last refresh took', [], (one) => {
      one.set(last().seconds);
    });
  }

  #gauge(name: string): Gauge {
    return this.#registry.getSingleMetric(name) as Gauge;
  }

  #set(name: string, labels: Readonly<Record<string, string>>, value: number): void {
    this.#gauge(name).set(labels, value);
  }

  /** The text of a scrape. */
  render(): Promise<string> {
    this.#handOver();
    return this.#registry.metrics();
  }

  static readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
}

function countOne(tallies: Map<string, Tally>, key: string, labels: () => Tally['labels']): void {
  const tally = tallies.get(key);
  if (tally === undefined) tallies.set(key, { labels: labels(), count: 1 });
  else tally.count++;
}
