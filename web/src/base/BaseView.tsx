// BaseView: a view of a .base file, which has filters, order and columns of its own: rows of the
// database and other files, to be read. A row of the database opens beside it.
import { useEffect, useState } from 'preact/hooks';
import { onLive } from '../api/events';
import { call, messageOf } from '../api/server';
import type { BaseAnswer, Row, Schema, Value, View } from '../api/types';
import { marked, shownText, textOf } from '../cell/values';
import { address, go, hrefOf } from '../state/address';
import { countOf, rowOfPath } from '../state/workspace';

const pageRows = 200;
const mostAtOnce = 1000;
const settleMs = 200;

async function answerOf(database: string, view: string, wanted: number, signal: AbortSignal): Promise<BaseAnswer> {
  const ask = (limit: number, offset: number) => call<BaseAnswer>('db_query', { database_id: database, view, limit: Math.min(limit, mostAtOnce), offset }, signal);
  let answer = await ask(wanted, 0);
  while (answer.next_offset !== undefined && answer.rows.length < wanted) {
    const next = await ask(wanted - answer.rows.length, answer.next_offset);
    answer = { ...next, rows: [...answer.rows, ...next.rows] };
  }
  return answer;
}

function useAnswer(schema: Schema, view: View, wanted: number) {
  const [answer, setAnswer] = useState<BaseAnswer | null>(null);
  const [problem, setProblem] = useState('');
  const [epoch, setEpoch] = useState(0);
  // Its files may lie in any folder.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onLive(() => { clearTimeout(timer); timer = setTimeout(() => setEpoch(last => last + 1), settleMs); });
    return () => { clearTimeout(timer); stop(); };
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    answerOf(schema.database_id, view.id, wanted, stop.signal)
      .then(given => { setAnswer(given); setProblem(''); }, refused => { if (!stop.signal.aborted) setProblem(messageOf(refused)); });
    return () => stop.abort();
  }, [schema.database_id, view.id, wanted, epoch]);
  return { answer, problem };
}

const errorOf = (value: Value | undefined): string | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && typeof value.error === 'string' ? value.error : null;

function Cell({ value }: { value: Value | undefined }) {
  const error = errorOf(value);
  if (error !== null) return <span class="wrong" title={error}>{error}</span>;
  return <>{typeof value === 'string' ? shownText(value) : textOf(value)}</>;
}

// The database and the row that a file is; a row of the database comes with its etag.
function placeOf(schema: Schema, row: Row): { database: string; row: string } | null {
  return row.etag ? { database: schema.database_id, row: row.id } : rowOfPath(row.id);
}

function Line({ schema, row, columns }: { schema: Schema; row: Row; columns: string[] }) {
  const place = placeOf(schema, row);
  const isHere = place?.database === schema.database_id;
  const open = () => { if (isHere) go({ row: place!.row }); };
  return (
    <tr data-row={row.id} class={isHere && address.value.row === row.id ? 'open' : ''} onClick={open}>
      <td class="faint">{place ? <a href={hrefOf(place.database, place.row)} onClick={event => { if (isHere) event.preventDefault(); }}>{marked(row.id)}</a> : marked(row.id)}</td>
      {columns.map(column => <td key={column} class={typeof row.fields[column] === 'number' ? 'number tabular' : ''}><Cell value={row.fields[column]} /></td>)}
    </tr>
  );
}

// The rows under what they are grouped by, as the answer counts them.
function groupsOf(answer: BaseAnswer): { label: string; count: number; rows: Row[] }[] {
  let at = 0;
  return (answer.groups ?? []).map(group => {
    const { count, ...by } = group as { count: number } & Record<string, Value>;
    const rows = answer.rows.slice(at, at + count);
    at += count;
    return { label: textOf(Object.values(by)[0]) || '(none)', count, rows };
  }).filter(group => group.rows.length > 0);
}

export function BaseView({ schema, view }: { schema: Schema; view: View }) {
  const [wanted, setWanted] = useState(pageRows);
  const { answer, problem } = useAnswer(schema, view, wanted);
  if (problem) return <div class="nothing wrong" role="alert">{problem}</div>;
  if (!answer) return <div class="nothing" aria-busy="true" />;
  const { columns } = answer;
  const groups = answer.groups ? groupsOf(answer) : [{ label: '', count: answer.total, rows: answer.rows }];
  const summaryOf = (column: string) => answer.summaries?.filter(one => one.property === column) ?? [];
  return (
    <div class="base-view">
      {answer.issues?.map((issue, i) => <p key={i} class="issue"><span class="mono">{issue.path}:{issue.line}:{issue.column}</span> {issue.message}</p>)}
      <table class="base-table">
        <thead><tr><th>File</th>{columns.map(column => <th key={column} title={column}>{answer.display_names?.[column] ?? column.replace(/^(note|formula|file)\./, '')}</th>)}</tr></thead>
        {groups.map(group => (
          <tbody key={group.label}>
            {answer.groups && <tr class="base-group"><th colSpan={columns.length + 1} scope="rowgroup">{group.label} <span class="faint">{group.count}</span></th></tr>}
            {group.rows.map(row => <Line key={row.id} schema={schema} row={row} columns={columns} />)}
          </tbody>
        ))}
        {answer.summaries && (
          <tfoot><tr><td />{columns.map(column => <td key={column}>{summaryOf(column).map(one => <div key={one.summary}><span class="faint">{one.summary}</span> <Cell value={one.value} /></div>)}</td>)}</tr></tfoot>
        )}
      </table>
      {answer.total === 0 && <p class="faint">No file matches {view.id}.</p>}
      {answer.next_offset !== undefined && <p><button onClick={() => setWanted(wanted + mostAtOnce)}>Show more</button></p>}
      <p class="faint">{countOf(answer.total, 'file')}{answer.next_offset !== undefined ? `, the first ${answer.rows.length.toLocaleString('en')} shown` : ''}, as <span class="mono">{view.id}</span> has them</p>
    </div>
  );
}
