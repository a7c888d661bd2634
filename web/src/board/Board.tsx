// Board: the rows of a view in lanes by the value of one column. A card that is moved is one field of
// one row written; it is shown at once and goes back, with the reason, where that is refused.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { onRowsChanged } from '../api/events';
import { call, messageOf } from '../api/server';
import type { Column, Filter, QueryAnswer, Row, Schema, Value, View } from '../api/types';
import { CellValue, Option } from '../cell/Cell';
import { marked, textOf } from '../cell/values';
import { address, go } from '../state/address';
import { saveRow } from '../state/edits';
import { isReadOnly, labelOf } from '../state/workspace';
import { refusalOfQuestion, shownColumns, titleField } from '../table/question';
import { Icon } from '../ui/icons';
import { say } from '../ui/Toasts';
import { openNewRow } from '../workspace/overlays';

const cardsAtOnce = 50;

interface Lane {
  value: string | null;   // null: rows without one
  count: number;
  isOption: boolean;
}

interface Move {
  row: Row;
  from: string | null;
  to: string | null;
}

const laneFilter = (column: Column, value: string | null): Filter =>
  value === null ? { field: column.id, operator: 'is_empty' }
  : column.type === 'multi-select' ? { field: column.id, operator: 'contains', value }
  : { field: column.id, operator: 'eq', value };

// Options in the order of the schema, rows without a value, then values that are no option.
function lanesOf(column: Column, groups: Record<string, Value>[]): Lane[] {
  const counts = new Map<string | null, number>();
  for (const group of groups) {
    const value = group[column.id];
    const key = value === null || value === undefined || value === '' ? null : textOf(value);
    counts.set(key, (counts.get(key) ?? 0) + Number(group.count));
  }
  const options = column.options ?? [];
  const others = [...counts.keys()].filter(value => value !== null && !options.includes(value)) as string[];
  const lane = (value: string | null, isOption: boolean): Lane => ({ value, count: counts.get(value) ?? 0, isOption });
  return [
    ...options.map(option => lane(option, true)),
    ...(counts.has(null) ? [lane(null, true)] : []),
    ...others.sort().map(value => lane(value, column.type !== 'select')),
  ];
}

interface LaneProps {
  schema: Schema;
  view: View;
  column: Column;
  lane: Lane;
  columns: Column[];
  filters: unknown[];
  epoch: number;
  moves: Move[];
  onDrop: (to: string | null) => void;
  onDrag: (row: Row | null, from: string | null) => void;
  isTarget: boolean;
  onTarget: (value: string | null | undefined) => void;
}

function BoardLane({ schema, view, column, lane, columns, filters, epoch, moves, onDrop, onDrag, isTarget, onTarget }: LaneProps) {
  const [rows, setRows] = useState<Row[] | null>(null);
  const [limit, setLimit] = useState(cardsAtOnce);
  const titles = columns.map(titleField);
  useEffect(() => {
    const stop = new AbortController();
    const select = [...columns.map(one => one.id), column.id, ...titles.filter(one => one !== null)];
    call<QueryAnswer>('db_query', {
      database_id: schema.database_id, view: view.id, filters: [...filters, laneFilter(column, lane.value)], select: [...new Set(select)],
      ...(address.value.sort.length ? { sort: address.value.sort } : {}), limit,
    }, stop.signal).then(answer => setRows(answer.rows), () => { if (!stop.signal.aborted) setRows([]); });
    return () => stop.abort();
  }, [schema.etag, view.id, lane.value, limit, epoch, JSON.stringify(filters), address.value.sort.join()]);
  const left = moves.filter(move => move.from === lane.value);
  const came = moves.filter(move => move.to === lane.value && move.from !== lane.value);
  const shown = [...came.map(move => move.row), ...(rows ?? []).filter(row => !moves.some(move => move.row.id === row.id))];
  const count = lane.count + came.length - left.length;
  const label = lane.value ?? `no ${labelOf(column)}`;
  return (
    <section class={`lane ${isTarget ? 'target' : ''}`} aria-label={`${label}, ${count}`} data-lane={lane.value ?? ''}
      onDragOver={event => { event.preventDefault(); onTarget(lane.value); }}
      onDrop={event => { event.preventDefault(); onDrop(lane.value); }}>
      <header class="lane-head">
        {lane.value === null ? <span class="faint">{label}</span> : column.type === 'select' || column.type === 'multi-select' ? <Option column={column} value={lane.value} /> : <span>{lane.value}</span>}
        <span class="faint tabular">{count}</span>
        {!lane.isOption && <span class="faint" title="not an option of the schema">not an option</span>}
        <span class="grow" />
        {!isReadOnly.value && <button class="quiet small" tabIndex={-1} aria-label={`new row in ${label}`} onClick={() => openNewRow({ [column.id]: lane.value })}><Icon name="plus" /></button>}
      </header>
      <div class="cards" role="list" onScroll={event => {
        const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
        if (rows && rows.length >= limit && scrollTop + clientHeight > scrollHeight - 400) setLimit(limit + cardsAtOnce);
      }}>
        {shown.map(row => (
          <Card key={row.id} row={row} columns={columns} titles={titles} lane={label}
            onDragStart={() => onDrag(row, lane.value)} onDragEnd={() => onDrag(null, null)} />
        ))}
        {rows && rows.length < lane.count && <button class="quiet more-cards" tabIndex={-1} onClick={() => setLimit(limit + cardsAtOnce)}>{lane.count - rows.length} more</button>}
      </div>
    </section>
  );
}

interface CardProps {
  row: Row;
  columns: Column[];
  titles: (string | null)[];
  lane: string;
  onDragStart: () => void;
  onDragEnd: () => void;
}

function Card({ row, columns, titles, lane, onDragStart, onDragEnd }: CardProps) {
  const [first, ...others] = columns;
  const title = first ? textOf(row.fields[first.id]) : '';
  return (
    <div role="listitem" class="card-item">
      <article class={`card ${address.value.row === row.id ? 'open' : ''}`} tabIndex={-1} data-card={row.id} draggable={!isReadOnly.value}
        aria-label={`${title || row.id}, in ${lane}`} onClick={() => go({ row: row.id })}
        onDragStart={event => { event.dataTransfer?.setData('text/plain', row.id); onDragStart(); }} onDragEnd={onDragEnd}>
        <div class="card-title">{title || <span class="faint mono">{marked(row.id)}</span>}</div>
        {others.some(column => row.fields[column.id] != null) && (
          <div class="card-fields">
            {others.map((column, i) => row.fields[column.id] != null && (
              <span key={column.id} class="card-field" title={labelOf(column)}><CellValue column={column} fields={row.fields} titles={titles[i + 1] ? row.fields[titles[i + 1]!] : undefined} /></span>
            ))}
          </div>
        )}
      </article>
    </div>
  );
}

export function Board({ schema, view }: { schema: Schema; view: View }) {
  const column = schema.columns.find(one => one.id === view.group_by);
  const [groups, setGroups] = useState<Record<string, Value>[] | null>(null);
  const setProblem = (said: string) => { refusalOfQuestion.value = said; };
  const [epoch, setEpoch] = useState(0);
  const [moves, setMoves] = useState<Move[]>([]);
  const [target, setTarget] = useState<string | null | undefined>(undefined);
  const dragged = useRef<{ row: Row; from: string | null } | null>(null);
  const board = useRef<HTMLDivElement>(null);
  const filters = address.value.where;
  const asked = JSON.stringify(filters);

  useEffect(() => () => { refusalOfQuestion.value = ''; }, []);
  useEffect(() => {
    if (!column) return;
    const stop = new AbortController();
    call<{ groups?: Record<string, Value>[] }>('db_query', { database_id: schema.database_id, view: view.id, ...(filters.length ? { filters } : {}), limit: 0 }, stop.signal)
      .then(answer => { setGroups(answer.groups ?? []); setProblem(''); }, refused => { if (!stop.signal.aborted) { setProblem(messageOf(refused)); setGroups([]); } });
    return () => stop.abort();
  }, [schema.etag, view.id, asked, epoch]);
  useEffect(() => onRowsChanged(schema.database_id, () => setEpoch(old => old + 1)), [schema.database_id]);

  const lanes = useMemo(() => (column && groups ? lanesOf(column, groups) : []), [column, groups]);
  const columns = useMemo(() => shownColumns(schema, view, address.value).filter(one => one.id !== view.group_by), [schema, view, address.value.columns]);
  if (!column) return <div class="nothing wrong">The view {view.name ?? view.id} groups by a column that there is none of. Set it with: notesdb alter {schema.database_id} --change 'set_view {view.id} group_by=COLUMN'</div>;

  const move = async (row: Row, from: string | null, to: string | null) => {
    if (from === to) return;
    const moving: Move = { row, from, to };
    setMoves(old => [...old.filter(one => one.row.id !== row.id), moving]);
    const value: Value = column.type === 'multi-select' ? (to === null ? null : [to]) : to;
    const base = { ...row, fields: { ...row.fields } };
    try {
      const saved = await saveRow(schema.database_id, base, { fields: { [column.id]: value } });
      setMoves(old => old.map(one => (one === moving ? { ...one, row: { ...row, etag: saved.etag, fields: { ...row.fields, [column.id]: value } } } : one)));
      setEpoch(old => old + 1);
      setTimeout(() => setMoves(old => old.filter(one => one.row.id !== row.id)), 400);
    } catch (refused) {
      setMoves(old => old.filter(one => one !== moving));
      setEpoch(old => old + 1);
      say(`${row.id} stays in ${from ?? 'its lane'}: ${messageOf(refused)}`, undefined, 'wrong');
    }
  };
  const drop = (to: string | null) => {
    const moved = dragged.current;
    setTarget(undefined);
    dragged.current = null;
    if (moved) void move(moved.row, moved.from, to);
  };

  const cardsOf = (lane: Element) => [...lane.querySelectorAll<HTMLElement>('[data-card]')];
  const onKey = (event: KeyboardEvent) => {
    const all = [...board.current!.querySelectorAll<HTMLElement>('.lane')];
    const card = (event.target as HTMLElement).closest<HTMLElement>('[data-card]');
    const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].indexOf(event.key);
    if (!card) {
      if (arrows >= 0 && event.target === board.current) { event.preventDefault(); board.current!.querySelector<HTMLElement>('[data-card]')?.focus(); }
      return;
    }
    const lane = card.closest<HTMLElement>('.lane')!;
    const at = all.indexOf(lane);
    const row = cardsOf(lane).indexOf(card);
    if (arrows < 0) {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); go({ row: card.dataset.card! }); }
      if (event.key === 'm' && !isReadOnly.value) { event.preventDefault(); moveByKey(card.dataset.card!, at, at + 1 < all.length ? at + 1 : 0); }
      return;
    }
    event.preventDefault();
    const sideways = arrows === 0 ? -1 : arrows === 1 ? 1 : 0;
    if (sideways && (event.ctrlKey || event.metaKey)) {
      if (!isReadOnly.value && lanes[at + sideways]) moveByKey(card.dataset.card!, at, at + sideways);
      return;
    }
    if (!sideways) return cardsOf(lane)[row + (arrows === 2 ? -1 : 1)]?.focus();
    for (let to = at + sideways; all[to]; to += sideways) {
      const cards = cardsOf(all[to]!);
      if (cards.length) return cards[Math.min(row, cards.length - 1)]!.focus();
    }
  };
  const moveByKey = async (id: string, from: number, to: number) => {
    const select = [column.id, ...columns.map(one => one.id)];
    const answer = await call<QueryAnswer>('db_query', { database_id: schema.database_id, filters: [{ field: '_id', operator: 'eq', value: id }], select, limit: 1 });
    if (!answer.rows[0]) return;
    void move(answer.rows[0], lanes[from]!.value, lanes[to]!.value);
    requestAnimationFrame(() => requestAnimationFrame(() => board.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`)?.focus()));
  };
  return (
    <div class="board-place">
      <div ref={board} class="board" tabIndex={0} role="group" aria-label={`${schema.name}, board by ${labelOf(column)}`} onKeyDown={onKey} onDragLeave={event => { if (event.target === board.current) setTarget(undefined); }}>
        {lanes.map(lane => (
          <BoardLane key={lane.value ?? '\u0000'} schema={schema} view={view} column={column} lane={lane} columns={columns} filters={filters} epoch={epoch} moves={moves}
            onDrop={drop} onDrag={(row, from) => { dragged.current = row ? { row, from } : null; if (!row) setTarget(undefined); }}
            isTarget={target !== undefined && target === lane.value} onTarget={setTarget} />
        ))}
      </div>
    </div>
  );
}
