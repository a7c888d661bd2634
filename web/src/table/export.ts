// Export: all rows of what is seen, read a page at a time and given as a file.
import { call, messageOf } from '../api/server';
import type { Column, QueryAnswer, Row, Schema, Value, View } from '../api/types';
import { textOf } from '../cell/values';
import type { Address } from '../state/address';
import { say } from '../ui/Toasts';
import { countOf } from '../state/workspace';
import { questionOf, shownColumns } from './question';

const pageRows = 1000;

// A list as import reads it back: a,b, or JSON where an item holds a comma.
function cellOf(value: Value | undefined): string {
  if (!Array.isArray(value)) return textOf(value);
  return value.some(item => typeof item === 'object' || textOf(item).includes(',')) ? JSON.stringify(value) : value.map(textOf).join(',');
}

const quotedCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function csvOf(columns: Column[], rows: Row[]): string {
  const lines = rows.map(row => [row.id, ...columns.map(column => cellOf(row.fields[column.id]))].map(quotedCell).join(','));
  return `${[['_id', ...columns.map(column => column.id)].map(quotedCell).join(','), ...lines].join('\n')}\n`;
}

const jsonOf = (columns: Column[], rows: Row[]): string =>
  `${JSON.stringify(rows.map(row => ({ _id: row.id, ...Object.fromEntries(columns.filter(column => column.id in row.fields).map(column => [column.id, row.fields[column.id]])) })), null, 2)}\n`;

function give(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export async function exportRows(schema: Schema, view: View | null, address: Address, format: 'csv' | 'json'): Promise<void> {
  const columns = shownColumns(schema, view, address);
  const question = { ...questionOf(schema, view, address), select: columns.map(column => column.id) };
  const rows: Row[] = [];
  try {
    for (let total = 1; rows.length < total;) {
      const answer = await call<QueryAnswer>('db_query', { ...question, limit: pageRows, offset: rows.length });
      rows.push(...answer.rows);
      total = answer.rows.length ? answer.total : rows.length;
      if (rows.length < total) say(`Read ${rows.length.toLocaleString('en')} of ${countOf(total, 'row')}`);
    }
  } catch (refused) {
    return say(messageOf(refused), undefined, 'wrong');
  }
  const name = `${schema.database_id.replaceAll('/', '-')}.${format}`;
  give(name, format === 'csv' ? 'text/csv' : 'application/json', format === 'csv' ? csvOf(columns, rows) : jsonOf(columns, rows));
  say(`Exported ${countOf(rows.length, 'row')} to ${name}`);
}
