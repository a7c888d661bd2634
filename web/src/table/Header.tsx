// Header: the names of the columns, what can be done with one, and a handle that makes it wider.
import { useState } from 'preact/hooks';
import type { Column } from '../api/types';
import { address, go } from '../state/address';
import { labelOf } from '../state/workspace';
import { Menu, type Choice } from '../ui/Menu';
import { idColumn, setWidth } from './widths';

type Direction = 'asc' | 'desc';
export const sortOf = (column: Column): Direction | null => {
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
  idWidth: number;
  first: number;
  last: number;
  wide: number;
}

export function Header({ database, columns, lefts, idWidth, first, last, wide }: Props) {
  const idName = columns.some(column => labelOf(column).toLowerCase() === 'id') ? 'row' : 'id';
  return (
    <div class="grid-head" role="row" aria-rowindex={1} style={{ width: `${wide}px` }}>
      <div role="columnheader" aria-colindex={1} class="head id" style={{ width: `${idWidth}px` }}>
        <span class="faint">{idName}</span><Edge database={database} id={idColumn} width={idWidth} />
      </div>
      {columns.slice(first, last + 1).map((column, offset) => (
        <Head key={column.id} database={database} columns={columns} column={column} index={first + offset}
          left={idWidth + lefts[first + offset]!} width={lefts[first + offset + 1]! - lefts[first + offset]!} />
      ))}
    </div>
  );
}

// The edge of a head: pulled it makes the column wider, clicked twice it makes it fit.
function Edge({ database, id, width }: { database: string; id: string; width: number }) {
  const [pulling, setPulling] = useState(false);
  const pull = (event: PointerEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const begin = event.clientX;
    setPulling(true);
    const drag = (move: PointerEvent) => setWidth(database, id, width + move.clientX - begin);
    const end = () => { setPulling(false); removeEventListener('pointermove', drag); removeEventListener('pointerup', end); };
    addEventListener('pointermove', drag);
    addEventListener('pointerup', end);
  };
  return <div class={`resize ${pulling ? 'pulling' : ''}`} onPointerDown={pull} onDblClick={() => setWidth(database, id, null)} />;
}

interface HeadProps {
  database: string;
  columns: Column[];
  column: Column;
  index: number;
  left: number;
  width: number;
}

function Head({ database, columns, column, index, left, width }: HeadProps) {
  const sort = sortOf(column);
  return (
    <div role="columnheader" aria-colindex={index + 2} aria-sort={sort === 'asc' ? 'ascending' : sort === 'desc' ? 'descending' : 'none'}
      class={`head ${column.type === 'number' ? 'number' : ''}`} style={{ left: `${left}px`, width: `${width}px` }}>
      <Menu label={`${labelOf(column)}: ${column.type}${column.description ? `, ${column.description}` : ''}`} class="head-menu" choices={() => choicesOf(columns, column)}>
        <span class="head-name">{labelOf(column)}</span>
        {sort && <span class="sort-mark" aria-hidden="true">{sort === 'asc' ? '↑' : '↓'}</span>}
      </Menu>
      <Edge database={database} id={column.id} width={width} />
    </div>
  );
}
