/** Whether the remote members answer when a server starts: asked once, told to who started it, and of no consequence. */

import { setMaxListeners } from 'node:events';
import { JoinedSignal } from '../../base/joined-signal.js';
import { reasonOf } from '../../query/service/remote-answer.js';
import { askFigures } from './ask-figures.js';
import type { Member } from './members.js';

/** Asks each for its counts; `tell` gets a line of each, in the order in which they answer. */
export async function probeMembers(
  members: readonly Member[],
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  setMaxListeners(0, signal);
  await Promise.all(
    members.map(async (member) => {
      const found = await probe(member, signal);
      if (!signal.aborted) tell(`federation: ${member.name} <${member.url}> ${found}`);
    }),
  );
}

async function probe(member: Member, signal: AbortSignal): Promise<string> {
  const { timeoutMs } = member;
  const stop = new JoinedSignal([signal], timeoutMs);
  try {
    const response = await askFigures(member, stop.signal);
    await response.body?.cancel();
    return 'answers';
  } catch (error) {
    return `does not answer: ${reasonOf(error, `${timeoutMs} ms (timeout_ms of the remote)`)}`;
  } finally {
    stop.end();
  }
}
