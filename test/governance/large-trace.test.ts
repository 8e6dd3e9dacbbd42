/**
 * A trace of any size is audited a line at a time: one that is many times the heap of the process, with lines that are broken
 * in every way, comes through a pipe. SVC_TRACE_MB sets its size.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LINE_BYTES_MAX } from '../../engine/governance/audit/trace-file.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const TRACE_BYTES = Number(process.env.SVC_TRACE_MB ?? 96) * 2 ** 20;
const HEAP_MB = 48;
/** The runtime takes some 50 MB, and what is read is in buffers outside of the heap: a line that is too long at most. */
const PEAK_BYTES_MAX = 256 * 2 ** 20;
const RECORDS_PER_BLOCK = 2000;

const record = (at: number) =>
  JSON.stringify({
    kind: 'guard',
    path: `/repository/folder${at % 50}/file${at}.ts`,
    tool: 'Edit',
    planner: 'orchestrator',
    executor: `worker-${at % 7}`,
    result: 'allow',
    mode: 'enforce',
    // Of each thousand one should have been blocked.
    constraints: [
      {
        id: 'owned',
        class: 'hard',
        verification_point: 'PAG',
        outcome: at % 1000 === 0 ? 'unsatisfied' : 'satisfied',
        response: at % 1000 === 0 ? 'warned' : 'no-action',
      },
    ],
    principal_chain: ['orchestrator', `worker-${at % 7}`],
  });

const BROKEN = ['{oops', '[1, 2]', '"text"', '{"constraints": 7}', '{"path": 1}', '{"kind": "guard"', '\u0000'];
const BLOCK = Buffer.concat([
  Buffer.from(`${Array.from({ length: RECORDS_PER_BLOCK }, (_, at) => record(at)).join('\n')}\n\n  \n`),
  Buffer.from(`${BROKEN.join('\n')}\n`),
  // No UTF-8.
  Buffer.from([0xff, 0xfe, 0x0a]),
]);
const UNREADABLE_PER_BLOCK = BROKEN.length + 1;

test(`a trace of ${TRACE_BYTES / 2 ** 20} MB with broken lines, in a heap of ${HEAP_MB} MB`, async () => {
  const pipe = folder.fresh('.jsonl');
  execFileSync('mkfifo', [pipe]);
  const script = fileURLToPath(new URL('./audit-piped.js', import.meta.url));
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, script, pipe], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  child.stdout.on('data', (data: Buffer) => {
    told += data.toString();
  });
  const ended = once(child, 'close');
  const output = createWriteStream(pipe);
  const blocks = Math.ceil(TRACE_BYTES / BLOCK.length);
  const tooLong = Buffer.alloc(LINE_BYTES_MAX + 2, 'x');
  tooLong[tooLong.length - 1] = 0x0a;
  for (const bytes of [tooLong, ...Array.from({ length: blocks }, () => BLOCK)]) {
    if (!output.write(bytes)) await once(output, 'drain');
  }
  output.end(record(1));
  const [code] = await ended;
  assert.equal(code, 0);
  const { peakBytes, ...found } = JSON.parse(told) as { readonly peakBytes: number };
  assert.deepEqual(found, {
    records: blocks * RECORDS_PER_BLOCK + 1,
    unreadable: blocks * UNREADABLE_PER_BLOCK + 1,
    violations: blocks * 2,
    incompletenesses: 0,
    kept: blocks * 2,
  });
  assert.ok(peakBytes < PEAK_BYTES_MAX, `${Math.round(peakBytes / 2 ** 20)} MB`);
});
