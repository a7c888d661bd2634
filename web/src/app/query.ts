// The rows of one db_query, as the host brought them, turned over page by page and changed cell by cell.
import { signal } from '@preact/signals';
import type { Column, QueryAnswer, Row, Schema, Value, Workspace } from '../api/types';
import { Refusal, type ToolResult, answerOf, call } from './host';

type Arguments = Record<string, any>;

export const asked = signal<Arguments | null>(null);
export const answer = signal<QueryAnswer | null>(null);
export const schema = signal<Schema | null>(null);
export const offset = signal(0);
export const isBusy = signal(false);
export const problem = signal('');
export const canWrite = signal(false);

let begun: Promise<void> | null = null;

const said = (refusal: unknown) => { problem.value = refusal instanceof Error ? refusal.message : String(refusal); };

// Rows of a table come as lists; here they are rows.
function asRows(given: any): QueryAnswer {
  if (!given.rows.some((row: unknown) => Array.isArray(row))) return given;
  const shown: string[] = given.columns;
  const rows = given.rows.map((cells: Value[]) => ({
    id: String(cells[shown.indexOf('_id')]), etag: String(cells[shown.indexOf('_etag')]),
    fields: Object.fromEntries(shown.map((name, i) => [name, cells[i]]).filter(([name, value]) => value !== null && !String(name).startsWith('_'))),
  }));
  return { ...given, columns: shown.filter(name => !name.startsWith('_')), rows };
}

// The schema says what a cell takes, the workspace whether anything may be written.
function learn(database: string): Promise<void> {
  return begun ??= Promise.all([
    call<Schema>('db_get_schema', { database_id: database }).then(found => { schema.value = found; }),
    call<Workspace>('db_list', {}).then(found => { canWrite.value = !found.read_only; }),
  ]).then(() => undefined);
}

export function takeInput(args: Arguments) {
  asked.value = args;
  offset.value = Number(args.offset ?? 0);
}

export function takeResult(result: ToolResult) {
  try {
    const given = asRows(answerOf<any>(result));
    answer.value = given;
    problem.value = '';
    const database = (given as any).database_id ?? asked.value?.database_id;
    asked.value = { ...(asked.value ?? {}), database_id: database };
    learn(database).catch(said);
  } catch (refusal) {
    said(refusal);
  }
}

export const pageSize = (): number => Number(asked.value?.limit ?? 50);

export async function turnTo(begin: number) {
  isBusy.value = true;
  try {
    const given = asRows(await call<any>('db_query', { ...asked.value, offset: begin, limit: pageSize() }));
    answer.value = given;
    offset.value = begin;
    problem.value = '';
  } catch (refusal) {
    said(refusal);
  } finally {
    isBusy.value = false;
  }
}

function put(row: Row) {
  if (answer.value) answer.value = { ...answer.value, rows: answer.value.rows.map(old => (old.id === row.id ? { ...old, ...row } : old)) };
}

// Of a conflict the row as it is now is shown, and what was typed is not written over it.
export async function change(row: Row, column: Column, value: Value) {
  isBusy.value = true;
  try {
    const written = await call<{ row: Row }>('db_update_row', {
      database_id: asked.value!.database_id, row_id: row.id, etag: row.etag, fields: { [column.id]: value },
    });
    put(written.row);
    problem.value = '';
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.data.row) put(refusal.data.row);
    said(refusal);
  } finally {
    isBusy.value = false;
  }
}

export const columnOf = (id: string): Column => schema.value?.columns.find(column => column.id === id) ?? { id, type: 'text' };
export const nameOf = (column: Column): string => column.name ?? column.id;
const isPlain = (column: Column): boolean => !['json', 'rollup', 'formula'].includes(column.type) && !column.auto;
// A column of another database, assignee.name, is read here and changed there.
export const isEditable = (column: Column): boolean =>
  canWrite.value && isPlain(column) && schema.value?.columns.some(own => own.id === column.id) === true;
