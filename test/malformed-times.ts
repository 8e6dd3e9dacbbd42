/** Times that every face refuses before anything is written, whatever takes them. */
export const MALFORMED_TIMES: readonly string[] = [
  '',
  'yesterday',
  '2026-02-30T00:00:00Z',
  '2026-02-30',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-01-01T00:00:00',
  '2026-01-01t00:00:00Z',
  '2026-01-01T00:00:00z',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00Z',
  '2026-01-01T00:00:00+0200',
  '2026-01-01T00:00:00+24:00',
  '-0001-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '20260101',
  ' 2026-01-01T00:00:00Z',
];

/** A day alone stands for its midnight, but not as the start of validity. */
export const DATE = '2026-01-01';
