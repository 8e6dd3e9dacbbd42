/**
 * Episodes by number, always the same ones: an agent has met a service, what it depends on, and the host that it runs on.
 * Three nodes and two edges, 20 statements with those of the episode itself. The service is new in every episode; what it
 * depends on and the host have mostly been met before.
 */
import type { Episode } from '../../interfaces/library/index.js';
import { Random } from '../data/random.js';

export const STATEMENTS = 20;
/** Services that one host runs. */
const PER_HOST = 10;
const GROUPS = 50;
const SOURCES = 20;
const MINUTE_FIRST = Date.UTC(2026, 0, 1);

export const serviceName = (at: number): string => `service ${at}`;

/** Which service a service depends on: any of those before it. */
export function dependencyOf(at: number): number {
  return at === 0 ? 0 : new Random(at).below(at);
}

export function episodeAt(at: number): Episode {
  const [service, needed, host] = [
    serviceName(at),
    at === 0 ? 'first service' : serviceName(dependencyOf(at)),
    `host ${Math.floor(at / PER_HOST)}`,
  ];
  return {
    name: `deployment ${at}`,
    body: `${service} was deployed on ${host} at ${new Date(MINUTE_FIRST + at * 60_000).toISOString()}; it needs ${needed}.`,
    source: `agent ${at % SOURCES}`,
    groupId: `team ${at % GROUPS}`,
    nodes: [
      {
        name: service,
        type: 'Service',
        description: `serves requests of kind ${at % 1000}`,
        properties: { port: 1024 + (at % 60_000), public: at % 3 === 0 },
      },
      { name: needed, type: 'Service' },
      { name: host, type: 'Host' },
    ],
    edges: [
      { source: service, target: needed, relation: 'depends_on' },
      { source: service, target: host, relation: 'runs_on' },
    ],
  };
}

/** The same as the body of `POST /episode`. */
export function bodyAt(at: number): string {
  const { body, groupId, ...episode } = episodeAt(at);
  return JSON.stringify({ ...episode, episode_body: body, group_id: groupId });
}
