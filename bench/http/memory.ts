/**
 * The memory of a server over many requests of mixed kinds: queries of three sizes, updates, requests that are wrong in
 * several ways, and clients that leave in the middle of an answer. Its pages are told apart: those of its own (heap,
 * buffers, stacks), which must not grow, and those of the store's file, which any system takes back when it likes.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { invariant } from '../../engine/base/errors.js';
import { makeUpdate, type ShapeName } from './requests.js';

export interface MemoryTask {
  readonly task: 'http-memory';
  readonly origin: string;
  readonly pid: number;
  readonly requests: number;
  readonly queries: Readonly<Record<ShapeName, readonly string[]>>;
  /** Every tenth request adds 20 statements; otherwise it is a point query like its neighbours. */
  readonly updates: boolean;
}

export interface MemorySample {
  readonly requests: number;
  readonly anonymousBytes: number;
  readonly fileBytes: number;
  /** Of the main thread, after no particular collection. */
  readonly heapBytes: number;
  readonly descriptors: number;
}

export interface MemoryFigures {
  readonly samples: readonly MemorySample[];
  readonly seconds: number;
  /** How often each answer came; `left`: the client went away. */
  readonly answers: Readonly<Record<string, number>>;
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly leaves?: boolean;
  /** What it must be answered with. */
  readonly status: number;
}

const CONNECTIONS = 8;
const SAMPLES = 20;
const ACCEPT = 'application/sparql-results+json';

const query = (text: string): string => `/query?query=${encodeURIComponent(text)}`;

/** The mix, by the number of the request. */
function makeRequest(number: number, { queries, updates }: MemoryTask): Asked {
  const pick = (shape: ShapeName): string =>
    query(queries[shape][Math.floor(number / 10) % queries[shape].length] as string);
  if (number % 1000 === 500) return { method: 'GET', path: pick('large'), status: 200 };
  if (number % 1000 === 750) return { method: 'GET', path: pick('large'), leaves: true, status: 200 };
  switch (number % 10) {
    case 0:
      if (!updates) return { method: 'GET', path: pick('point'), status: 200 };
      return { method: 'POST', path: '/update', body: makeUpdate(1e9 + number, null), status: 200 };
    case 1:
    case 2:
      return { method: 'GET', path: pick('hundred'), status: 200 };
    case 3:
      return { method: 'GET', path: query(`SELECT * WHERE { ?s ?p ${number}`), status: 400 };
    case 4:
      return { method: 'GET', path: `/nowhere/${number}`, status: 404 };
    default:
      return { method: 'GET', path: pick('point'), status: 200 };
  }
}

function send(origin: string, agent: Agent, asked: Asked): Promise<string> {
  const { method, path, body, leaves, status } = asked;
  const headers = body === undefined ? { accept: ACCEPT } : { 'content-type': 'application/sparql-update' };
  return new Promise((resolve, reject) => {
    const message = request(`${origin}${path}`, { method, headers, agent }, (answer) => {
      invariant(answer.statusCode === status, `${method} ${path} gives ${status}, not ${answer.statusCode}`);
      if (leaves) {
        answer.once('data', () => {
          answer.destroy();
          resolve('left');
        });
        return;
      }
      answer.resume();
      answer.once('end', () => resolve(String(status)));
      answer.once('error', reject);
    });
    message.once('error', (error) => (leaves ? resolve('left') : reject(error)));
    message.end(body);
  });
}

async function sample({ pid, origin }: MemoryTask, requests: number): Promise<MemorySample> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1]);
  return {
    requests,
    anonymousBytes: kilobytes('RssAnon'),
    fileBytes: kilobytes('RssFile') + kilobytes('RssShmem'),
    heapBytes: metric('nodejs_heap_size_used_bytes'),
    descriptors: metric('process_open_fds'),
  };
}

export async function measureHttpMemory(task: MemoryTask): Promise<MemoryFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const samples: MemorySample[] = [];
  const answers: Record<string, number> = {};
  const begin = performance.now();
  let next = 0;
  for (let part = 1; part <= SAMPLES; part++) {
    const until = Math.floor((task.requests * part) / SAMPLES);
    const work = async (): Promise<void> => {
      while (next < until) {
        const outcome = await send(task.origin, agent, makeRequest(next++, task));
        answers[outcome] = (answers[outcome] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    samples.push(await sample(task, next));
  }
  agent.destroy();
  return { samples, seconds: (performance.now() - begin) / 1000, answers };
}
