// Edits: the one way in which the page writes, with undo and redo, and what others did meanwhile.
//
// A field that somebody else changed since it was read is a Clash, told with all three values; a row
// in which only other fields changed takes the edit without a question.
import { signal } from '@preact/signals';
import { call, isSame, messageOf, Refusal } from '../api/server';
import type { Fields, Row, Value, WholeRow, WriteAnswer } from '../api/types';
import { say } from '../ui/Toasts';
import { countOf } from './workspace';

export class Clash extends Error {
  constructor(
    readonly field: string,
    readonly base: Value | undefined,
    readonly theirs: Value | undefined,
    readonly row: WholeRow,
  ) {
    super(`somebody else changed ${field} meanwhile`);
  }
}

interface Done {
  change: string;
  what: string;
}
const undoable = signal<Done[]>([]);
const redoable = signal<Done[]>([]);

// The rows that a write of ours has just given, for who shows them.
type Saved = (database: string, row: WholeRow) => void;
const savedListeners = new Set<Saved>();
export function onSaved(listener: Saved): () => void {
  savedListeners.add(listener);
  return () => savedListeners.delete(listener);
}

export function remember(change: string | undefined, what: string): void {
  if (!change) return;
  undoable.value = [...undoable.value.slice(-99), { change, what }];
  redoable.value = [];
}

// Writes under way: undo waits for them, so that it takes back what was done last.
let underWay: Promise<unknown> = Promise.resolve();

function tracked<Answer>(work: Promise<Answer>): Promise<Answer> {
  underWay = Promise.allSettled([underWay, work]);
  return work;
}

// Once the writes under way have ended, and what is shown has their etags.
export const settled = (): Promise<unknown> => underWay;

interface Part {
  fields?: Fields;
  body?: string;
}

function clashOf(base: Row & { body?: string }, part: Part, now: WholeRow): Clash | null {
  for (const field of Object.keys(part.fields ?? {}))
    if (!isSame(base.fields[field], now.fields[field]) && !isSame(part.fields?.[field], now.fields[field]))
      return new Clash(field, base.fields[field], now.fields[field], now);
  if (part.body !== undefined && base.body !== undefined && base.body !== now.body && part.body !== now.body)
    return new Clash('_body', base.body, now.body, now);
  return null;
}

const attempts = 6;

export const saveRow = (database: string, base: Row & { body?: string }, part: Part): Promise<WholeRow> =>
  tracked(save(database, base, part));

async function save(database: string, base: Row & { body?: string }, part: Part): Promise<WholeRow> {
  let etag = base.etag;
  for (let attempt = 1; ; ++attempt) {
    try {
      const answer = await call<WriteAnswer>('db_update_row', { database_id: database, row_id: base.id, etag, ...part });
      remember(answer.change, `change of ${base.id}`);
      for (const listener of savedListeners) listener(database, answer.row);
      return answer.row;
    } catch (refused) {
      const now = refused instanceof Refusal && refused.code === 'conflict' ? refused.facts.row : undefined;
      if (!now || attempt >= attempts) throw refused;
      const clash = clashOf(base, part, now);
      if (clash) throw clash;
      etag = now.etag;
    }
  }
}

export async function insertRow(database: string, fields: Fields, template?: string): Promise<WholeRow> {
  const answer = await tracked(call<WriteAnswer>('db_insert_row', { database_id: database, fields, ...(template ? { template } : {}) }));
  remember(answer.change, `new row ${answer.row.id}`);
  return answer.row;
}

export async function deleteRow(database: string, row: Row): Promise<void> {
  const answer = await call<{ change?: string }>('db_delete_row', { database_id: database, row_id: row.id, etag: row.etag });
  remember(answer.change, `deletion of ${row.id}`);
  say(`Deleted ${row.id}`, { label: 'Undo', run: () => void undo() });
}

export interface Operation {
  action: 'insert' | 'update' | 'delete';
  database_id: string;
  row_id?: string;
  etag?: string;
  fields?: Fields;
}

// All or nothing, as one change.
export const batch = (operations: Operation[], what: string): Promise<void> =>
  tracked(call<{ change?: string }>('db_batch', { operations }).then(answer => remember(answer.change, what)));

// Fixes what has one meaning in these files.
export async function fixFiles(paths: string[]): Promise<void> {
  try {
    const answer = await tracked(call<{ change?: string; fixed: unknown[] }>('db_fix', { paths }));
    const count = countOf(answer.fixed.length, 'line');
    remember(answer.change, `fix of ${count}`);
    say(`Fixed ${count}`, { label: 'Undo', run: () => void undo() });
  } catch (refused) {
    say(messageOf(refused), undefined, 'wrong');
  }
}

async function takeBackLast(from: typeof undoable, to: typeof undoable, word: string): Promise<void> {
  const done = from.value.at(-1);
  if (!done) {
    say(`Nothing to ${word.toLowerCase()}`);
    return;
  }
  from.value = from.value.slice(0, -1);
  try {
    const answer = await call<{ change?: string }>('db_undo', { change: done.change });
    if (answer.change) to.value = [...to.value, { change: answer.change, what: done.what }];
    say(`${word}: ${done.what}`);
  } catch (refused) {
    say(messageOf(refused), undefined, 'wrong');
  }
}

function takeBack(from: typeof undoable, to: typeof undoable, word: string): Promise<void> {
  const before = underWay;
  return tracked(before.then(() => takeBackLast(from, to, word)));
}

export const undo = (): Promise<void> => takeBack(undoable, redoable, 'Undo');
export const redo = (): Promise<void> => takeBack(redoable, undoable, 'Redo');
