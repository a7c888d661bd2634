// Heading: the value that the rows below it have, and how many they are.
import type { Column } from '../api/types';
import { CellValue } from '../cell/Cell';
import { labelOf } from '../state/workspace';
import { Icon } from '../ui/icons';
import type { Group } from './groups';

interface Props {
  id: string;
  group: Group;
  column: Column;
  isClosed: boolean;
  isAt: boolean;
  place: string;
  index: number;
  top: number;
  columns: number;
  onToggle: () => void;
}

export function Heading({ id, group, column, isClosed, isAt, place, index, top, columns, onToggle }: Props) {
  const { value, count } = group;
  return (
    <div role="row" aria-rowindex={index + 2} class="row heading" style={{ transform: `translateY(${top}px)` }}>
      <div id={id} role="gridcell" aria-colindex={1} aria-colspan={columns} aria-expanded={!isClosed} data-cell={place} class={`heading-cell ${isAt ? 'at' : ''}`} onClick={onToggle}>
        <span class={`turn ${isClosed ? '' : 'open'}`}><Icon name="right" /></span>
        {value === null || value === '' ? <span class="faint">no {labelOf(column)}</span> : <CellValue column={column} fields={{ [column.id]: value }} />}
        <span class="faint tabular">{count.toLocaleString('en')}</span>
      </div>
    </div>
  );
}
