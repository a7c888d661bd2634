// Address: what one looks at, as it stands behind the # of the URL, so that every view is a link.
//
//   #/stories?view=board&where=status+%3D+open&sort=due:desc&columns=title,due&row=story-003
import { signal } from '@preact/signals';

export interface Address {
  database: string | null;
  view: string | null;
  where: string[];         // each as it is typed in the filter box
  sort: string[];          // "due:desc"
  columns: string[] | null;
  group: string | null;    // a column; empty: not as the view does
  row: string | null;
  month: string | null;    // of a calendar: 2026-06
  show: 'check' | null;    // what is wrong, in place of rows
}

const nowhere: Address = { database: null, view: null, where: [], sort: [], columns: null, group: null, row: null, month: null, show: null };

export function parseAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = new URLSearchParams(query);
  const columns = parts.get('columns');
  return {
    database: path ? decodeURIComponent(path) : null,
    view: parts.get('view'),
    where: parts.getAll('where'),
    sort: parts.getAll('sort'),
    columns: columns ? columns.split(',') : null,
    group: parts.get('group'),
    row: parts.get('row'),
    month: parts.get('month'),
    show: parts.get('show') === 'check' ? 'check' : null,
  };
}

export function addressText(to: Address): string {
  const parts = new URLSearchParams();
  if (to.show) parts.set('show', to.show);
  if (to.view) parts.set('view', to.view);
  for (const where of to.where) parts.append('where', where);
  for (const sort of to.sort) parts.append('sort', sort);
  if (to.columns) parts.set('columns', to.columns.join(','));
  if (to.group !== null) parts.set('group', to.group);
  if (to.month) parts.set('month', to.month);
  if (to.row) parts.set('row', to.row);
  const query = parts.toString();
  const path = (to.database ?? '').split('/').map(encodeURIComponent).join('/');
  return `#/${path}${query ? `?${query}` : ''}`;
}

export const address = signal<Address>(parseAddress(location.hash));
window.addEventListener('popstate', () => { address.value = parseAddress(location.hash); });

export function go(change: Partial<Address>, how: 'push' | 'replace' = 'push'): void {
  const to = { ...address.value, ...change };
  const text = addressText(to);
  if (text !== location.hash) history[how === 'push' ? 'pushState' : 'replaceState'](null, '', text);
  address.value = to;
}

export const openDatabase = (database: string | null, view: string | null = null): void =>
  go({ ...nowhere, database, view });

export const openCheck = (database: string | null): void => go({ ...nowhere, database, show: 'check' });

export const hrefOf = (database: string, row: string | null = null): string =>
  addressText({ ...nowhere, database, row });
