// The apps of notesdb: a table and a board of a query's rows, shown by a host beside db_query's answer.
// One file each, sandboxed: nothing is fetched, the host carries every call.
import { signal } from '@preact/signals';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { Column, Row, Value } from '../api/types';
import { CellValue, Option } from '../cell/Cell';
import { isNumeric, marked, textOf, valueOf } from '../cell/values';
import '../style.css';
import './app.css';
import { connect, onNotice } from './host';
import {
  answer, asked, change, columnOf, isBusy, isEditable, nameOf, offset, pageSize, problem, schema, takeInput, takeResult, turnTo,
} from './query';

function Editor({ column, value, onKeep, onLeave }: {
  column: Column; value: Value | undefined; onKeep: (value: Value) => void; onLeave: () => void;
}) {
  const keep = (text: string) => (text === textOf(value) ? onLeave() : onKeep(valueOf(column, text)));
  const label = `${nameOf(column)}: new value`;
  if (column.type === 'select') {
    return (
      <select autofocus aria-label={label} value={textOf(value)} onBlur={onLeave} onChange={event => keep(event.currentTarget.value)}>
        <option value="" />
        {column.options?.map(option => <option key={option}>{option}</option>)}
      </select>
    );
  }
  return (
    <input autofocus aria-label={label} placeholder={column.type === 'date' ? '2026-01-31' : ''} value={textOf(value)} onBlur={event => keep(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.key === 'Enter') keep(event.currentTarget.value);
        if (event.key === 'Escape') onLeave();
      }} />
  );
}

function Cell({ row, column }: { row: Row; column: Column }) {
  const [isOpen, setOpen] = useState(false);
  const value = row.fields[column.id];
  const mayEdit = isEditable(column);
  if (isOpen) {
    const keep = (changed: Value) => { setOpen(false); void change(row, column, changed); };
    return <td><Editor column={column} value={value} onKeep={keep} onLeave={() => setOpen(false)} /></td>;
  }
  const open = () => {
    if (!mayEdit) return;
    if (column.type === 'checkbox') void change(row, column, value !== true);
    else setOpen(true);
  };
  return (
    <td class={`${isNumeric(column) ? 'number' : ''} ${mayEdit ? 'open' : ''}`} tabIndex={mayEdit ? 0 : undefined} onDblClick={open}
      onKeyDown={event => { if (event.key === 'Enter') { event.preventDefault(); open(); } }}>
      <CellValue column={column} fields={row.fields} />
    </td>
  );
}

function Table() {
  const columns = answer.value!.columns.map(columnOf);
  return (
    <table>
      <thead><tr>{columns.map(column => <th key={column.id} scope="col" title={column.description}>{nameOf(column)}</th>)}</tr></thead>
      <tbody>
        {answer.value!.rows.map(row => (
          <tr key={row.id} data-row={row.id}>{columns.map(column => <Cell key={column.id} row={row} column={column} />)}</tr>
        ))}
      </tbody>
    </table>
  );
}

// What a board is grouped by: the view's column, else the first select that is shown, else the first there is.
function groupColumn(): Column | undefined {
  const selects = schema.value?.columns.filter(column => column.type === 'select') ?? [];
  const view = schema.value?.views.find(one => (asked.value?.view ? one.id === asked.value.view : one.type === 'board'));
  return selects.find(column => column.id === view?.group_by) ?? selects.find(column => answer.value?.columns.includes(column.id)) ?? selects[0];
}

function Card({ row, group, columns }: { row: Row; group: Column; columns: Column[] }) {
  const [title, ...others] = columns.filter(column => column.id !== group.id);
  const mayMove = isEditable(group);
  return (
    <li data-row={row.id} draggable={mayMove} onDragStart={event => event.dataTransfer?.setData('text/plain', row.id)}>
      <strong>{title && textOf(row.fields[title.id]) ? marked(textOf(row.fields[title.id])) : row.id}</strong>
      {others.slice(0, 3).map(column => row.fields[column.id] !== undefined && (
        <div key={column.id} title={nameOf(column)}><CellValue column={column} fields={row.fields} /></div>
      ))}
      {mayMove && (
        <select aria-label={`${row.id}: ${nameOf(group)}`} value={textOf(row.fields[group.id])} onChange={event => void change(row, group, event.currentTarget.value || null)}>
          <option value="" />
          {group.options?.map(option => <option key={option}>{option}</option>)}
        </select>
      )}
    </li>
  );
}

function Board() {
  const group = groupColumn();
  if (!group) return schema.value ? <Table /> : null;
  const rows = answer.value!.rows;
  const columns = answer.value!.columns.map(columnOf);
  const groups = [...(group.options ?? []), ''].filter(option => option !== '' || rows.some(row => !textOf(row.fields[group.id])));
  const drop = (option: string) => (event: DragEvent) => {
    event.preventDefault();
    const row = rows.find(one => one.id === event.dataTransfer?.getData('text/plain'));
    if (row && textOf(row.fields[group.id]) !== option) void change(row, group, option || null);
  };
  return (
    <div class="lanes">
      {groups.map(option => {
        const cards = rows.filter(row => textOf(row.fields[group.id]) === option);
        return (
          <section key={option} data-group={option} aria-label={option || 'without'} onDragOver={event => event.preventDefault()} onDrop={drop(option)}>
            <h2>{option ? <Option column={group} value={option} /> : <span class="faint">without</span>} <span class="faint">{cards.length}</span></h2>
            <ul>{cards.map(row => <Card key={row.id} row={row} group={group} columns={columns} />)}</ul>
          </section>
        );
      })}
    </div>
  );
}

function Pages() {
  const { total, returned, next_offset: next } = answer.value!;
  const before = Math.max(0, offset.value - pageSize());
  return (
    <footer>
      <span role="status">{isBusy.value ? 'Working' : total === 0 ? 'No rows' : `${offset.value + 1} to ${offset.value + returned} of ${total}`}</span>
      <button disabled={offset.value === 0 || isBusy.value} onClick={() => void turnTo(before)}>Previous</button>
      <button disabled={next === undefined || isBusy.value} onClick={() => void turnTo(next!)}>Next</button>
    </footer>
  );
}

// One tool names one app: each shows the other view as well.
const view = signal(document.body.dataset.view ?? 'table');

function Views() {
  return (
    <nav aria-label="View">
      {['table', 'board'].map(name => (
        <button key={name} aria-pressed={view.value === name} onClick={() => { view.value = name; }}>{name === 'table' ? 'Table' : 'Board'}</button>
      ))}
    </nav>
  );
}

function App() {
  return (
    <main>
      <Views />
      {problem.value && <p role="alert" class="problem">{problem.value}</p>}
      {!answer.value ? <p class="faint">Waiting for rows</p> : <>{view.value === 'board' ? <Board /> : <Table />}<Pages /></>}
    </main>
  );
}

onNotice('ui/notifications/tool-input', ({ arguments: args }) => takeInput(args ?? {}));
onNotice('ui/notifications/tool-result', takeResult);
onNotice('ui/notifications/tool-cancelled', () => { problem.value = 'The call was cancelled.'; });
render(<App />, document.getElementById('page')!);
void connect();
