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

// The column that names a row to people: the first one of text.
export const titleColumn = (of: Schema | undefined): Column | undefined => of?.columns.find(one => one.type === 'text');
export const isComputed = (column: Column): boolean =>
  column.type === 'rollup' || column.type === 'formula' || column.auto !== undefined;
export const labelOf = (column: Column): string => column.name ?? column.id;

let counting: ReturnType<typeof setTimeout> | undefined;
export function followWorkspace(): void {
  onLive(event => {
    if (event.kind === 'change' && event.change.schema) void loadSchema(event.change.database_id).catch(() => undefined);
    clearTimeout(counting);
    counting = setTimeout(() => void loadWorkspace(), 400);
  });
}
