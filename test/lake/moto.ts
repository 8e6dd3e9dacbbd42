/** A server that speaks S3, with a bucket `lakes`; the environment names it and its credentials. */

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../http/free-port.js';
import { beside } from './python.js';

export const SECRET = 'a-secret-that-nobody-may-read';

export interface Moto {
  readonly port: number;
  readonly process: ChildProcess;
}

export async function startMoto(): Promise<Moto> {
  const port = await freePort();
  const server = spawn(beside('moto_server'), ['-p', String(port)], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_REGION: 'us-east-1',
  });
  for (let attempt = 0; attempt < 600; attempt++) {
    const made = await fetch(`${endpoint}/lakes`, { method: 'PUT' }).catch(() => null);
    if (made?.ok) return { port, process: server };
    await sleep(100);
  }
  throw new Error('the server for S3 does not answer');
}
