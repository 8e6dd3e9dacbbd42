/**
 * Requests over HTTP at even distances, whether the answers before them have come or not: what users do who know nothing
 * of each other. A time counts from the moment at which its request was due, so that a client which falls behind hides
 * nothing.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadFigures, type LoadTask, loadFigures } from './autocannon.js';

export interface PacedTask extends Omit<LoadTask, 'task' | 'requests'> {
  readonly task: 'http-paced';
  /** Requests a second. */
  readonly rate: number;
}

export async function measureHttpPaced(task: PacedTask): Promise<LoadFigures> {
  const { paths, connections, seconds, rate } = task;
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  const times: number[] = [];
  let bytes = 0;
  let errors = 0;
  const open: Promise<void>[] = [];
  const begin = performance.now();
  const total = Math.floor(rate * seconds);
  for (let next = 0; next < total; ) {
    const dueNow = Math.min(total, Math.floor(((performance.now() - begin) / 1000) * rate) + 1);
    for (; next < dueNow; next++) {
      const due = begin + (1000 * next) / rate;
      open.push(
        ask(task, agent, paths[next % paths.length] as string).then(
          (length) => {
            times.push(performance.now() - due);
            bytes += length;
          },
          () => {
            errors++;
          },
        ),
      );
    }
    await sleep(1);
  }
  await Promise.all(open);
  const elapsed = (performance.now() - begin) / 1000;
  agent.destroy();
  return loadFigures(times, elapsed, bytes, errors);
}

/** Bytes of the answer. */
function ask({ origin, accept }: PacedTask, agent: Agent, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const message = request(`${origin}${path}`, { agent, headers: { accept } }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve(bytes);
        else reject(new Error(`status ${answer.statusCode}`));
      });
      answer.once('error', reject);
    });
    message.once('error', reject);
    message.end();
  });
}
