/** Colours, sizes and the plain controls that all views share. A view has them in its shadow root: `static styles = [base, ...]`. */

import { css } from './lit.js';

/** By the system's choice of light or dark, or by `color-scheme` of the page that the element stands in. */
const tokens = css`
  :host {
    --bg: light-dark(#f7f7f5, #0f1217);
    --surface: light-dark(#ffffff, #151920);
    --sunken: light-dark(#f2f2ef, #0c0e12);
    --raised: light-dark(#ffffff, #1b2029);
    --line: light-dark(#e4e4df, #262c36);
    --line-strong: light-dark(#c8c8c1, #3b4350);
    --text: light-dark(#1b1e23, #e3e7ed);
    --text-2: light-dark(#4f5661, #a8b0bd);
    --text-3: light-dark(#5f6672, #8f99a8);
    --accent: light-dark(#2a56c6, #84a7ff);
    --accent-ink: light-dark(#ffffff, #0f1217);
    --accent-soft: light-dark(#e9eefb, #1c2740);
    --past: light-dark(#6a4bb8, #b7a2f6);
    --past-soft: light-dark(#f1ecfb, #241d38);
    --add: light-dark(#19744a, #63cb94);
    --add-soft: light-dark(#e5f4ec, #12291e);
    --delete: light-dark(#ad342c, #f18e84);
    --delete-soft: light-dark(#fbeae8, #331a18);
    --change: light-dark(#855800, #e2b352);
    --change-soft: light-dark(#faf1dd, #2c2412);
    --keyword: light-dark(#7d3ba8, #cf9bf0);
    --variable: light-dark(#1f6f80, #68c4d6);
    --number: light-dark(#8a4b00, #e9ad6b);
    --radius: 4px;
    --radius-large: 6px;
    --ui: system-ui, -apple-system, 'Segoe UI', Inter, 'Liberation Sans', sans-serif;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, 'DejaVu Sans Mono', monospace;
    --shadow: 0 1px 2px light-dark(#1b1e2312, #0006), 0 6px 20px light-dark(#1b1e2318, #0008);
    font: 13px/20px var(--ui);
    color: var(--text);
  }
  :host([hidden]) {
    display: none !important;
  }
`;

const controls = css`
  * {
    box-sizing: border-box;
  }
  h1,
  h2,
  h3 {
    font: 600 13px/20px var(--ui);
    margin: 0;
  }
  a {
    color: var(--accent);
    text-decoration: none;
  }
  a:hover {
    text-decoration: underline;
  }
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  .button {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-height: 28px;
    padding: 0 10px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-large);
    background: var(--surface);
    white-space: nowrap;
    cursor: pointer;
  }
  .button:hover {
    background: var(--sunken);
  }
  .button:disabled {
    color: var(--text-3);
    cursor: default;
  }
  .button.primary:disabled {
    opacity: 0.5;
  }
  .button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--accent-ink);
    font-weight: 550;
  }
  .button.plain {
    border-color: transparent;
    background: transparent;
    color: var(--text-2);
  }
  .button.small {
    min-height: 24px;
    padding: 0 8px;
    font-size: 12px;
  }
  .button.danger {
    color: var(--delete);
  }
  .button[aria-pressed='true'],
  .button[aria-current] {
    background: var(--accent-soft);
    color: var(--accent);
    font-weight: 550;
  }
  .field {
    min-height: 28px;
    padding: 0 8px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-large);
    background: var(--surface);
    min-width: 0;
  }
  .segments {
    display: inline-flex;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-large);
    overflow: hidden;
  }
  .segments > .button {
    border: 0;
    border-radius: 0;
    color: var(--text-2);
  }
  .segments > .button:focus-visible {
    outline-offset: -2px;
  }
  .segments > .button + .button {
    border-left: 1px solid var(--line);
  }
  kbd {
    font: 11px/16px var(--mono);
    padding: 0 4px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
  }
  .primary kbd {
    border-color: currentColor;
  }
  .mono {
    font-family: var(--mono);
    font-size: 12px;
  }
  .soft {
    color: var(--text-2);
  }
  .faint {
    color: var(--text-3);
  }
  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .grow {
    flex: 1;
  }
  .ellipsis {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    min-width: 0;
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .notice {
    border: 1px solid var(--delete);
    border-radius: var(--radius-large);
    background: var(--delete-soft);
    padding: 8px 10px;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  .notice b {
    color: var(--delete);
  }
`;

export const base = [tokens, controls];

/** A dialog over the page. */
export const dialogStyles = css`
  dialog {
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-large);
    background: var(--raised);
    color: var(--text);
    box-shadow: var(--shadow);
    max-width: min(30rem, calc(100vw - 24px));
    padding: 16px;
  }
  dialog::backdrop {
    background: #0006;
  }
`;

/** A form whose fields stand below each other, each with its name over it, and what they do at the end. */
export const formStyles = css`
  form {
    display: grid;
    gap: 10px;
  }
  label {
    display: grid;
    gap: 4px;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 8px;
  }
  p {
    margin: 0;
    overflow-wrap: anywhere;
  }
`;

/** A table of facts: lines between rows, long words broken. */
export const tableStyles = css`
  th,
  td {
    padding: 3px 8px 3px 0;
    border-bottom: 1px solid var(--line);
    vertical-align: top;
    overflow-wrap: anywhere;
  }
`;
