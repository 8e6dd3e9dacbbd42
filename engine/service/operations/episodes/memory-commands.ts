/** Commands about what is remembered: which entity a name means, an episode of a text alone, one that is taken back. */

import { type CommandOperation, commandForm } from '../definition/operation.js';
import { episodeResponse, episodeText } from './episode-answers.js';
import { episodesComplete } from './episodes-complete.js';
import { resolveEntity, resolveResponse } from './resolve-entity.js';
import { retractEpisode, retractEpisodeResponse } from './retract-episode.js';

const resolve = commandForm(resolveEntity, {
  summary: 'Say which entities a name may mean',
  response: resolveResponse,
  cli: {
    command: 'resolve',
    positional: [{ field: 'name', name: 'name', summary: 'the name' }],
    examples: ['svc resolve "my app"', 'svc resolve kota --top-k 10 --threshold 0.6'],
    options: { top_k: 'n', threshold: 'n' },
    text: ({ candidates }) =>
      candidates.length === 0
        ? 'nothing is called that, or alike\n'
        : candidates.map(({ score, iri, matched_on: how }) => `${score.toFixed(3)}  ${iri}  (${how})\n`).join(''),
  },
});

const complete = commandForm(episodesComplete, {
  summary: 'Write an episode that is a text alone',
  response: episodeResponse,
  cli: {
    command: 'episodes complete',
    positional: [
      { field: 'name', name: 'name', summary: 'name of the episode; the same name again updates it' },
      { field: 'episode_body', name: 'file', summary: 'the text; - is standard input' },
    ],
    files: ['episode_body'],
    creates: true,
    examples: ['svc episodes complete note-1 note.txt', 'echo "kota was rebooted" | svc episodes complete note-2 -'],
    options: { group_id: 'name', source_description: 'text', timestamp: 't' },
    text: episodeText,
  },
});

const retract = commandForm(retractEpisode, {
  summary: 'Take back what an episode wrote',
  response: retractEpisodeResponse,
  cli: {
    command: 'episode retract',
    positional: [{ field: 'episode', name: 'name', summary: 'name of the episode' }],
    notes: ['What others had stated before stays, and so does the history.'],
    examples: ['svc episode retract deploy-42', 'svc episode retract deploy-42 --on-orphan refuse'],
    options: { on_orphan: 'how', timestamp: 't', actor: 'name' },
    text: ({ episode, retracted, tx_id: tx, identity_preserved: kept }) => {
      if (retracted === 0) return `no facts found for episode "${episode}"\n`;
      const others = kept === 0 ? '' : `, kept ${kept} label(s) and type(s) that others need`;
      return `retracted ${retracted} fact(s) of episode "${episode}" (tx ${tx})${others}\n`;
    },
  },
});

export const MEMORY_COMMANDS: readonly CommandOperation[] = [resolve, complete, retract];
