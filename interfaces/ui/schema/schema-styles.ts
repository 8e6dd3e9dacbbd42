/** How the schema looks: classes or shapes on the left, what is known of the chosen one on the right; one below the other on a narrow page. */

import { css } from '../parts/lit.js';
import { tableStyles } from '../parts/styles.js';

const styles = css`
  .side {
    border-inline-end: 1px solid var(--line);
    padding: 8px 12px;
    overflow: auto;
    min-width: 0;
  }
  .side .tools {
    display: grid;
    gap: 8px;
    padding-bottom: 8px;
    justify-items: start;
  }
  .side .tools form,
  .side .tools .field {
    width: 100%;
  }
  .detail {
    padding: 8px 16px 24px;
    overflow: auto;
    min-width: 0;
  }
  .detail h2 {
    font-size: 15px;
    overflow-wrap: anywhere;
  }
  .detail h3 {
    margin: 16px 0 4px;
  }
  .shapes {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .shapes button {
    display: block;
    width: 100%;
    text-align: start;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  table {
    border-collapse: collapse;
    width: 100%;
    max-width: 60rem;
  }
  th {
    text-align: start;
    font-weight: 550;
    font-size: 12px;
    color: var(--text-2);
  }
  th.number {
    text-align: end;
  }
  .minus {
    color: var(--delete);
  }
  .form {
    display: grid;
    gap: 8px;
    max-width: 60rem;
  }
  .form p {
    margin: 0;
  }
  .form ul {
    margin: 0;
    padding-inline-start: 20px;
  }
  .form .targets {
    list-style: none;
    padding: 0;
  }
  .form li {
    overflow-wrap: anywhere;
  }
  .property {
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-large);
    padding: 6px 10px 8px;
    margin: 0;
    min-width: 0;
    display: grid;
    gap: 6px;
  }
  .part {
    border-inline-start: 3px solid var(--line-strong);
    padding-inline-start: 10px;
    display: grid;
    gap: 6px;
  }
  .part > ul {
    display: grid;
    gap: 6px;
    list-style: none;
    padding: 0;
  }
  legend {
    font-weight: 550;
    overflow-wrap: anywhere;
  }
  .needed {
    color: var(--change);
    font-size: 12px;
  }
  .control {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
  }
  .control .field {
    max-width: 100%;
  }
  dl {
    margin: 0;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 2px;
  }
  dl > div {
    display: grid;
    grid-template-columns: minmax(8rem, 12rem) minmax(0, 1fr);
    gap: 8px;
  }
  dt {
    color: var(--text-2);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .told {
    margin: 4px 0 8px;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .standing {
    padding: 0 6px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    font-size: 12px;
    font-weight: 400;
  }
  .standing.pending {
    color: var(--change);
  }
  .standing.accepted {
    color: var(--add);
  }
  .standing.rejected {
    color: var(--delete);
  }
  .lines {
    margin: 4px 0 8px;
    padding: 8px 0;
    border: 1px solid var(--line);
    border-radius: var(--radius-large);
    max-height: 24rem;
    overflow: auto;
  }
  .lines span.added,
  .lines span.removed,
  .lines span.same {
    display: block;
    padding: 0 8px;
  }
  .lines .added {
    background: var(--add-soft);
    color: var(--add);
  }
  .lines .removed {
    background: var(--delete-soft);
    color: var(--delete);
  }
  svc-instance-check {
    display: block;
    margin: 8px 0;
  }
  .lines > bdi {
    padding: 0 8px;
  }
  @media (max-width: 760px) {
    .side {
      border-inline-end: 0;
      border-bottom: 1px solid var(--line);
      max-height: 50vh;
    }
    dl > div {
      grid-template-columns: minmax(0, 1fr);
      gap: 0;
    }
  }
`;

export const schemaStyles = [tableStyles, styles];
