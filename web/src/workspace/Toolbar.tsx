// Toolbar: the name of the database, its views, and what can be done with the one that is shown.
import type { Schema, View } from '../api/types';
import { call, messageOf } from '../api/server';
import { address, go } from '../state/address';
import { remember } from '../state/edits';
import { preferences, prefer } from '../state/preferences';
import { isReadOnly, labelOf, loadSchema } from '../state/workspace';
import { askedFilters, commandOf, questionOf, shownColumns } from '../table/question';
import { Icon, type IconName } from '../ui/icons';
import { Menu, type Choice } from '../ui/Menu';
import { say } from '../ui/Toasts';
import { openNewRow } from './overlays';

const iconOf = (view: View): IconName => (view.type === 'board' ? 'board' : view.type === 'calendar' ? 'calendar' : 'table');

function copy(text: string, what: string): void {
  if (!navigator.clipboard) return say('This browser lets only pages of this machine, or over TLS, write to the clipboard');
  navigator.clipboard.writeText(text).then(() => say(`Copied ${what}`), () => say('The browser did not allow copying', undefined, 'wrong'));
}

async function alter(schema: Schema, change: Record<string, unknown>, what: string): Promise<boolean> {
  try {
    const answer = await call<{ change?: string }>('db_alter', { database_id: schema.database_id, etag: schema.etag, changes: [change] });
    remember(answer.change, what);
    await loadSchema(schema.database_id);
    return true;
  } catch (refused) {
    say(messageOf(refused), undefined, 'wrong');
    return false;
  }
}

const idOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'view';

// What is seen now, as a view of the schema.
async function addView(schema: Schema, kind: 'table' | 'board' | 'calendar', part: Record<string, unknown>): Promise<void> {
  const taken = new Set(schema.views.map(one => one.id));
  const base = idOf(kind === 'table' ? 'table' : `${kind} by ${String(Object.values(part)[0])}`);
  let id = base;
  for (let i = 2; taken.has(id); ++i) id = `${base}-${i}`;
  const { filters } = askedFilters(address.value.where);
  const sorts = address.value.sort.map(one => ({ field: one.split(':')[0], direction: one.endsWith(':desc') ? 'desc' : 'asc' }));
  const change = {
    action: 'add_view', view: id, type: kind, ...part,
    ...(kind === 'table' ? { columns: shownColumns(schema, null, address.value).map(column => column.id) } : {}),
    ...(filters.length ? { filters } : {}), ...(sorts.length ? { sorts } : {}),
  };
  if (await alter(schema, change, `new view ${id}`)) go({ view: id, where: [], sort: [], columns: null });
}

function newViews(schema: Schema): Choice[] {
  const grouping = schema.columns.filter(column => column.type === 'select');
  const dated = schema.columns.filter(column => column.type === 'date' || column.type === 'datetime');
  return [
    { label: 'Table of what is seen', run: () => void addView(schema, 'table', {}) },
    ...grouping.map(column => ({ label: `Board by ${labelOf(column)}`, run: () => void addView(schema, 'board', { group_by: column.id }) })),
    ...dated.map(column => ({ label: `Calendar by ${labelOf(column)}`, run: () => void addView(schema, 'calendar', { date_column: column.id }) })),
  ];
}

function viewChoices(schema: Schema, view: View | null): Choice[] {
  const shown = new Set(shownColumns(schema, view, address.value).map(column => column.id));
  return [
    { label: 'Copy as command', run: () => copy(commandOf(schema, view, address.value), 'the command') },
    { label: 'Copy as JSON', run: () => copy(JSON.stringify({ tool: 'db_query', arguments: questionOf(schema, view, address.value) }, null, 2), 'the call') },
    { label: 'Copy link', run: () => copy(location.href, 'the link') },
    ...(view && !isReadOnly.value ? [{ label: `Drop the view ${view.name ?? view.id}`, danger: true, separated: true, run: () => {
      void alter(schema, { action: 'drop_view', view: view.id }, `drop of view ${view.id}`).then(done => { if (done) go({ view: null }); });
    } }] : []),
    ...schema.columns.map((column, i) => ({
      label: labelOf(column), chosen: shown.has(column.id), separated: i === 0,
      run: () => {
        const ids = schema.columns.map(one => one.id).filter(id => (id === column.id ? !shown.has(id) : shown.has(id)));
        if (ids.length) go({ columns: ids });
      },
    })),
  ];
}

export function Toolbar({ schema, view }: { schema: Schema; view: View | null }) {
  const show = (id: string | null) => go({ view: id, columns: null, sort: [], row: address.value.row });
  return (
    <header class="toolbar">
      <button class="quiet sidebar-toggle" aria-label="databases" title="Databases" onClick={() => prefer({ sidebar: !preferences.value.sidebar })}><Icon name="side" /></button>
      <h1 title={schema.description}>{schema.name}</h1>
      <div class="tabs" role="tablist" aria-label="views">
        <button role="tab" aria-selected={view === null} class="tab" onClick={() => show(null)}><Icon name="table" />All</button>
        {schema.views.map(one => (
          <button key={one.id} role="tab" aria-selected={view?.id === one.id} class="tab" onClick={() => show(one.id)}><Icon name={iconOf(one)} />{one.name ?? one.id}</button>
        ))}
      </div>
      {!isReadOnly.value && <Menu label="new view" choices={() => newViews(schema)}><Icon name="plus" /></Menu>}
      <span class="grow" />
      <Menu label="columns and copies" choices={() => viewChoices(schema, view)}><Icon name="more" /></Menu>
      {!isReadOnly.value && <button class="primary" onClick={() => openNewRow()} title="New row (n)">New</button>}
    </header>
  );
}
