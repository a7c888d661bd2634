// The question that an address asks of a database: which columns, which rows, in which order.
import { signal } from '@preact/signals';
import type { Column, Schema, View } from '../api/types';
import type { Address } from '../state/address';
import { isBaseView, kindOf, knownSchema, titleColumn } from '../state/workspace';
import { canGroup, groupSort } from './groups';
import type { Question } from './pages';

// Why the engine does not answer what is asked now; it stands beside the filter box.
export const refusalOfQuestion = signal('');

// Where the title of what a relation names stands in an answer.
export function titleField(column: Column): string | null {
  const title = column.type === 'relation' && column.target ? titleColumn(knownSchema(column.target)) : undefined;
  return title ? `${column.id}.${title.id}` : null;
}

export function shownColumns(schema: Schema, view: View | null, address: Address): Column[] {
  const ids = address.columns ?? view?.columns;
  if (!ids?.length) return schema.columns;
  return ids.map(id => schema.columns.find(column => column.id === id)).filter(column => column !== undefined);
}

// The column under whose values a table stands.
export function groupColumn(schema: Schema, view: View | null, address: Address): Column | undefined {
  if (kindOf(view) !== 'table') return undefined;
  const id = address.group ?? view?.group_by;
  const column = id ? schema.columns.find(one => one.id === id) : undefined;
  return column && canGroup(column) ? column : undefined;
}

function sortOf(schema: Schema, view: View | null, address: Address): string[] {
  const column = groupColumn(schema, view, address);
  const own = (view?.sorts ?? []).map(one => `${one.field}:${one.direction ?? 'asc'}`);
  return column ? [groupSort(column), ...(address.sort.length ? address.sort : own).filter(one => one.split(':')[0] !== column.id)] : address.sort;
}

// A name or value as it may stand in a typed condition.
export function quoted(value: string): string {
  return /^[^\s"',()[\]]+$/.test(value) && !/^(and|or)$/i.test(value) ? value : JSON.stringify(value);
}

// A view of a .base file has all that it needs.
export function questionOf(schema: Schema, view: View | null, address: Address): Question {
  if (isBaseView(view)) return { database_id: schema.database_id, view: view!.id };
  const columns = shownColumns(schema, view, address);
  const titles = columns.map(titleField).filter(field => field !== null);
  const sort = sortOf(schema, view, address);
  return {
    database_id: schema.database_id,
    ...(view ? { view: view.id } : {}),
    ...(address.where.length ? { filters: address.where } : {}),
    ...(sort.length ? { sort } : {}),
    select: [...columns.map(column => column.id), ...titles],
  };
}

const shellWord = (text: string): string => (/^[\w.,:=/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// The same question for the command line.
export function commandOf(schema: Schema, view: View | null, address: Address): string {
  const words = ['notesdb', 'query', schema.database_id];
  if (view) words.push('--view', view.id);
  for (const where of address.where) words.push('--where', where);
  for (const sort of sortOf(schema, view, address)) words.push('--sort', sort);
  if (address.columns) words.push('--select', address.columns.map(quoted).join(','));
  return words.map(shellWord).join(' ');
}
