// RowPanel: all of one row beside the list that it is part of.
import { useEffect, useRef, useState } from 'preact/hooks';
import { onLive } from '../api/events';
import { call, messageOf } from '../api/server';
import type { Backlink, Column, HistoryEntry, Schema, Value, WholeRow } from '../api/types';
import { CellValue } from '../cell/Cell';
import { CellEditor } from '../cell/editors';
import { itemsOf, marked, textOf } from '../cell/values';
import { go, hrefOf } from '../state/address';
import { Clash, deleteRow, saveRow } from '../state/edits';
import { prefer, preferences } from '../state/preferences';
import { isComputed, isReadOnly, knownSchema, labelOf, schemaOf, titleColumn } from '../state/workspace';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/Menu';
import { say } from '../ui/Toasts';
import { Body } from './Body';

const narrowest = 340;

interface FieldProps {
  database: string;
  column: Column;
  row: WholeRow;
  titles: Value | undefined;
  onSaved: (row: WholeRow) => void;
}

function Field({ database, column, row, titles, onSaved }: FieldProps) {
  const [began, setBegan] = useState<WholeRow | null>(null);
  const [refused, setRefused] = useState<{ message: string; draft: Value; clash: Clash | null } | null>(null);
  const button = useRef<HTMLDivElement>(null);
  const label = labelOf(column);
  const isFixed = isComputed(column) || isReadOnly.value;
  const isChanged = began !== null && JSON.stringify(began.fields[column.id]) !== JSON.stringify(row.fields[column.id]);
  const keep = async (value: Value, base: WholeRow) => {
    setBegan(null);
    requestAnimationFrame(() => button.current?.focus({ preventScroll: true }));
    if (JSON.stringify(value) === JSON.stringify(base.fields[column.id] ?? null)) return;
    setRefused(null);
    onSaved({ ...row, fields: { ...row.fields, [column.id]: value } });
    try {
      onSaved(await saveRow(database, base, { fields: { [column.id]: value } }));
    } catch (problem) {
      const clash = problem instanceof Clash ? problem : null;
      onSaved(clash ? clash.row : row);
      setRefused({ message: messageOf(problem), draft: value, clash });
    }
  };
  const begin = () => {
    if (isFixed) return;
    if (column.type === 'checkbox') void keep(row.fields[column.id] !== true, row);
    else setBegan(row);
  };
  const value = row.fields[column.id];
  return (
    <div class={`field ${refused ? 'wrong' : ''}`}>
      <div class="field-name" id={`field-${column.id}`} title={column.description}>{label}{column.required && <span class="faint" title="required">*</span>}</div>
      <div class="field-value-box">
        {began ? (
          <CellEditor database={database} column={column} value={began.fields[column.id]} typed={null} label={label}
            onKeep={given => void keep(given, began)} onCancel={() => { setBegan(null); requestAnimationFrame(() => button.current?.focus()); }} />
        ) : (
          <div ref={button} class={`field-value ${isFixed ? 'fixed' : ''}`} role={isFixed ? undefined : 'button'} tabIndex={isFixed ? undefined : 0} aria-labelledby={`field-${column.id}`}
            onClick={event => { if (!(event.target as Element).closest('a')) begin(); }}
            onKeyDown={event => { if (event.key === 'Enter' || event.key === ' ' || event.key === 'F2') { event.preventDefault(); begin(); } }}>
            {column.type === 'relation' ? <Links column={column} value={value} titles={titles} /> : <CellValue column={column} fields={row.fields} />}
            {value === undefined && <span class="faint">empty</span>}
            {value === null && <span class="faint" title="the file says null">null</span>}
          </div>
        )}
        {isChanged && <span class="changed-mark">changed on disk: {textOf(row.fields[column.id]) || '(empty)'}</span>}
        {refused && (
          <div class="field-refusal" role="alert">
            <p>{refused.message}</p>
            {refused.clash && <p class="faint">before {textOf(refused.clash.base) || '(empty)'} · theirs {textOf(refused.clash.theirs) || '(empty)'} · yours {textOf(refused.draft) || '(empty)'}</p>}
            <div class="buttons">
              {refused.clash && <button class="primary" onClick={() => void keep(refused.draft, refused.clash!.row)}>Write mine</button>}
              <button onClick={() => setRefused(null)}>{refused.clash ? 'Keep theirs' : 'Leave it'}</button>
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

function Links({ column, value, titles }: { column: Column; value: Value | undefined; titles: Value | undefined }) {
  const names = itemsOf(titles);
  const ids = itemsOf(value);
  return <>{ids.map((id, i) => <a key={id} class="related" href={hrefOf(column.target ?? '', id)} title={id}>{names.length === ids.length ? names[i] : id}</a>)}</>;
}

// The titles of what relations name: the page shows rows by their names.
function useTitles(schema: Schema, row: WholeRow | null): Record<string, Value> {
  const [titles, setTitles] = useState<Record<string, Value>>({});
  useEffect(() => {
    if (!row) return;
    const stop = new AbortController();
    void (async () => {
      const relations = schema.columns.filter(column => column.type === 'relation' && column.target && row.fields[column.id] != null);
      await Promise.all(relations.map(column => schemaOf(column.target!).catch(() => null)));
      const fields = relations.map(column => ({ column, field: `${column.id}.${titleColumn(knownSchema(column.target!))?.id}` })).filter(one => !one.field.endsWith('.undefined'));
      if (!fields.length) return;
      const answer = await call<{ rows: { fields: Record<string, Value> }[] }>('db_query', {
        database_id: schema.database_id, filters: [{ field: '_id', operator: 'eq', value: row.id }], select: fields.map(one => one.field), limit: 1,
      }, stop.signal);
      setTitles(Object.fromEntries(fields.map(({ column, field }) => [column.id, answer.rows[0]?.fields[field] ?? null])));
    })().catch(() => undefined);
    return () => stop.abort();
  }, [schema, row?.id, row?.etag]);
  return titles;
}

function Backlinks({ links }: { links: Backlink[] }) {
  if (!links.length) return null;
  return (
    <section>
      <h3>Linked from</h3>
      <ul class="plain">
        {links.map((link, i) => (
          <li key={i}>
            {link.row_id ? <a href={hrefOf(link.database_id!, link.row_id)}>{link.database_id}/{marked(link.row_id)}</a> : <span>{marked(link.path ?? '')}</span>}
            <span class="faint"> {link.field === '_body' ? 'in its text' : link.field}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function History({ database, row }: { database: string; row: WholeRow }) {
  const [entries, setEntries] = useState<HistoryEntry[] | null>(null);
  const [problem, setProblem] = useState('');
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    call<{ changes: HistoryEntry[] }>('db_history', { database_id: database, row_id: row.id, limit: 20 })
      .then(answer => setEntries(answer.changes), refused => setProblem(messageOf(refused)));
  }, [isOpen, row.id, row.etag]);
  const takeBack = async (entry: HistoryEntry) => {
    try {
      await call('db_undo', { change: entry.change });
      say(`Undone: ${entry.what}`);
    } catch (refused) {
      setProblem(messageOf(refused));
    }
  };
  return (
    <details class="history" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>History</summary>
      {problem && <p class="wrong-text" role="alert">{problem}</p>}
      {entries?.length === 0 && <p class="faint">No change was made through notesdb yet.</p>}
      <ul class="plain">
        {entries?.map(entry => (
          <li key={entry.change} class="history-line">
            <span class="tabular faint">{entry.when.replace('T', ' ').replace('Z', '')}</span><span class="grow">{entry.what}</span>
            {!isReadOnly.value && <button class="quiet small" onClick={() => void takeBack(entry)}>Undo</button>}
          </li>
        ))}
      </ul>
    </details>
  );
}

// The row as it is on the disk, read again when it changes.
function useRow(database: string, id: string) {
  const [row, setRow] = useState<WholeRow | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isWanted = true;
    const read = async () => {
      try {
        const answer = await call<{ row: WholeRow }>('db_get_row', { database_id: database, row_id: id });
        if (!isWanted) return;
        setRow(answer.row);
        setProblem('');
      } catch (refused) {
        if (isWanted) setProblem(messageOf(refused));
      }
    };
    setRow(null);
    void read();
    const stop = onLive(event => {
      if (event.kind === 'databases') return;
      if (event.kind === 'change') {
        const { change } = event;
        if (change.database_id !== database || !(change.all || change.schema || change.rows?.some(one => one.id === id))) return;
      }
      void read();
    });
    return () => { isWanted = false; stop(); };
  }, [database, id]);
  // What a write answers says nothing about who links here.
  const take = (next: WholeRow) => setRow(old => ({ ...next, backlinks: next.backlinks ?? old?.backlinks ?? [] }));
  return { row, setRow: take, problem };
}

function resizePanel(event: PointerEvent): void {
  event.preventDefault();
  const drag = (move: PointerEvent) => prefer({ panelWidth: Math.round(Math.max(narrowest, Math.min(innerWidth * 0.7, innerWidth - move.clientX))) });
  const end = () => { removeEventListener('pointermove', drag); removeEventListener('pointerup', end); };
  addEventListener('pointermove', drag);
  addEventListener('pointerup', end);
}

export function RowPanel({ schema, id }: { schema: Schema; id: string }) {
  const database = schema.database_id;
  const { row, setRow, problem } = useRow(database, id);
  const titles = useTitles(schema, row);
  const close = () => { go({ row: null }); document.querySelector<HTMLElement>('[role=grid], .board, .calendar-grid')?.focus(); };
  const title = titleColumn(schema);
  const remove = async () => {
    try {
      await deleteRow(database, row!);
      close();
    } catch (refused) {
      say(messageOf(refused), undefined, 'wrong');
    }
  };
  return (
    <aside class="panel" aria-label={`row ${id}`} style={{ width: `${preferences.value.panelWidth}px` }}
      onKeyDown={event => { if (event.key === 'Escape' && !event.defaultPrevented) close(); }}>
      <div class="panel-edge" onPointerDown={resizePanel} />
      <header class="panel-head">
        <span class="mono faint">{marked(id)}</span><span class="grow" />
        {row && (
          <Menu label="more about this row" choices={[
            { label: 'Copy link', run: () => void navigator.clipboard.writeText(location.href) },
            { label: 'Copy as command', run: () => void navigator.clipboard.writeText(`notesdb get ${database} ${id}`) },
            { label: 'Copy as JSON', run: () => void navigator.clipboard.writeText(JSON.stringify(row, null, 2)) },
            ...(isReadOnly.value ? [] : [{ label: 'Delete row', danger: true, separated: true, run: () => void remove() }]),
          ]}><Icon name="more" /></Menu>
        )}
        <button class="quiet" aria-label="close the row" title="Close (Esc)" onClick={close}><Icon name="close" /></button>
      </header>
      {problem && <p class="panel-problem" role="alert">{problem}{row && ' What was here is below; it can still be copied.'}</p>}
      {row && (
        <div class="panel-scroll">
          <h2 class="panel-title">{title ? textOf(row.fields[title.id]) || <span class="faint">no {labelOf(title)}</span> : marked(id)}</h2>
          {row.issues?.map((issue, i) => (
            <p key={i} class="issue"><span class="mono">{issue.path}:{issue.line}:{issue.column}</span> {issue.message} <span class="faint">[{issue.rule}]</span></p>
          ))}
          <div class="fields">
            {schema.columns.map(column => <Field key={column.id} database={database} column={column} row={row} titles={titles[column.id]} onSaved={setRow} />)}
            {Object.entries(row.extra ?? {}).map(([key, value]) => (
              <div key={key} class="field"><div class="field-name faint" title="not a column of the schema">{key}</div><div class="field-value fixed mono">{textOf(value)}</div></div>
            ))}
          </div>
          <Body key={id} database={database} row={row} onSaved={setRow} />
          <Backlinks links={row.backlinks ?? []} />
          <History database={database} row={row} />
          <p class="faint modified">changed {row.modified?.replace('T', ' ').replace('Z', ' UTC')}, etag <span class="mono">{row.etag}</span></p>
        </div>
      )}
    </aside>
  );
}
