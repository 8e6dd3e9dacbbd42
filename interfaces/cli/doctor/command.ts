/** How the command line describes `svc doctor`, and what it does. */

import { SvcError } from '../../../engine/base/errors.js';
import type { CommandSpec } from '../line/commander.js';
import { type CliOptions, textOption } from '../line/streams.js';
import type { Output } from '../output/output.js';

export const DOCTOR_COMMAND: CommandSpec = {
  name: 'doctor',
  aliases: [],
  summary: 'Look whether the machine, the configuration, the store and the server are well',
  notes: [
    'It only looks: nothing is written, no lock is taken, and a store that is in use stays in use. The blocks of the',
    'store are not read: `svc verify` does that. The exit code is 1 when there is a problem; warnings leave it 0.',
  ],
  examples: ['svc doctor', 'svc doctor --db graph.db', 'svc doctor --config /etc/svc.toml --json'],
  arguments: [{ syntax: '[what]', summary: 'nothing: all that is listed above' }],
  options: [{ flags: '--json', summary: 'the findings as a JSON object' }],
};

export async function runDoctor(what: string | undefined, options: CliOptions, output: Output): Promise<number> {
  if (what === 'labels') {
    throw new SvcError('unsupported', 'svc doctor labels is not there yet: graphs have no declared labels to compare');
  }
  if (what !== undefined) throw new SvcError('usage', `svc doctor knows nothing of ${JSON.stringify(what)}`);
  const [{ examine }, { reportText, toReport }] = await Promise.all([import('./doctor.js'), import('./finding.js')]);
  const report = toReport(await examine({ db: textOption(options, 'db'), config: textOption(options, 'config') }));
  await output.write(options.json ? `${JSON.stringify(report)}\n` : reportText(report));
  return report.ok ? 0 : 1;
}
