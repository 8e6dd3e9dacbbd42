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
    'svc doctor labels compares the labels that the registry of graphs keeps with the facts that declare them, and lists',
    'what differs; the exit code is 1 when something does.',
  ],
  examples: [
    'svc doctor',
    'svc doctor labels --db graph.db',
    'svc doctor --db graph.db',
    'svc doctor --config /etc/svc.toml --json',
  ],
  arguments: [
    { syntax: '[what]', summary: 'labels, or nothing: the machine, the configuration, the store and the server' },
  ],
  options: [{ flags: '--json', summary: 'the findings as a JSON object' }],
};

export async function runDoctor(what: string | undefined, options: CliOptions, output: Output): Promise<number> {
  const places = { db: textOption(options, 'db'), config: textOption(options, 'config') };
  if (what === 'labels') {
    const { driftText, examineLabels } = await import('./labels.js');
    const compared = await examineLabels(places);
    await output.write(options.json ? `${JSON.stringify(compared)}\n` : driftText(compared));
    return compared.ok ? 0 : 1;
  }
  if (what !== undefined) throw new SvcError('usage', `svc doctor knows nothing of ${JSON.stringify(what)}`);
  const [{ examine }, { reportText, toReport }] = await Promise.all([import('./doctor.js'), import('./finding.js')]);
  const report = toReport(await examine(places));
  await output.write(options.json ? `${JSON.stringify(report)}\n` : reportText(report));
  return report.ok ? 0 : 1;
}
