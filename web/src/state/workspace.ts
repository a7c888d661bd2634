// What the workspace holds: databases with their counts, and the schemas that were looked at.
import { computed, signal } from '@preact/signals';
import { onLive } from '../api/events';
import { call, messageOf } from '../api/server';
import type { Column, Schema, View, Workspace } from '../api/types';
import { address } from './address';

export const workspace = signal<Workspace | null>(null);
export const problem = signal<string>('');
const schemas = signal<ReadonlyMap<string, Schema>>(new Map());

export const isReadOnly = computed(() => workspace.value?.read_only ?? true);
export const schema = computed<Schema | null>(() => {
  const { database } = address.value;
  return database === null ? null : schemas.value.get(database) ?? null;
});
export const view = computed<View | null>(() =>
  schema.value?.views.find(one => one.id === address.value.view) ?? null);

// One of a .base file, by its id: "books/reading.base#Reading".
export const isBaseView = (of: View | null): boolean => of !== null && /\.base(#|$)/.test(of.id);
// What the page knows how to show; another program's type is a table.
export const kindOf = (of: View | null): 'table' | 'board' | 'calendar' | 'base' =>
  isBaseView(of) ? 'base' : of?.type === 'board' || of?.type === 'calendar' ? of.type : 'table';

export async function loadWorkspace(): Promise<void> {
  try {
    workspace.value = await call<Workspace>('db_list', {});
    problem.value = '';
  } catch (refused) {
    problem.value = messageOf(refused);
  }
}

export async function loadSchema(database: string): Promise<Schema> {
  const loaded = await call<Schema>('db_get_schema', { database_id: database });
  schemas.value = new Map(schemas.value).set(database, loaded);
  return loaded;
}

// The schema of any database, asked for once.
const asked = new Map<string, Promise<Schema>>();
export function schemaOf(database: string): Promise<Schema> {
  const known = schemas.peek().get(database);
  if (known) return Promise.resolve(known);
  let loading = asked.get(database);
  if (!loading) {
    loading = loadSchema(database).finally(() => asked.delete(database));
    asked.set(database, loading);
  }
  return loading;
}
export const knownSchema = (database: string): Schema | undefined => schemas.value.get(database);

// The column that names a row to people, chosen as templates and searches choose it.
export function titleColumn(of: Schema | undefined): Column | undefined {
  const texts = of?.columns.filter(one => one.type === 'text') ?? [];
  const words = ['title', 'name'];
  const is = words.map(word => texts.find(one => one.id === word));
  const ends = words.map(word => texts.find(one => one.id.toLowerCase().endsWith(word)));
  return [...is, ...ends, texts.find(one => one.required), texts[0]].find(one => one !== undefined);
}
export const isComputed = (column: Column): boolean =>
  column.type === 'rollup' || column.type === 'formula' || column.auto !== undefined;
export const labelOf = (column: Column): string => column.name ?? column.id;

export const countOf = (count: number, thing: string): string => `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

// The row that a file is, if it is one of a database.
export function rowOfPath(path: string): { database: string; row: string } | null {
  const databases = workspace.value?.databases.map(one => one.id) ?? [];
  const database = databases.filter(id => path.startsWith(`${id}/`)).sort((a, b) => b.length - a.length)[0];
  if (database === undefined) return null;
  const name = path.slice(database.length + 1).replace(/\.[a-z]+$/i, '').replace(/\/index$/, '');
  return name === '_schema' ? null : { database, row: name };
}

let counting: ReturnType<typeof setTimeout> | undefined;
export function followWorkspace(): void {
  onLive(event => {
    if (event.kind === 'change' && event.change.schema) void loadSchema(event.change.database_id).catch(() => undefined);
    clearTimeout(counting);
    counting = setTimeout(() => void loadWorkspace(), 400);
  });
}
