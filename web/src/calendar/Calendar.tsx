// Calendar: the rows of a view by day, a month at a time; rows without a date lie in a tray beside it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { onRowsChanged } from '../api/events';
import { call, messageOf } from '../api/server';
import type { Column, QueryAnswer, Row, Schema, View } from '../api/types';
import { addDays, addMonths, dayName, fullDay, isDate, monthDays, monthName, today } from '../cell/dates';
import { toneOf } from '../cell/Cell';
import { marked, textOf } from '../cell/values';
import { address, go } from '../state/address';
import { saveRow } from '../state/edits';
import { countOf, isReadOnly, labelOf } from '../state/workspace';
import { shownColumns } from '../table/question';
import { Icon } from '../ui/icons';
import { say } from '../ui/Toasts';
import { openNewRow } from '../workspace/overlays';

const maxRows = 1000;
const maxTray = 100;
const shownInDay = 4;

interface Shown {
  rows: Row[];
  undated: Row[];
  undatedCount: number;
  cut: number;
}

function useRows(schema: Schema, view: View, column: Column, days: string[], epoch: number) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState('');
  const filters = address.value.where;
  const columns = shownColumns(schema, view, address.value);
  useEffect(() => {
    const stop = new AbortController();
    const ask = (own: unknown[], limit: number) => call<QueryAnswer>('db_query', {
      database_id: schema.database_id, view: view.id, filters: [...filters, ...own], select: [...new Set([...columns.map(one => one.id), column.id])], limit,
    }, stop.signal);
    Promise.all([
      ask([{ field: column.id, operator: 'gte', value: days[0] }, { field: column.id, operator: 'lt', value: addDays(days.at(-1)!, 1) }], maxRows),
      ask([{ field: column.id, operator: 'is_empty' }], maxTray),
    ]).then(([dated, undated]) => {
      setShown({ rows: dated.rows, undated: undated.rows, undatedCount: undated.total, cut: dated.total - dated.rows.length });
      setProblem('');
    }, refused => { if (!stop.signal.aborted) setProblem(messageOf(refused)); });
    return () => stop.abort();
  }, [schema.etag, view.id, days[0], days.at(-1), epoch, JSON.stringify(filters)]);
  return { shown, setShown, problem, columns };
}

function Item({ row, columns, onDrag }: { row: Row; columns: Column[]; onDrag: (row: Row | null) => void }) {
  const [first] = columns;
  const status = columns.find(column => column.type === 'select' && row.fields[column.id] != null);
  const title = first ? textOf(row.fields[first.id]) : '';
  const said = status ? textOf(row.fields[status.id]) : '';
  return (
    <div class={`event ${status ? toneOf(status, said) : ''} ${address.value.row === row.id ? 'open' : ''}`} role="button" tabIndex={-1} data-event={row.id} draggable={!isReadOnly.value} title={`${title}${said && `, ${said}`}`}
      onClick={event => { event.stopPropagation(); go({ row: row.id }); }} onDragStart={event => { event.dataTransfer?.setData('text/plain', row.id); onDrag(row); }} onDragEnd={() => onDrag(null)}>
      <span class="event-title">{title || marked(row.id)}</span>
      {said && <span class="event-status">{said}</span>}
    </div>
  );
}

export function Calendar({ schema, view }: { schema: Schema; view: View }) {
  const column = schema.columns.find(one => one.id === view.date_column);
  if (!column) return <div class="nothing wrong">The view {view.name ?? view.id} has no date column. Set it with: notesdb alter {schema.database_id} --change 'set_view {view.id} date_column=COLUMN'</div>;
  return <Month schema={schema} view={view} column={column} />;
}

function Month({ schema, view, column }: { schema: Schema; view: View; column: Column }) {
  const month = address.value.month ?? today().slice(0, 7);
  const days = monthDays(month);
  const [epoch, setEpoch] = useState(0);
  const { shown, setShown, problem, columns } = useRows(schema, view, column, days, epoch);
  const [over, setOver] = useState<string | null>(null);
  const [at, setAt] = useState(() => (today().startsWith(month) ? today() : `${month}-01`));
  const grid = useRef<HTMLDivElement>(null);
  const dragged = useRef<Row | null>(null);
  useEffect(() => onRowsChanged(schema.database_id, () => setEpoch(old => old + 1)), [schema.database_id]);
  const dayOf = (row: Row) => textOf(row.fields[column.id]).slice(0, 10);

  // The day is moved within what is written, so that a time behind it stays.
  const move = async (row: Row, to: string | null) => {
    const before = textOf(row.fields[column.id]);
    if (to === before.slice(0, 10) || isReadOnly.value) return;
    const value = to === null ? null : to + (isDate(before) ? before.slice(10) : '');
    const next = { ...row, fields: { ...row.fields, [column.id]: value } };
    setShown(old => old && ({
      ...old,
      rows: [...old.rows.filter(one => one.id !== row.id), ...(to ? [next] : [])],
      undated: [...old.undated.filter(one => one.id !== row.id), ...(to ? [] : [next])],
    }));
    try {
      await saveRow(schema.database_id, row, { fields: { [column.id]: value } });
    } catch (refused) {
      say(`${row.id} stays on ${before || 'no day'}: ${messageOf(refused)}`, undefined, 'wrong');
    }
    setEpoch(old => old + 1);
  };
  const drop = (to: string | null) => {
    const row = dragged.current;
    dragged.current = null;
    setOver(null);
    if (row) void move(row, to);
  };
  const turn = (to: string) => { go({ month: to }); setAt(`${to}-01`); };
  const walk = (to: string) => {
    setAt(to);
    if (!to.startsWith(month)) go({ month: to.slice(0, 7) });
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
    const item = (event.target as HTMLElement).closest<HTMLElement>('[data-event]');
    if (item) {
      const row = shown?.rows.find(one => one.id === item.dataset.event) ?? shown?.undated.find(one => one.id === item.dataset.event);
      if (event.key === 'Enter') { event.preventDefault(); go({ row: item.dataset.event! }); }
      if (event.key === 'Escape') { event.preventDefault(); grid.current?.focus(); }
      if (step && row && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        const day = dayOf(row);
        void move(row, addDays(isDate(day) ? day : at, step)).then(() => grid.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(row.id)}"]`)?.focus());
      } else if (step) {
        event.preventDefault();
        const items = [...grid.current!.querySelectorAll<HTMLElement>('[data-event]')];
        items[items.indexOf(item) + Math.sign(step)]?.focus();
      }
      return;
    }
    if (step) { event.preventDefault(); walk(addDays(at, step)); }
    if (event.key === 'PageUp' || event.key === 'PageDown') { event.preventDefault(); turn(addMonths(month, event.key === 'PageUp' ? -1 : 1)); }
    if (event.key === 'Enter') { event.preventDefault(); grid.current?.querySelector<HTMLElement>(`[data-day="${at}"] [data-event]`)?.focus(); }
  };
  const weeks = Array.from({ length: days.length / 7 }, (_, i) => days.slice(i * 7, i * 7 + 7));
  return (
    <div class="calendar">
      <div class="calendar-main">
        <div class="calendar-head">
          <h2>{monthName(month)}</h2>
          <button class="quiet" aria-label="month before" onClick={() => turn(addMonths(month, -1))}><Icon name="left" /></button>
          <button class="quiet" aria-label="next month" onClick={() => turn(addMonths(month, 1))}><Icon name="right" /></button>
          <button class="quiet" onClick={() => { go({ month: null }); setAt(today()); }}>Today</button>
          {problem && <span class="wrong-text" role="alert">{problem}</span>}
          {shown && shown.cut > 0 && <span class="faint">{shown.cut} more in this month: narrow the filter to see them</span>}
        </div>
        <div ref={grid} class="calendar-grid" role="grid" tabIndex={0} aria-label={`${schema.name}, ${monthName(month)}`} aria-activedescendant={`day-${at}`} onKeyDown={onKey}>
          <div class="week names" role="row">{days.slice(0, 7).map(day => <div key={day} role="columnheader" aria-label={dayName(day, 'long')}>{dayName(day, 'short')}</div>)}</div>
          {weeks.map(week => (
            <div key={week[0]} class="week" role="row">
              {week.map(day => {
                const rows = shown?.rows.filter(row => dayOf(row) === day) ?? [];
                return (
                  <div key={day} id={`day-${day}`} role="gridcell" data-day={day} aria-selected={day === at}
                    class={`month-day ${day.startsWith(month) ? '' : 'outside'} ${day === today() ? 'today' : ''} ${over === day ? 'target' : ''} ${day === at ? 'at' : ''}`}
                    onClick={() => setAt(day)} onDblClick={() => { if (!isReadOnly.value) openNewRow({ [column.id]: day }); }}
                    onDragOver={event => { event.preventDefault(); setOver(day); }} onDrop={event => { event.preventDefault(); drop(day); }}>
                    <span class="sr">{fullDay(day)}, {countOf(rows.length, 'row')}</span>
                    <span class="day-number" aria-hidden="true"><span class="day-week">{dayName(day, 'short')} </span>{Number(day.slice(8))}</span>
                    {rows.slice(0, shownInDay).map(row => <Item key={row.id} row={row} columns={columns} onDrag={dragging => { dragged.current = dragging; }} />)}
                    {rows.length > shownInDay && <span class="faint more">+{rows.length - shownInDay}</span>}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
      <aside class={`tray ${over === 'tray' ? 'target' : ''}`} aria-label={`without ${labelOf(column)}`} onKeyDown={onKey}
        onDragOver={event => { event.preventDefault(); setOver('tray'); }} onDrop={event => { event.preventDefault(); drop(null); }}>
        <h3>Without {labelOf(column)} <span class="faint tabular">{shown?.undatedCount ?? ''}</span></h3>
        {shown?.undated.map(row => <Item key={row.id} row={row} columns={columns} onDrag={dragging => { dragged.current = dragging; }} />)}
        {shown && shown.undatedCount > shown.undated.length && <p class="faint">{shown.undatedCount - shown.undated.length} more</p>}
      </aside>
    </div>
  );
}
