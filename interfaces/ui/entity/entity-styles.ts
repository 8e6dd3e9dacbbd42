/** How an entity is laid out: its facts, and beside them the graphs. */

import { css } from '../parts/lit.js';

export const entityStyles = css`
  :host {
    box-sizing: border-box;
    display: flex;
    flex-wrap: wrap;
    align-items: start;
    align-content: start;
    gap: 16px 24px;
    overflow: auto;
    padding: 16px;
    background: var(--bg);
  }
  .empty {
    flex: 1;
    max-width: 44rem;
    margin: 0 auto;
  }
  article {
    flex: 1 1 32rem;
    min-width: 0;
  }
  aside {
    flex: 0 1 17rem;
    min-width: 0;
  }
  h1 {
    font: 600 20px/26px var(--ui);
    overflow-wrap: anywhere;
  }
  .iri {
    overflow-wrap: anywhere;
  }
  .types,
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    margin: 6px 0;
  }
  .type {
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    padding: 0 6px;
  }
  .tools a {
    color: inherit;
    text-decoration: none;
  }
  .lead {
    max-width: 44rem;
    margin: 6px 0;
    white-space: pre-line;
    overflow-wrap: anywhere;
  }
  section {
    margin-top: 12px;
  }
  .facts {
    width: 100%;
    border-collapse: collapse;
    background: var(--surface);
    border: 1px solid var(--line);
    table-layout: fixed;
  }
  tr + tr {
    border-top: 1px solid var(--line);
  }
  th {
    width: 30%;
    text-align: start;
    vertical-align: top;
    font-weight: 400;
    padding: 4px 10px;
    overflow-wrap: anywhere;
  }
  td {
    padding: 4px 10px;
    vertical-align: top;
    overflow-wrap: anywhere;
  }
  .add {
    min-height: 24px;
    min-width: 24px;
    padding: 0 4px;
    margin-left: 4px;
  }
  .gone {
    color: var(--past);
    padding: 2px 0 2px 8px;
    margin-top: 4px;
    border-left: 2px dashed var(--past);
    font-size: 12px;
  }
  .gone .span {
    line-height: 16px;
  }
  .gone a {
    color: inherit;
  }
  .more {
    margin-top: 4px;
  }
  svc-fact-form {
    display: block;
    margin: 6px 0;
  }
  @media (max-width: 600px) {
    .facts,
    .facts tbody,
    .facts tr,
    .facts th,
    .facts td {
      display: block;
      width: auto;
    }
  }
`;
