/** Many open connections that ask nothing, and what others find meanwhile. */
import { connect, type Socket } from 'node:net';
import { type LoadFigures, type LoadTask, measureHttpLoad } from './autocannon.js';

export interface IdleTask extends Omit<LoadTask, 'task'> {
  readonly task: 'http-idle';
  readonly idle: number;
}

export interface IdleFigures {
  /** Open before the load, and still open after it. */
  readonly opened: number;
  readonly kept: number;
  readonly load: LoadFigures;
}

/** Connections that are set up at once: no more than the queue of a listening socket holds. */
const AT_ONCE = 100;

/** A connection that has asked one thing, as a browser's or a pool's, and stays. */
function open(url: URL): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.once('error', () => resolve(null));
    socket.once('data', () => resolve(socket));
    socket.write(`GET /health HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  });
}

export async function measureHttpIdle({ idle, ...task }: IdleTask): Promise<IdleFigures> {
  const url = new URL(task.origin);
  const sockets: Socket[] = [];
  while (sockets.length < idle) {
    const opened = await Promise.all(Array.from({ length: Math.min(AT_ONCE, idle - sockets.length) }, () => open(url)));
    const good = opened.filter((socket) => socket !== null);
    sockets.push(...good);
    if (good.length < opened.length) break;
  }
  const opened = sockets.length;
  const load = await measureHttpLoad({ ...task, task: 'http-load' });
  const kept = sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length;
  for (const socket of sockets) socket.destroy();
  return { opened, kept, load };
}
