/** What `svc doctor` says: a finding for each thing that it looked at, and what to do where that is not well. */

import { oneOf, type Static, Type } from '../../../engine/service/requests/schema.js';

const LEVELS = ['ok', 'warning', 'problem'] as const;
const AREAS = ['environment', 'configuration', 'store', 'server'] as const;

export type Level = (typeof LEVELS)[number];
export type Area = (typeof AREAS)[number];

/** The object of `--json`. */
export const reportSchema = Type.Object({
  ok: Type.Boolean({ description: 'whether there is no problem; warnings do not count' }),
  problems: Type.Integer(),
  warnings: Type.Integer(),
  findings: Type.Array(
    Type.Object({
      area: oneOf(AREAS),
      check: Type.String({ description: 'what was looked at' }),
      level: oneOf(LEVELS),
      message: Type.String(),
      advice: Type.Union([Type.String(), Type.Null()], { description: 'what to do' }),
    }),
  ),
});

export type Report = Static<typeof reportSchema>;
export type Finding = Report['findings'][number];

/** Findings of one area. */
export function findingsOf(area: Area) {
  const make =
    (level: Level) =>
    (check: string, message: string, advice: string | null = null): Finding => ({
      area,
      check,
      level,
      message,
      advice,
    });
  return { ok: make('ok'), warning: make('warning'), problem: make('problem') };
}

export function toReport(findings: readonly Finding[]): Report {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const problems = count('problem');
  return { ok: problems === 0, problems, warnings: count('warning'), findings: [...findings] };
}

/** As a person reads it: a line for each finding, below it what to do. */
export function reportText({ findings, problems, warnings }: Report): string {
  const areas = AREAS.map((area) => {
    const lines = findings
      .filter((finding) => finding.area === area)
      .map(({ check, level, message, advice }) => {
        const todo = advice === null ? '' : `${' '.repeat(11)}${advice}\n`;
        return `  ${level.padEnd(7)}  ${check}: ${message}\n${todo}`;
      });
    return lines.length === 0 ? '' : `${area}\n${lines.join('')}`;
  });
  return `${areas.join('')}\n${problems} problem(s), ${warnings} warning(s)\n`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1.5 GiB`. */
export function showBytes(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1024 ** unit;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit]}`;
}
