/** The worker of the layout. Turns follow each other by messages to itself: timers would wait four milliseconds each. */
import { LayoutTurns } from './layout-turns.js';
import type { ToLayout } from './messages.js';

const channel = new MessageChannel();
let waiting: (() => void) | null = null;
channel.port1.onmessage = () => {
  const call = waiting;
  waiting = null;
  call?.();
};

const turns = new LayoutTurns({
  send: (message, transfer) => self.postMessage(message, { transfer }),
  later: (call) => {
    waiting = call;
    channel.port2.postMessage(null);
  },
});

self.addEventListener('message', ({ data }: MessageEvent<ToLayout>) => turns.take(data));
