// Groups: the rows of a question under the values of one column. The rows stay one list, sorted by
// that column, so that pages of rows hold across groups; how many there are of each is counted by the
// engine. What is shown is lines: a heading, then its rows, unless it is closed.
import { useEffect, useState } from 'preact/hooks';
import { onRowsChanged } from '../api/events';
import { call, messageOf } from '../api/server';
import type { Column, Schema, Value } from '../api/types';
import { holdsMany, textOf } from '../cell/values';
import type { Question } from './pages';

export interface Group {
  key: string;
  value: Value;
  count: number;
  first: number;   // the place of its first row among all rows
}

export type Line = { heading: Group } | { row: number };

const maxGroups = 1000;
const grouping = new Set<Column['type']>(['select', 'checkbox', 'date', 'relation', 'text', 'number', 'url']);

export const canGroup = (column: Column): boolean => grouping.has(column.type) && !holdsMany(column);

// The order in which rows come, group by group.
export const groupSort = (column: Column): string => (column.options?.length ? `${column.id}:options` : column.id);

const isEmpty = (value: Value | undefined): boolean => value === null || value === undefined || value === '';

// Groups as the rows come: without a value, then in the order of options, then what is none.
function inOrder(column: Column, counted: Record<string, Value>[]): Group[] {
  const place = (value: Value) => {
    if (isEmpty(value)) return -1;
    const at = column.options?.indexOf(textOf(value)) ?? 0;
    return at < 0 ? Infinity : at;
  };
  const groups = counted.map(one => ({ value: one[column.id] ?? null, count: Number(one.count) }));
  if (column.options) groups.sort((a, b) => place(a.value) - place(b.value) || 0);
  let first = 0;
  return groups.map(({ value, count }) => {
    const group = { key: JSON.stringify(value), value, count, first };
    first += count;
    return group;
  });
}

// Null while they are not known, and where nothing is grouped.
export function useGroups(schema: Schema, question: Question, column: Column | undefined): { groups: Group[] | null; refusal: string } {
  const [groups, setGroups] = useState<Group[] | null>(null);
  const [refusal, setRefusal] = useState('');
  const [epoch, setEpoch] = useState(0);
  const { database_id, view } = question;
  const ofView = schema.views.find(one => one.id === view)?.filters ?? [];
  const filters = [...(Array.isArray(ofView) ? ofView : [ofView]), ...(question.filters ?? [])];
  useEffect(() => (column ? onRowsChanged(database_id, () => setEpoch(old => old + 1)) : undefined), [database_id, column]);
  useEffect(() => {
    if (!column) return setGroups(null);
    const stop = new AbortController();
    call<{ groups: Record<string, Value>[]; total: number }>('db_aggregate', {
      database_id, ...(filters.length ? { filters } : {}), group_by: [column.id], sort: [column.id], metrics: [{ function: 'count' }], limit: maxGroups,
    }, stop.signal).then(answer => {
      const isCut = answer.groups.length >= maxGroups;
      setGroups(isCut ? null : inOrder(column, answer.groups));
      setRefusal(isCut ? `${column.id} has more than ${maxGroups.toLocaleString('en')} different values to group by` : '');
    }, refused => { if (!stop.signal.aborted) setRefusal(messageOf(refused)); });
    return () => stop.abort();
  }, [database_id, JSON.stringify(filters), column?.id, column?.options?.join(), epoch]);
  return { groups: column ? groups : null, refusal: column ? refusal : '' };
}

// Which heading or row stands on which line.
export class Lines {
  readonly count: number;
  private readonly tops: number[] = [];

  constructor(private readonly groups: Group[] | null, private readonly closed: ReadonlySet<string>, rows: number) {
    let top = 0;
    for (const group of groups ?? []) {
      this.tops.push(top);
      top += 1 + (closed.has(group.key) ? 0 : group.count);
    }
    this.count = groups ? top : rows;
  }

  at(line: number): Line {
    if (!this.groups) return { row: line };
    let low = 0;
    for (let high = this.tops.length - 1; low < high;) {
      const middle = Math.ceil((low + high) / 2);
      if (this.tops[middle]! <= line) low = middle;
      else high = middle - 1;
    }
    const group = this.groups[low];
    if (!group || line === this.tops[low]) return group ? { heading: group } : { row: line };
    return { row: group.first + line - this.tops[low]! - 1 };
  }

  isClosed(group: Group): boolean {
    return this.closed.has(group.key);
  }
}
