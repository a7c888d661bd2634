// The question that an address asks of a database: which columns, which rows, in which order.
import { signal } from '@preact/signals';
import type { Column, Schema, View } from '../api/types';
import { filtersOf, quoted } from '../filter/where';
import type { Address } from '../state/address';
import { knownSchema, titleColumn } from '../state/workspace';

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

export interface Asked {
  filters: unknown[];
  problem: string;   // why what was typed cannot be read
}

export function askedFilters(where: string[]): Asked {
  const filters: unknown[] = [];
  for (const text of where) {
    try {
      filters.push(...filtersOf(text));
    } catch (problem) {
      return { filters, problem: (problem as Error).message };
    }
  }
  return { filters, problem: '' };
}

export function questionOf(schema: Schema, view: View | null, address: Address) {
  const columns = shownColumns(schema, view, address);
  const titles = columns.map(titleField).filter(field => field !== null);
  const { filters } = askedFilters(address.where);
  return {
    database_id: schema.database_id,
    ...(view ? { view: view.id } : {}),
    ...(filters.length ? { filters } : {}),
    ...(address.sort.length ? { sort: address.sort } : {}),
    select: [...columns.map(column => column.id), ...titles],
  };
}

const shellWord = (text: string): string => (/^[\w.,:=/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// The same question for the command line.
export function commandOf(schema: Schema, view: View | null, address: Address): string {
  const words = ['notesdb', 'query', schema.database_id];
  if (view) words.push('--view', view.id);
  for (const where of address.where) words.push('--where', where);
  for (const sort of address.sort) words.push('--sort', sort);
  if (address.columns) words.push('--select', address.columns.map(quoted).join(','));
  return words.map(shellWord).join(' ');
}
