/** Episodes written over HTTP, from a process of its own, over connections that stay open. */
import { Agent, request } from 'node:http';
import { SvcError } from '../../engine/base/errors.js';
import { cpuMsOf } from '../http/servers.js';
import { figuresOf, WARM_UP_SHARE, type WriteMeasurement, writeFor } from './measure-writes.js';
import { bodyAt } from './payloads.js';

export interface HttpWriteTask {
  readonly task: 'episodes-http';
  readonly origin: string;
  /** Of the server. */
  readonly pid: number;
  readonly from: number;
  readonly seconds: number;
  readonly writers: number;
}

export async function measureHttpWrites(task: HttpWriteTask): Promise<WriteMeasurement> {
  const { origin, pid, seconds, writers } = task;
  const agent = new Agent({ keepAlive: true, maxSockets: writers });
  let next = task.from;
  const write = (): Promise<void> => post(`${origin}/episode`, agent, bodyAt(next++));
  await writeFor(WARM_UP_SHARE * seconds, writers, write);
  const measured = async (atOnce: number) => {
    const before = cpuMsOf(pid) ?? Number.NaN;
    const { times, elapsedMs } = await writeFor(seconds, atOnce, write);
    return figuresOf(times, elapsedMs, (cpuMsOf(pid) ?? Number.NaN) - before);
  };
  const figures = { one: await measured(1), many: await measured(writers) };
  agent.destroy();
  return figures;
}

function post(url: string, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (answer.statusCode === 200 && text.includes('"created"')) resolve();
        else reject(new SvcError('service_failed', `${url}: ${answer.statusCode} ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
