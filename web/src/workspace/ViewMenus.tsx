// ViewMenus: how the rows of a view lie: under which groups, in which order, with which columns.
import type { Column, Schema, View } from '../api/types';
import { address, go } from '../state/address';
import { kindOf, labelOf } from '../state/workspace';
import { canGroup } from '../table/groups';
import { sortBy, sortOf } from '../table/Header';
import { groupColumn, shownColumns } from '../table/question';
import { Menu, type Choice } from '../ui/Menu';

function groupChoices(schema: Schema, view: View | null, now: Column | undefined): Choice[] {
  const none = view?.group_by ? '' : null;
  return [
    { label: 'No groups', chosen: !now, run: () => go({ group: none }) },
    ...schema.columns.filter(canGroup).map((column, i) => ({
      label: labelOf(column), separated: i === 0, chosen: now?.id === column.id, run: () => go({ group: column.id }),
    })),
  ];
}

const nextDirection = { none: 'asc', asc: 'desc', desc: null } as const;

// Each click goes on from no order to up, to down, and back.
function sortChoices(schema: Schema): Choice[] {
  return [
    { label: 'As the view has it', chosen: address.value.sort.length === 0, run: () => go({ sort: [] }) },
    ...schema.columns.map((column, i) => {
      const direction = sortOf(column);
      return {
        label: labelOf(column), separated: i === 0, stays: true, chosen: direction !== null,
        hint: direction === 'asc' ? '↑' : direction === 'desc' ? '↓' : '', run: () => sortBy(column, nextDirection[direction ?? 'none']),
      };
    }),
  ];
}

function columnChoices(schema: Schema, view: View | null): Choice[] {
  const shown = shownColumns(schema, view, address.value).map(column => column.id);
  return [
    { label: 'As the view has them', chosen: address.value.columns === null, run: () => go({ columns: null }) },
    ...schema.columns.map((column, i) => ({
      label: labelOf(column), separated: i === 0, stays: true, chosen: shown.includes(column.id),
      run: () => {
        const ids = shown.includes(column.id) ? shown.filter(id => id !== column.id) : [...shown, column.id];
        if (ids.length) go({ columns: ids });
      },
    })),
  ];
}

export function ViewMenus({ schema, view }: { schema: Schema; view: View | null }) {
  const { sort, columns } = address.value;
  const group = groupColumn(schema, view, address.value);
  const kind = kindOf(view);
  const look = (used: boolean) => `quiet ${used ? 'used' : ''}`;
  return (
    <div class="view-menus">
      {kind === 'table' && <Menu label={group ? `Group: ${labelOf(group)}` : 'Group'} class={look(group !== undefined)} choices={() => groupChoices(schema, view, group)}>{group ? `Group: ${labelOf(group)}` : 'Group'}</Menu>}
      {kind !== 'calendar' && <Menu label="Sort" class={look(sort.length > 0)} choices={() => sortChoices(schema)}>Sort</Menu>}
      <Menu label="Columns" class={look(columns !== null)} choices={() => columnChoices(schema, view)}>Columns</Menu>
    </div>
  );
}
