/**
 * Child process: audits a trace with a small heap, and tells what it found and how much memory that took.
 *   node --max-old-space-size=<MB> audit-piped.js <path>
 */

import type { SpecEntry } from '../../engine/governance/audit/spec-set.js';
import { auditTrace } from '../../engine/governance/audit/trace.js';

const [path] = process.argv.slice(2) as [string];
const entry: SpecEntry = { id: 'owned', class: 'hard', point: 'PAG', effect: 'deny', layer: null, inherited: true };
const { records, unreadable, findings } = await auditTrace(path, new Map([[entry.id, entry]]), {});
const { violations, incompletenesses, kept } = findings;
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ records, unreadable, violations, incompletenesses, kept: kept.length, peakBytes }));
