// Header: the names of the columns, what can be done with one, and a handle that makes it wider.
import { useRef, useState } from 'preact/hooks';
import type { Column, View } from '../api/types';
import { address, go } from '../state/address';
import { prefer, preferences } from '../state/preferences';
import { labelOf } from '../state/workspace';
import { Menu, type Choice } from '../ui/Menu';

export const idWidth = 116;
const narrowest = 56;
const fallbackWidths: Partial<Record<Column['type'], number>> = {
  text: 280, number: 92, checkbox: 76, date: 112, datetime: 150, select: 112, url: 200, json: 200, list: 220, 'multi-select': 190, relation: 170,
};

export const widthOf = (database: string, column: Column): number =>
  preferences.value.widths[database]?.[column.id] ?? fallbackWidths[column.type] ?? 150;

function setWidth(database: string, column: Column, width: number): void {
  const { widths } = preferences.value;
  prefer({ widths: { ...widths, [database]: { ...widths[database], [column.id]: Math.max(narrowest, Math.round(width)) } } });
}

type Direction = 'asc' | 'desc';
const sortOf = (column: Column): Direction | null => {
  const found = address.value.sort.find(one => one.split(':')[0] === column.id);
  return found ? (found.endsWith(':desc') ? 'desc' : 'asc') : null;
};

export function sortBy(column: Column, direction: Direction | null): void {
  const others = address.value.sort.filter(one => one.split(':')[0] !== column.id);
  go({ sort: direction ? [`${column.id}:${direction}`, ...others.slice(0, 2)] : others });
}

function choicesOf(columns: Column[], column: Column): Choice[] {
  const ids = columns.map(one => one.id);
  const at = ids.indexOf(column.id);
  const moveTo = (to: number) => {
    const next = ids.filter(id => id !== column.id);
    next.splice(to, 0, column.id);
    go({ columns: next });
  };
  const sort = sortOf(column);
  return [
    { label: 'Sort ascending', chosen: sort === 'asc', run: () => sortBy(column, sort === 'asc' ? null : 'asc') },
    { label: 'Sort descending', chosen: sort === 'desc', run: () => sortBy(column, sort === 'desc' ? null : 'desc') },
    { label: 'Filter by this column', separated: true, run: () => dispatchEvent(new CustomEvent('notesdb-filter', { detail: `${column.id} ` })) },
    ...(at > 0 ? [{ label: 'Move left', separated: true, run: () => moveTo(at - 1) }] : []),
    ...(at < ids.length - 1 ? [{ label: 'Move right', run: () => moveTo(at + 1) }] : []),
    ...(ids.length > 1 ? [{ label: 'Hide', run: () => go({ columns: ids.filter(id => id !== column.id) }) }] : []),
  ];
}

interface Props {
  database: string;
  columns: Column[];
  lefts: number[];
  first: number;
  last: number;
  wide: number;
  view: View | null;
}

export function Header({ database, columns, lefts, first, last, wide }: Props) {
  return (
    <div class="grid-head" role="row" aria-rowindex={1} style={{ width: `${wide}px` }}>
      <div role="columnheader" aria-colindex={1} class="head id" style={{ width: `${idWidth}px` }}><span class="faint">id</span></div>
      {columns.slice(first, last + 1).map((column, offset) => (
        <Head key={column.id} database={database} columns={columns} column={column} index={first + offset} left={idWidth + lefts[first + offset]!} />
      ))}
    </div>
  );
}

function Head({ database, columns, column, index, left }: { database: string; columns: Column[]; column: Column; index: number; left: number }) {
  const [resizing, setResizing] = useState(false);
  const head = useRef<HTMLDivElement>(null);
  const sort = sortOf(column);
  const width = widthOf(database, column);
  const resize = (event: PointerEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const begin = event.clientX;
    setResizing(true);
    const drag = (move: PointerEvent) => setWidth(database, column, width + move.clientX - begin);
    const end = () => { setResizing(false); removeEventListener('pointermove', drag); removeEventListener('pointerup', end); };
    addEventListener('pointermove', drag);
    addEventListener('pointerup', end);
  };
  return (
    <div ref={head} role="columnheader" aria-colindex={index + 2} aria-sort={sort === 'asc' ? 'ascending' : sort === 'desc' ? 'descending' : 'none'}
      class={`head ${resizing ? 'resizing' : ''} ${column.type === 'number' ? 'number' : ''}`} style={{ left: `${left}px`, width: `${width}px` }}>
      <Menu label={`${labelOf(column)}: ${column.type}${column.description ? `, ${column.description}` : ''}`} class="head-menu" choices={() => choicesOf(columns, column)}>
        <span class="head-name">{labelOf(column)}</span>
        {sort && <span class="sort-mark" aria-hidden="true">{sort === 'asc' ? '↑' : '↓'}</span>}
      </Menu>
      <div class="resize" onPointerDown={resize} onDblClick={() => setWidth(database, column, fallbackWidths[column.type] ?? 150)} />
    </div>
  );
}
